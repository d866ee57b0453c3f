// Parquet files of several row groups, read by ClickHouse's engine.
import { expect, test } from 'vitest';
import type { ColumnKind, FileColumn } from '../../src/reports/exports/columns.ts';
import { toParquet } from '../../src/reports/exports/parquet.ts';
import { expectParquet, readParquet } from '../support/formats.ts';

const columnOf = (kind: ColumnKind, isRequired: boolean): FileColumn => ({
  header: isRequired ? kind : `${kind}?`,
  path: [isRequired ? kind : `${kind}?`],
  kind,
  isRequired,
});

const kinds: readonly ColumnKind[] = ['text', 'flag', 'count', 'number', 'decimal', 'money', 'day', 'time', 'json'];

/** A row whose values follow from its number; every third row lacks those that it may lack. */
function makeRow(n: number): Record<string, unknown> {
  const values: Record<ColumnKind, unknown> = {
    // Most texts come once, as ids do; some come again in each row group.
    text: n % 4 === 0 ? `often ${n % 7}` : `id ${n}`,
    flag: n % 2 === 0,
    count: n % 5 === 0 ? Number.MAX_SAFE_INTEGER - n : n,
    number: n / 8 - 1_000,
    decimal: n % 2 === 0 ? n : n / 16,
    // Of the others most have more than 18 fractional digits.
    money: n % 2 === 0 ? -n / 1e6 : n / 7e6,
    day: new Date(Date.UTC(1970 + (n % 90), n % 12, 1 + (n % 28))).toISOString().slice(0, 10),
    time: new Date(Date.UTC(2026, 0, 1) + n * 1_001).toISOString(),
    json: n % 2 === 0 ? { n: n % 10 } : [n],
  };
  const optional = n % 3 === 0 ? [] : Object.entries(values).map(([kind, value]) => [`${kind}?`, value]);
  return { ...values, ...Object.fromEntries(optional) };
}

test('D24.1: a file of several row groups has every value of every row, and absent values as absent', async () => {
  const rows = Array.from({ length: 20_750 }, (_, n) => makeRow(n));
  async function* slices() {
    for (let from = 0; from < rows.length; from += 250) yield rows.slice(from, from + 250);
  }
  const columns = [true, false].flatMap((isRequired) => kinds.map((kind) => columnOf(kind, isRequired)));
  const parts: Uint8Array[] = [];
  for await (const part of toParquet(slices(), { columns })) parts.push(part);
  const table = readParquet(Buffer.concat(parts));
  expect(table.types).toEqual(
    expect.objectContaining({ money: 'Decimal(38, 18)', day: 'Date32', 'count?': 'Nullable(Int64)' }),
  );
  expect(table.rows).toHaveLength(rows.length);
  // Every third row lacks values, so a step of 97 meets all kinds of rows.
  const isSeen = (_: unknown, n: number) => n % 97 === 0 || n % 20_000 < 10;
  expectParquet({ ...table, rows: table.rows.filter(isSeen) }, rows.filter(isSeen));
});
