import { z } from 'zod';

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

/** The fields of a query string that asks for a page. A query string holds text: digits are read as a number. */
export const pageQueryFields = {
  limit: z
    .preprocess(
      (text) => (typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text),
      z.number().int().min(1).max(1_000),
    )
    .default(100)
    .describe('Maximum rows of a page; default: 100.'),
  cursor: z.string().max(16_384).optional().describe('`next_cursor` of the page before.'),
};
