import { z } from 'zod';

/** What a format must know about a field of a row, besides its type (D24.1). */
export interface RowFieldFacts {
  /** An exact decimal, a quotient of two, or a number that is read as a decimal though it is whole. */
  readonly amount?: 'exact' | 'quotient' | 'decimal';
  /** Rows have this field only when `field` of the question is one of these. */
  readonly asked?: { readonly field: string; readonly isAmong: (value: unknown) => boolean };
}

export const rowFieldFacts = z.registry<RowFieldFacts>();

/** An amount of money in a row: the nearest double of an exact decimal. */
export const moneyField = (description: string) =>
  z.number().describe(description).register(rowFieldFacts, { amount: 'exact' });

/** An amount of money that is null where there is none. */
export const nullableMoneyField = (description: string) =>
  z.number().register(rowFieldFacts, { amount: 'exact' }).nullable().describe(description);

/** A quotient of money in a row, such as an average or a cost per unit. */
export const quotientField = (description: string) =>
  z.number().describe(description).register(rowFieldFacts, { amount: 'quotient' });

/** A number that a file's reader must not take for a whole one: CSV has `15.0` in place of `15`. */
export const decimalField = () => z.number().register(rowFieldFacts, { amount: 'decimal' });

/** A field that rows have exactly when `field` of the question has one of the values. */
export const askedField = <Schema extends z.ZodType>(schema: Schema, field: string, ...values: readonly unknown[]) =>
  askedWhere(schema, { field, isAmong: (value) => values.includes(value) });

/** A field that rows have exactly when a field of the question is as `asked` says. */
export function askedWhere<Schema extends z.ZodType>(schema: Schema, asked: NonNullable<RowFieldFacts['asked']>) {
  const optional = schema.optional();
  rowFieldFacts.add(optional, { asked });
  return optional;
}

export const rowDays = {
  date_from: z.string().meta({ format: 'date' }),
  date_to: z.string().meta({ format: 'date' }),
};

/** What a row has of the shared costs (D31.2). */
export const sharedCostField = askedField(
  moneyField('USD: what the row has of the shared costs.'),
  'include_shared',
  true,
);

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For fields that map names to objects: the names. Each name gets its own columns. */
    /** The field with the rows of an answer without pages, which has them all: it is offered in all formats too. */
    allRows?: string;
    namesOf?: Readonly<Record<string, (request: FastifyRequest) => Promise<readonly string[]>>>;
    /** A row as a line of NDJSON, where that is not the JSON of the row. */
    lineOf?: (row: never) => string;
  }
}
