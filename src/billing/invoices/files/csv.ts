import { CsvError } from 'csv-parse';
import { parse as parseCsv } from 'csv-parse/sync';
import { isDay } from '../../../lib/days.ts';
import { uuidOf } from '../../../lib/uuid-of.ts';
import { invoiceKinds } from '../entry.ts';
import type { InvoiceWire } from '../parse.ts';
import {
  type DecimalSign,
  findDecimalSign,
  isWrittenWith,
  readWritten,
  toDecimalText,
  type WrittenAmount,
} from './amounts.ts';
import type { FileEntries, FileEntry, FileFault } from './file-entries.ts';

/** The columns of a CSV file of invoices: those of the API, and `date` for an entry of one day. */
const columnNames = [
  ...(['external_id', 'provider', 'date', 'date_from', 'date_to', 'model', 'amount', 'kind', 'description'] as const),
];
type ColumnName = (typeof columnNames)[number];

export interface CsvOptions {
  /** The provider of a file that has no such column. */
  readonly provider: string | undefined;
  /** The decimal sign, for a file that does not show it. */
  readonly decimal: DecimalSign | undefined;
}

type Cells = readonly string[];
interface Row {
  readonly line: number;
  readonly cells: Cells;
}

const delimiters = [',', ';', '\t'] as const;
type Delimiter = (typeof delimiters)[number];

/** Reads a CSV file, in any of the usual dialects. All faults are reported. */
export function readInvoiceCsv(text: string, options: CsvOptions): FileEntries {
  const delimiter = findDelimiter(text);
  const rows = readRows(text, delimiter);
  if (!Array.isArray(rows)) return { entries: [], faults: [rows] };
  const [header, ...body] = rows;
  if (!header) return { entries: [], faults: [{ line: 1, message: 'the file is empty' }] };
  const columns = readHeader(header, options);
  if ('faults' in columns) return { entries: [], faults: columns.faults };
  const faults = body.flatMap(({ line, cells }): FileFault[] =>
    cells.length === header.cells.length
      ? []
      : [
          {
            line,
            column: Math.min(cells.length, header.cells.length) + 1,
            message: `has ${cells.length} cells, but the first line names ${header.cells.length} columns`,
          },
        ],
  );
  if (faults.length > 0) return { entries: [], faults };
  return readEntries(body, columns.places, { ...options, delimiter });
}

/** The delimiter that splits the first line into the most known column names. */
function findDelimiter(text: string): Delimiter {
  const start = text.replace(/^\ufeff/, '').replace(/^\s*\n/, '');
  const named = /^sep=(.)\r?\n/i.exec(start)?.[1];
  const given = delimiters.find((delimiter) => delimiter === named);
  if (given) return given;
  const [first = ''] = start.split(/\r\n|\n|\r/, 1);
  const count = (delimiter: Delimiter) =>
    first.split(delimiter).filter((name) => isColumn(toName(name.replaceAll('"', '')))).length;
  const counts = delimiters.map((delimiter) => ({
    delimiter,
    count: count(delimiter),
    cells: first.split(delimiter).length,
  }));
  return counts.toSorted((a, b) => b.count - a.count || b.cells - a.cells)[0]?.delimiter ?? ',';
}

const toName = (cell: string): string =>
  cell
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
const isColumn = (name: string): name is ColumnName => columnNames.some((known) => known === name);

function readRows(text: string, delimiter: Delimiter): Row[] | FileFault {
  const body = text.replace(/^\ufeff/, '').replace(/^sep=.\r?\n/i, '\n');
  try {
    const records = parseCsv(body, {
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
    }) as unknown as { readonly info: { readonly lines: number }; readonly record: string[] }[];
    return records
      .map(({ info, record }) => ({ line: info.lines - countBreaks(record), cells: record }))
      .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const [line, column] = [Number(error.lines ?? 1), Number(error.column ?? 0) + 1];
    return {
      line,
      column,
      message: `has a quote that is not closed or stands within a cell: double it, and quote the whole cell`,
    };
  }
}

/** In quoted cells: the parser counts lines to the end of a row, and faults name the line where it begins. */
const countBreaks = (cells: Cells): number => cells.reduce((sum, cell) => sum + cell.split(/\r\n|\n|\r/).length - 1, 0);

type Places = ReadonlyMap<ColumnName, number>;

