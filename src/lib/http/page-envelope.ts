import { z } from 'zod';
import { integerParameter } from '../query-fields.ts';
import { makeCursor } from './cursor.ts';

/** The fields of a page beside its list: how it ends. */
export const pageEndFields = {
  next_cursor: z.string().nullable().describe('Asks for the next page, as `cursor`; null when there is none.'),
  has_more: z.boolean(),
};

/** A page of rows, and a page of one row as its example. */
export const pageOf = <Row extends z.ZodType>(row: Row, exampleRow?: z.input<Row>) =>
  z
    .object({
      rows: z.array(row),
      ...pageEndFields,
    })
    .meta({
      description: 'A page of rows.',
      ...(exampleRow !== undefined && { examples: [{ rows: [exampleRow], next_cursor: null, has_more: false }] }),
    });

/** An answer that is a whole list, and a list of one row as its example. */
export const listAnswer = <Name extends string, Row extends z.ZodType>(
  name: Name,
  row: Row,
  description: string,
  exampleRow: unknown,
) =>
  z
    .object({ [name]: z.array(row) } as Record<Name, z.ZodArray<Row>>)
    .meta({ description, examples: [{ [name]: [exampleRow] }] });

/** An answer that is a page of a list, and a page of one row as its example. */
export const pageAnswer = <Name extends string, Row extends z.ZodType>(
  name: Name,
  row: Row,
  description: string,
  exampleRow: unknown,
) =>
  z
    .object({ [name]: z.array(row), ...pageEndFields } as Record<Name, z.ZodArray<Row>> & typeof pageEndFields)
    .meta({ description, examples: [{ [name]: [exampleRow], next_cursor: null, has_more: false }] });

/** The list of a page: its name, and the schema of its rows. */
export interface PageList {
  readonly name: string;
  readonly row: z.ZodType;
}

/** The list of a page with `pageEndFields`: the first list among its fields. Undefined for other schemas. */
export function listOfPage(schema: unknown): PageList | undefined {
  if (!(schema instanceof z.ZodObject) || schema.shape.next_cursor !== pageEndFields.next_cursor) return undefined;
  for (const [name, field] of Object.entries(schema.shape)) {
    if (field instanceof z.ZodArray) return { name, row: field.element as z.ZodType };
  }
  return undefined;
}

/** Its default is no `default` in the document: clients would send it always, and a file has no limit. */
export const limitField = <Schema extends z.ZodType<number>>(schema: Schema) =>
  schema
    .optional()
    .transform((limit) => limit ?? 100)
    .describe('Maximum rows of a page; default: 100.');

export const pageQueryFields = {
  limit: limitField(integerParameter(1, 1_000)),
  cursor: z.string().max(8_192).optional().describe('`next_cursor` of the previous page.'),
};

export const pageQuery = z.strictObject(pageQueryFields);

/** Cuts a page from up to `limit + 1` rows, of which the extra one means that there is a next page. */
export function cutPage<Row>(
  question: unknown,
  found: readonly Row[],
  limit: number,
  positionOf: (row: Row) => readonly string[],
) {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { rows, end: { next_cursor: hasMore ? makeCursor(question, positionOf(last)) : null, has_more: hasMore } };
}
