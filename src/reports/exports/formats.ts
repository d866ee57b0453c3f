import { acceptedTypes } from '../../lib/http/accepted-types.ts';
import type { FileColumn } from './columns.ts';
import { toCsv } from './csv.ts';
import { toParquet } from './parquet.ts';

export const formatNames = ['csv', 'ndjson', 'parquet'] as const;
export type FormatName = (typeof formatNames)[number];

/** A form in which rows are sent, besides pages of JSON (D24.1). */
export interface Format {
  readonly mediaType: string;
  /** The media type as a header, with its charset. */
  readonly contentType: string;
  readonly about: string;
  /** Encodes rows. Yields a part after each slice, or less often. */
  encode(slices: AsyncIterable<readonly unknown[]>, shape: RowShape): AsyncIterable<string | Uint8Array>;
}

export interface RowShape {
  readonly columns: readonly FileColumn[];
  /** Writes a row as one line of JSON. */
  readonly lineOf: (row: unknown) => string;
}

export const formats: Readonly<Record<FormatName, Format>> = {
  csv: {
    mediaType: 'text/csv',
    contentType: 'text/csv; charset=utf-8',
    about: 'All rows as CSV, after a line with the names of the columns.',
    encode: toCsv,
  },
  ndjson: {
    mediaType: 'application/x-ndjson',
    contentType: 'application/x-ndjson; charset=utf-8',
    about: 'All rows as JSON, one a line.',
    encode: toNdjson,
  },
  parquet: {
    mediaType: 'application/vnd.apache.parquet',
    contentType: 'application/vnd.apache.parquet',
    about: 'All rows as a Parquet file.',
    encode: toParquet,
  },
};

async function* toNdjson(
  slices: AsyncIterable<readonly unknown[]>,
  { lineOf }: { readonly lineOf: (row: unknown) => string },
): AsyncGenerator<string> {
  for await (const rows of slices) yield rows.map((row) => `${lineOf(row)}\n`).join('');
}

/** The format that `Accept` prefers to JSON. Ranges such as `text/*` name none: who accepts everything gets JSON. */
export function acceptedFormat(accept: string | undefined): FormatName | undefined {
  for (const type of acceptedTypes(accept)) {
    if (type === 'application/json') return undefined;
    const name = formatNames.find((candidate) => formats[candidate].mediaType === type);
    if (name) return name;
  }
  return undefined;
}
