import { stringify } from 'csv-stringify/sync';
import { toJsonLine } from '../../lib/stored-json.ts';
import { withoutFormula } from '../../lib/without-formula.ts';
import { type FileColumn, valueAt } from './columns.ts';

/**
 * Rows as CSV, after a line with the names of the columns. Text that a spreadsheet would read as a formula gets an
 * apostrophe in front (`withoutFormula`); numbers stay as they are.
 */
export async function* toCsv(
  slices: AsyncIterable<readonly unknown[]>,
  { columns }: { readonly columns: readonly FileColumn[] },
): AsyncGenerator<string> {
  yield csvOf([], columns);
  for await (const rows of slices) yield toLines(rows.map((row) => toCells(row, columns)));
}

/** The line with the names of the columns, and these rows. */
export const csvOf = (rows: readonly unknown[], columns: readonly FileColumn[]): string =>
  toLines([columns.map(({ header }) => header), ...rows.map((row) => toCells(row, columns))]);

const toLines = (rows: unknown[][]): string =>
  stringify(rows, { cast: { boolean: (flag) => String(flag), string: withoutFormula } });

/** The cells of a row; undefined for missing values. */
const toCells = (row: unknown, columns: readonly FileColumn[]): unknown[] =>
  columns.map((column) => {
    const value = valueAt(row, column);
    if (value === undefined) return value;
    if (column.kind === 'json') return toJsonLine(value);
    return column.kind === 'decimal' && Number.isInteger(value) ? `${value}.0` : value;
  });
