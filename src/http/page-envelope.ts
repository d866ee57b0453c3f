import { z } from 'zod';
import { integerParameter } from '../lib/query-fields.ts';

/** The page envelope of section 2.5, and a page of one row as its example. */
export const pageOf = <Row extends z.ZodType>(row: Row, exampleRow?: z.input<Row>) =>
  z
    .object({
      rows: z.array(row),
      next_cursor: z.string().nullable().describe('Asks for the next page, as `cursor`; null when there is none.'),
      has_more: z.boolean(),
    })
    .meta({
      description: 'A page of rows.',
      ...(exampleRow !== undefined && { examples: [{ rows: [exampleRow], next_cursor: null, has_more: false }] }),
    });

/** The fields of a query string that asks for a page. */
export const pageQueryFields = {
  limit: integerParameter(1, 1_000).default(100).describe('Maximum rows of a page; default: 100.'),
  cursor: z.string().max(16_384).optional().describe('`next_cursor` of the page before.'),
};
