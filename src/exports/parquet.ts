import { setImmediate as nextTurn } from 'node:timers/promises';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { writeColumn } from 'hyparquet-writer/src/column.js';
import { encodeNestedValues } from 'hyparquet-writer/src/dremel.js';
import { schemaPathResolver } from 'hyparquet-writer/src/schema.js';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import { toDayNumber } from '../lib/days.ts';
import { divideHalfEven, parseDecimal } from '../lib/money.ts';
import { version } from '../lib/version.ts';
import { type Column, type ColumnKind, valueAt } from './columns.ts';
import { toJsonLine } from './json-text.ts';

/** The fractional digits of money. */
const moneyScale = 18;

/** How many rows, or characters of text, end a row group. */
const maxGroupRows = 5_000;
const maxGroupCharacters = 8 * 1_048_576;

/** The largest page of a column, in bytes. */
const pageSize = 1_048_576;

/**
 * Rows as a Parquet file: money as DECIMAL(38, 18), days as DATE, times as TIMESTAMP in UTC, counts as INT64. It holds
 * one row group, and writes one column of it in a turn of the event loop.
 */
export async function* toParquet(
  slices: AsyncIterable<readonly unknown[]>,
  { columns }: { readonly columns: readonly Column[] },
): AsyncGenerator<Uint8Array> {
  const file = new ParquetFile(columns);
  yield file.takeBytes();
  for await (const rows of slices) {
    file.add(rows);
    if (file.isGroupFull) yield* file.writeGroup();
  }
  yield* file.writeGroup();
  yield file.end();
}

type SchemaElement = ParquetWriter['schema'][number];
type StoredType = Pick<SchemaElement, 'type' | 'type_length' | 'converted_type' | 'precision' | 'scale'>;

/** How each kind of column is stored. */
const storedTypes: Readonly<Record<ColumnKind, StoredType>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  flag: { type: 'BOOLEAN' },
  count: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  money: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    precision: 38,
    scale: moneyScale,
  },
  day: { type: 'INT32', converted_type: 'DATE' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
};

/** A value of a row as the type of its column. */
const toStored: Readonly<Record<ColumnKind, (value: unknown) => unknown>> = {
  text: (value) => value,
  json: toJsonLine,
  flag: (value) => value,
  count: (value) => BigInt(Number(value)),
  number: (value) => value,
  money: (value) => toUnits(Number(value)),
  day: (value) => toDayNumber(String(value)),
  time: (value) => BigInt(Date.parse(String(value))),
};

/** The shortest decimal text of an amount in units of 1e-18, rounded half-even where it has more digits. */
function toUnits(amount: number): bigint {
  const decimal = parseDecimal(amount);
  if (decimal === null) throw new RangeError(`${amount} is not an amount of money`);
  const { mantissa, scale } = decimal;
  return scale <= moneyScale
    ? mantissa * 10n ** BigInt(moneyScale - scale)
    : divideHalfEven(mantissa, 10n ** BigInt(scale - moneyScale));
}

/** A file while it is written. */
class ParquetFile {
  readonly #columns: readonly Column[];
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;
  readonly #pathTo: ReturnType<typeof schemaPathResolver>;
  /** The values of the row group, by column. */
  #values: unknown[][];
  #rows = 0;
  #characters = 0;

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
    const schema: SchemaElement[] = [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ header, kind, isRequired }) => ({
        name: header,
        repetition_type: isRequired ? ('REQUIRED' as const) : ('OPTIONAL' as const),
        ...storedTypes[kind],
      })),
    ];
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema, createdBy: `farthing version ${version}` });
    this.#pathTo = schemaPathResolver(schema);
    this.#values = columns.map(() => []);
  }

  add(rows: readonly unknown[]): void {
    this.#rows += rows.length;
    for (const [index, column] of this.#columns.entries()) {
      const values = this.#values[index];
      const store = toStored[column.kind];
      for (const row of rows) {
        const value = valueAt(row, column);
        const stored = value === undefined ? undefined : store(value);
        if (typeof stored === 'string') this.#characters += stored.length;
        values?.push(stored);
      }
    }
  }

  get isGroupFull(): boolean {
    return this.#rows >= maxGroupRows || this.#characters >= maxGroupCharacters;
  }

  /** Writes the rows added since the last group, if there are any. */
  async *writeGroup(): AsyncGenerator<Uint8Array> {
    if (this.#rows === 0) return;
    const start = this.#bytes.offset;
    const chunks = [];
    for (const [index, column] of this.#columns.entries()) {
      chunks.push(this.#writeChunk(column, this.#values[index] ?? []));
      yield this.takeBytes();
      await nextTurn();
    }
    this.#writer.num_rows += BigInt(this.#rows);
    this.#writer.row_groups.push({
      columns: chunks,
      total_byte_size: chunks.reduce((sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n), 0n),
      num_rows: BigInt(this.#rows),
      total_compressed_size: BigInt(this.#bytes.offset - start),
    });
    this.#values = this.#columns.map(() => []);
    this.#rows = 0;
    this.#characters = 0;
  }

  #writeChunk({ header, kind }: Column, values: unknown[]) {
    const path = this.#pathTo([header]);
    const element = path.at(-1)?.element;
    if (!element) throw new Error(`The file has no column ${header}`);
    const { chunk } = writeColumn({
      writer: this.#bytes,
      column: {
        columnName: header,
        element,
        schemaPath: path.map((node) => node.element),
        codec: 'SNAPPY',
        compressors: { SNAPPY: snappyCompress },
        // The end of the file has them for every row group; those of text are large and of little use.
        stats: kind !== 'text' && kind !== 'json',
        pageSize,
        columnIndex: false,
        offsetIndex: false,
      },
      pageData: encodeNestedValues(path, values),
    });
    return chunk;
  }

  /** The end of the file: where everything in it is. */
  end(): Uint8Array {
    void this.#writer.finish();
    return this.takeBytes();
  }

  /** The bytes written since the last call. */
  takeBytes(): Uint8Array {
    const bytes = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return bytes;
  }
}