function readHeader(
  { line, cells }: Row,
  { provider }: CsvOptions,
): { readonly places: Places } | { readonly faults: FileFault[] } {
  const places = new Map<ColumnName, number>();
  const faults: FileFault[] = [];
  cells.forEach((cell, index) => {
    const name = toName(cell);
    const at = { line, column: index + 1 };
    if (!isColumn(name)) {
      faults.push({ ...at, message: `"${cell.trim()}" is no column: use ${columnNames.join(', ')}` });
    } else if (places.has(name)) {
      faults.push({ ...at, message: `${name} is a column twice: it is also column ${(places.get(name) ?? 0) + 1}` });
    } else places.set(name, index);
  });
  if (places.has('date') && (places.has('date_from') || places.has('date_to'))) {
    faults.push({
      line,
      column: (places.get('date') ?? 0) + 1,
      message: 'date stands for date_from and date_to: use one or the other',
    });
  }
  const missing = [
    ...(places.has('amount') ? [] : ['amount']),
    ...(places.has('date') || places.has('date_from') ? [] : ['date (or date_from and date_to)']),
    ...(places.has('provider') || provider !== undefined ? [] : ['provider (or give --provider)']),
  ];
  if (missing.length > 0) faults.push({ line, message: `has no column ${missing.join(', and none ')}` });
  return faults.length > 0 ? { faults } : { places };
}

function readEntries(
  rows: readonly Row[],
  places: Places,
  { provider, decimal, delimiter }: CsvOptions & { readonly delimiter: Delimiter },
): FileEntries {
  const faults: FileFault[] = [];
  const textOf = ({ cells }: Row, name: ColumnName): string => cells[places.get(name) ?? -1]?.trim() ?? '';
  const fault = (row: Row, name: ColumnName, message: string) => {
    faults.push({ line: row.line, column: (places.get(name) ?? 0) + 1, name, message });
  };
  const amounts = readAmounts(rows, {
    textOf: (row) => textOf(row, 'amount'),
    fault: (row, message) => fault(row, 'amount', message),
    decimal,
    likely: delimiter === ',' ? 'point' : undefined,
  });
  const seen = new Map<string, number>();
  const entries = rows.flatMap((row): FileEntry[] => {
    const from = places.has('date') ? textOf(row, 'date') : textOf(row, 'date_from');
    const to = textOf(row, 'date_to') || from;
    for (const name of ['date', 'date_from', 'date_to'] as const) {
      const text = textOf(row, name);
      const isNeeded = name !== 'date_to' && places.has(name);
      if ((isNeeded || text !== '') && !isDay(text)) fault(row, name, 'must be a day that exists, as YYYY-MM-DD');
    }
    const kind = textOf(row, 'kind').toLowerCase() || 'usage';
    const known = invoiceKinds.find((one) => one === kind);
    if (!known) fault(row, 'kind', `must be one of ${invoiceKinds.join(', ')}`);
    const named = textOf(row, 'provider') || provider;
    if (named === undefined) fault(row, 'provider', 'must not be empty');
    const amount = amounts.get(row);
    if (!known || named === undefined || amount === undefined) return [];
    const [model, description] = [textOf(row, 'model'), textOf(row, 'description')];
    // Without the amount, so that a corrected amount replaces the entry, and without case: OpenAI is openai.
    const identity = JSON.stringify([named, from, to, model, known, description]).toLowerCase();
    const count = (seen.get(identity) ?? 0) + 1;
    seen.set(identity, count);
    const entry: InvoiceWire = {
      external_id: textOf(row, 'external_id') || `csv:${from}:${uuidOf('csv', identity, String(count))}`,
      provider: named,
      date_from: from,
      date_to: to,
      ...(model !== '' && { model }),
      amount,
      kind: known,
      ...(description !== '' && { description }),
    };
    return [{ line: row.line, entry }];
  });
  return {
    entries: faults.length > 0 ? [] : entries,
    faults: faults.sort((a, b) => a.line - b.line || (a.column ?? 0) - (b.column ?? 0)),
  };
}

interface AmountColumn {
  readonly textOf: (row: Row) => string;
  readonly fault: (row: Row, message: string) => void;
  readonly decimal: DecimalSign | undefined;
  readonly likely: DecimalSign | undefined;
}

/** The amounts of the rows as decimal text; rows with a fault have none. */
function readAmounts(rows: readonly Row[], { textOf, fault, decimal, likely }: AmountColumn): ReadonlyMap<Row, string> {
  const read: { readonly row: Row; readonly amount: WrittenAmount }[] = [];
  for (const row of rows) {
    const amount = readWritten(textOf(row));
    if ('fault' in amount) fault(row, amount.fault);
    else read.push({ row, amount });
  }
  const found =
    decimal === undefined
      ? findDecimalSign(
          read.map(({ amount }) => amount.digits),
          likely,
        )
      : { sign: decimal };
  if (found.sign === undefined) {
    for (const { index, message } of found.faults) {
      const at = read[index];
      if (at) fault(at.row, message);
    }
    return new Map();
  }
  const { sign } = found;
  return new Map(
    read.flatMap(({ row, amount }) => {
      if (isWrittenWith(amount.digits, sign)) return [[row, toDecimalText(amount, sign)] as const];
      fault(row, `must have a decimal ${sign}`);
      return [];
    }),
  );
}
