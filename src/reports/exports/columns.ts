import { z } from 'zod';
import { type RowFieldFacts, rowFieldFacts } from '../../lib/http/row-fields.ts';

/** `money` is an exact decimal; `day` and `time` are text in rows; `json` holds what fits no other kind. */
export type ColumnKind = 'text' | 'flag' | 'count' | 'number' | 'decimal' | 'money' | 'day' | 'time' | 'json';

/** A column of a format, and where its value is in a row. */
export interface FileColumn {
  /** The names of the path, with dots between them. */
  readonly header: string;
  readonly path: readonly string[];
  readonly kind: ColumnKind;
  /** Whether every row has a value. */
  readonly isRequired: boolean;
}

/** The question, which decides which fields rows have. */
export interface Asked {
  /** The fields of the body and of the query string. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The names of the fields that are maps of objects by name. */
  readonly names: Readonly<Record<string, readonly string[]>>;
}

/** The columns of rows of this schema, in the order of its fields. Fields that the question excludes are left out. */
export const columnsOf = (row: z.ZodType, asked: Asked): FileColumn[] =>
  columnsOfField({ schema: row, path: [], isRequired: true }, asked);

interface Field {
  readonly schema: z.ZodType;
  readonly path: readonly string[];
  readonly isRequired: boolean;
}

function columnsOfField({ schema, path, isRequired: isSure }: Field, asked: Asked): FileColumn[] {
  const { inner, facts, format, isOptional } = unwrap(schema);
  if (facts.asked && !facts.asked.isAmong(asked.fields[facts.asked.field])) return [];
  // A requested field is in every row.
  const isRequired = isSure && (!isOptional || facts.asked !== undefined);
  const header = path.join('.');
  const names = asked.names[header];
  if (inner instanceof z.ZodRecord && names) {
    return names.flatMap((name) =>
      columnsOfField({ schema: inner.valueType as z.ZodType, path: [...path, name], isRequired: false }, asked),
    );
  }
  if (inner instanceof z.ZodObject) {
    return Object.entries(inner.shape).flatMap(([name, field]) =>
      columnsOfField({ schema: field as z.ZodType, path: [...path, name], isRequired }, asked),
    );
  }
  const kind = kindOf(inner, facts, format);
  if (kind === 'number' && facts.amount === undefined && /^USD\b/.test(describe(schema))) {
    throw new Error(`The field ${header} is in USD: make it with moneyField or quotientField`);
  }
  return [{ header, path, kind, isRequired }];
}

interface Unwrapped {
  readonly inner: z.ZodType;
  readonly facts: RowFieldFacts;
  readonly format: unknown;
  readonly isOptional: boolean;
}

/** The schema within `optional` and `nullable`, and the facts and format of any of these levels. */
function unwrap(schema: z.ZodType): Unwrapped {
  const own = { facts: rowFieldFacts.get(schema) ?? {}, format: schema.meta()?.format };
  if (!(schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)) {
    return { inner: schema, ...own, isOptional: false };
  }
  const within = unwrap(schema.unwrap() as z.ZodType);
  return {
    inner: within.inner,
    facts: { ...within.facts, ...own.facts },
    format: own.format ?? within.format,
    isOptional: true,
  };
}

function describe(schema: z.ZodType): string {
  if (schema.description !== undefined) return schema.description;
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? describe(schema.unwrap() as z.ZodType)
    : '';
}

function kindOf(schema: z.ZodType, facts: RowFieldFacts, format: unknown): ColumnKind {
  if (schema instanceof z.ZodNumber) {
    if (facts.amount === 'exact') return 'money';
    if (facts.amount === 'decimal') return 'decimal';
    return schema.isInt ? 'count' : 'number';
  }
  if (schema instanceof z.ZodBoolean) return 'flag';
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral) return 'text';
  if (!(schema instanceof z.ZodString)) return 'json';
  return format === 'date' ? 'day' : format === 'date-time' ? 'time' : 'text';
}

/** The value of a column in a row; undefined if the row has none. */
export function valueAt(row: unknown, { path }: Pick<FileColumn, 'path'>): unknown {
  let part: unknown = row;
  for (const step of path) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, step)) return undefined;
    part = Reflect.get(part, step);
  }
  return part ?? undefined;
}
