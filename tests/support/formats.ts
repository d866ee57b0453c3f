// Reads answers in the formats of D24.1 with code that did not write them, and compares them with rows of pages.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from 'chdb';
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { z } from 'zod';
import type { Json, Project } from './client.ts';
import { backgroundWithin, poll } from './poll.ts';

/** A question to a route with pages. */
export interface Question {
  readonly method: string;
  readonly path: string;
  readonly fields: Json;
}

/** The rows of all pages of a route. Its list is `rows`, or the first array of the answer. */
export async function rowsOf(project: Project, question: Question, limit: number): Promise<Json[]> {
  const rows: Json[] = [];
  let cursor: string | undefined;
  do {
    const paged = { ...question.fields, limit, ...(cursor !== undefined && { cursor }) };
    const answer = await ask(project, { ...question, fields: paged });
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    const body = JSON.parse(text);
    const list = z.array(z.record(z.string(), z.unknown())).parse(body.rows ?? Object.values(body).find(Array.isArray));
    rows.push(...list);
    cursor = body.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}

/** Routes of the admin token. */
const needsAdmin = (path: string): boolean => path.startsWith('/admin/') || path === '/api/erasures/';

async function ask(project: Project, { method, path, fields }: Question, query: Json = {}): Promise<Response> {
  const { farthing, id, apiKey } = project;
  const asked = new URLSearchParams(toTexts({ ...query, ...(method === 'GET' && fields) }));
  const target = `${farthing.url}${path}?${asked}`;
  const request = {
    method,
    headers: {
      authorization: `Bearer ${needsAdmin(path) ? farthing.adminToken : apiKey}`,
      ...(needsAdmin(path) && { 'farthing-project': id }),
      ...(method !== 'GET' && { 'content-type': 'application/json' }),
    },
    ...(method !== 'GET' && { body: JSON.stringify(fields) }),
  };
  return await poll('assembly has caught up', { within: backgroundWithin, every: 500 }, async () => {
    const answer = await fetch(target, request);
    return answer.status === 503 ? undefined : answer;
  });
}

/** The answer to a question in a format, which must be a success. */
export async function answerIn(
  format: string,
  project: Project,
  question: Question,
): Promise<{ readonly bytes: Buffer; readonly headers: Headers }> {
  const answer = await ask(project, question, { format });
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(answer.status, bytes.toString()).toBe(200);
  return { bytes, headers: answer.headers };
}

const toTexts = (fields: Json): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));

/** Rows of cells by the names of their columns. */
export interface Table {
  readonly headers: readonly string[];
  readonly rows: readonly Json[];
}

export function readCsv(text: string): Table {
  const [headers = [], ...lines] = parse(text, { record_delimiter: '\n', relax_column_count: false }) as string[][];
  return {
    headers,
    rows: lines.map((cells) => Object.fromEntries(cells.map((cell, at) => [headers[at] ?? '', cell]))),
  };
}

/** A Parquet file as the engine reads it, with the types of its columns. */
export interface ParquetTable extends Table {
  readonly types: Readonly<Record<string, string>>;
}

const cells = z.array(z.unknown());
const names = z.array(z.string());

