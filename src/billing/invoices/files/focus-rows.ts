import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { brotliDecompressSync, createGunzip, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { parse as parseCsv } from 'csv-parse';
import { asyncBufferFromFile, type ParquetRow, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { decimal, formatDecimal } from '../../../lib/money.ts';

const columns = [
  ...(['BilledCost', 'BillingAccountId', 'BillingCurrency', 'ChargeCategory', 'ChargeDescription'] as const),
  ...(['ChargePeriodEnd', 'ChargePeriodStart', 'ProviderName', 'ResourceId', 'ServiceName'] as const),
  ...(['ServiceProviderName', 'SkuId', 'SkuMeter', 'SubAccountId'] as const),
];
type Column = (typeof columns)[number];

/** The cells of a row that are read. A missing one is absent. */
export type FocusCells = Readonly<Partial<Record<Column, string>>>;

/** Exports into tables write names as `billed_cost`. */
const keyOf = (name: string): string => name.replaceAll('_', '').trim().toLowerCase();
const columnByKey = new Map<string, Column>(columns.map((name) => [keyOf(name), name]));

/** The rows of a CSV, which may be compressed, or of a Parquet file, with the line of each. */
export async function* readFocusRows(path: string): AsyncGenerator<readonly [cells: FocusCells, line: number]> {
  const start = readStart(path);
  if (start.toString('latin1') === 'PAR1') yield* readParquet(path);
  else yield* readCsv(path, start[0] === 0x1f && start[1] === 0x8b);
}

function readStart(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const start = Buffer.alloc(4);
    return start.subarray(0, readSync(file, start, 0, 4, 0));
  } finally {
    closeSync(file);
  }
}

async function* readCsv(path: string, isCompressed: boolean) {
  const parser = parseCsv({ bom: true, columns: (names: string[]) => names.map(keyOf), info: true });
  const bytes = isCompressed ? [createReadStream(path), createGunzip()] : [createReadStream(path)];
  // The parser gets an error of the streams before it.
  pipeline([...bytes, parser], () => undefined);
  for await (const { record, info } of parser as AsyncIterable<CsvRow>) {
    yield [toCells(Object.entries(record)), info.lines] as const;
  }
}

interface CsvRow {
  readonly record: Record<string, string>;
  readonly info: { readonly lines: number };
}

const compressors = {
  GZIP: (bytes: Uint8Array) => gunzipSync(bytes),
  BROTLI: (bytes: Uint8Array) => brotliDecompressSync(bytes),
  ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes),
};

async function* readParquet(path: string) {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  // As numbers, decimals would lose their last digits: they are read as they are stored.
  const scales = new Map<string, number>();
  for (const element of metadata.schema) {
    if (element.converted_type !== 'DECIMAL' && element.logical_type?.type !== 'DECIMAL') continue;
    scales.set(element.name, element.scale ?? 0);
    delete element.converted_type;
    delete element.logical_type;
  }
  const names = metadata.schema.slice(1).flatMap(({ name }) => (columnByKey.has(keyOf(name)) ? [name] : []));
  let rowStart = 0;
  for (const { num_rows: count } of metadata.row_groups) {
    const rowEnd = rowStart + Number(count);
    const rows: ParquetRow[] = await parquetReadObjects({
      file,
      metadata,
      columns: names,
      rowStart,
      rowEnd,
      compressors,
    });
    for (const [index, row] of rows.entries()) {
      const cells = Object.entries(row).map(([name, value]) => [name, toText(value, scales.get(name))] as const);
      yield [toCells(cells), rowStart + index + 1] as const;
    }
    rowStart = rowEnd;
  }
}

function toText(value: unknown, scale: number | undefined): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  if (scale !== undefined) return formatDecimal(decimal(toWhole(value), scale));
  return String(value);
}

/** A whole number as Parquet stores it: of bytes, the most significant comes first. */
function toWhole(value: unknown): bigint {
  if (value instanceof Uint8Array)
    return BigInt.asIntN(8 * value.length, BigInt(`0x${Buffer.from(value).toString('hex')}`));
  return BigInt(value as number | bigint);
}

/** Databases write `NULL` where there is no value. */
function toCells(cells: readonly (readonly [name: string, text: string])[]): FocusCells {
  const found: Partial<Record<Column, string>> = {};
  for (const [name, text] of cells) {
    const column = columnByKey.get(keyOf(name));
    if (column !== undefined && text !== '' && text !== 'NULL' && text !== 'null') found[column] = text.trim();
  }
  return found;
}
