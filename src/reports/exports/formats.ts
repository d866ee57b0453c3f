import type { Column } from './columns.ts';
import { toCsv } from './csv.ts';
import { toNdjson } from './ndjson.ts';
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

/** How to write rows. */
export interface RowShape {
  readonly columns: readonly Column[];
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