export function readParquet(bytes: Uint8Array): ParquetTable {
  const folder = mkdtempSync(join(tmpdir(), 'farthing-parquet-'));
  try {
    const file = join(folder, 'rows.parquet');
    writeFileSync(file, bytes);
    const settings =
      'output_format_json_quote_decimals = 1, output_format_json_quote_64bit_integers = 1, input_format_parquet_preserve_order = 1';
    const sql = `SELECT * FROM file('${file}', Parquet) SETTINGS ${settings}`;
    const [first, second, ...lines] = String(query(sql, 'JSONCompactEachRowWithNamesAndTypes'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    const [headers, types] = [names.parse(first), names.parse(second)];
    const byName = <Value>(values: readonly Value[]): Record<string, Value> =>
      Object.fromEntries(headers.flatMap((name, at) => (at in values ? [[name, values[at] as Value]] : [])));
    return { headers, types: byName(types), rows: lines.map((line) => byName(cells.parse(line))) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The value of a column in a row of JSON: its name is a path with dots, whose steps may have dots too. */
function valueAt(row: unknown, header: string): unknown {
  if (typeof row !== 'object' || row === null) return undefined;
  if (Object.hasOwn(row, header)) return Reflect.get(row, header);
  for (const [name, part] of Object.entries(row)) {
    const found = header.startsWith(`${name}.`) ? valueAt(part, header.slice(name.length + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The parts of a row that no column has. */
function withoutColumn(row: unknown, headers: ReadonlySet<string>, path = ''): string[] {
  if (headers.has(path)) return [];
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row === null ? [] : [path];
  return Object.entries(row).flatMap(([name, part]) =>
    withoutColumn(part, headers, path === '' ? name : `${path}.${name}`),
  );
}

/** Text that a spreadsheet would read as a formula. */
const formula = /^(?:[\t\r]|[\s\p{C}]*[=+\-@＝＋－＠])/u;

/** The columns that a reader must take for decimals though every number is whole. */
const decimals = new Set(['PricingQuantity']);
const asDecimal = (value: unknown): string => (Number.isInteger(value) ? `${value}.0` : String(value));

/** Compares a table of CSV with the rows of pages, value by value. */
export function expectCsv({ headers, rows }: Table, expected: readonly Json[]): void {
  const known = new Set(headers);
  expect(expected.flatMap((row) => withoutColumn(row, known))).toEqual([]);
  expect(rows.map((row) => headers.map((header) => row[header]))).toEqual(
    expected.map((row, at) =>
      headers.map((header) => {
        const value = valueAt(row, header);
        if (value === undefined || value === null) return '';
        if (typeof value === 'string') return formula.test(value) ? `'${value}` : value;
        if (typeof value !== 'object') return decimals.has(header) ? asDecimal(value) : String(value);
        const cell = rows[at]?.[header];
        // JSON in any spelling.
        expect(JSON.parse(String(cell))).toEqual(value);
        return cell;
      }),
    ),
  );
}

/** Compares a table of Parquet with the rows of pages, value by value. */
export function expectParquet({ headers, types, rows }: ParquetTable, expected: readonly Json[]): void {
  const known = new Set(headers);
  expect(expected.flatMap((row) => withoutColumn(row, known))).toEqual([]);
  const typeOf = (header: string) => (types[header] ?? '').replace(/^Nullable\((.*)\)$/, '$1');
  for (const [at, row] of expected.entries()) {
    for (const header of headers) {
      const [type, value, cell] = [typeOf(header), valueAt(row, header) ?? null, rows[at]?.[header]];
      const isJson = typeof value === 'object' && value !== null;
      expect({ at, header, value: isJson ? JSON.parse(String(cell)) : toValue(type, cell) }).toEqual({
        at,
        header,
        value: isJson ? value : ofRow(type, value),
      });
    }
  }
  expect(rows).toHaveLength(expected.length);
}

/** A value of a row as it can be compared with a cell of a type. */
function ofRow(type: string, value: unknown): unknown {
  if (value === null) return null;
  if (type.startsWith('Decimal')) return units(String(value));
  return type.startsWith('DateTime') ? Date.parse(String(value)) : value;
}

/** A cell of a type as the value of a row. */
function toValue(type: string, cell: unknown): unknown {
  if (cell === null) return null;
  if (type.startsWith('Decimal')) return units(String(cell));
  if (type.startsWith('Int')) return Number(cell);
  return type.startsWith('DateTime') ? Date.parse(`${String(cell).replace(' ', 'T')}Z`) : cell;
}

/** Decimal text in units of 1e-18, rounded half to even. */
function units(text: string): bigint {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text) ?? [];
  const shift = 18 - fraction.length + Number(exponent);
  const digits = BigInt(whole + fraction);
  const one = 10n ** BigInt(Math.abs(shift));
  const rest = shift < 0 ? digits % one : 0n;
  const isUp = 2n * rest > one || (2n * rest === one && (digits / one) % 2n === 1n);
  const size = shift < 0 ? digits / one + (isUp ? 1n : 0n) : digits * one;
  return sign === '-' ? -size : size;
}
