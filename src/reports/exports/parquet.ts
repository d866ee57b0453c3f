import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { writeColumn } from 'hyparquet-writer/src/column.js';
import { encodeNestedValues } from 'hyparquet-writer/src/dremel.js';
import { schemaPathResolver } from 'hyparquet-writer/src/schema.js';
import { snappyCompress } from 'hyparquet-writer/src/snappy.js';
import { toDayNumber } from '../../lib/days.ts';
import { fairTurn } from '../../lib/fair-turn.ts';
import { parseDecimal, toScaled } from '../../lib/money.ts';
import { toJsonLine } from '../../lib/stored-json.ts';
import { version } from '../../lib/version.ts';
import { type ColumnKind, type FileColumn, valueAt } from './columns.ts';

/** The fractional digits of money. */
const moneyScale = 18;

/**
 * A row group ends with the slice that reaches so many rows, or so many characters of text. The end of the file
 * describes every column of every group and stays in memory until it is written, so groups must not be small.
 */
const maxGroupRows = 20_000;
const maxGroupCharacters = 8 * 1_048_576;

/** How many different texts of a column are shared in a row group: each is held once, for all rows that have it. */
const maxSharedTexts = 4_096;

/** The largest page of a column, in bytes. */
const pageSize = 1_048_576;

/** Money as DECIMAL(38, 18), days as DATE, times as TIMESTAMP in UTC. Memory holds one row group. */
export async function* toParquet(
  slices: AsyncIterable<readonly unknown[]>,
  { columns }: { readonly columns: readonly FileColumn[] },
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
type StoredType = Omit<SchemaElement, 'name' | 'repetition_type' | 'num_children'>;

/** How each kind of column is stored. */
const storedTypes: Readonly<Record<ColumnKind, StoredType>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  flag: { type: 'BOOLEAN' },
  count: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  decimal: { type: 'DOUBLE' },
  money: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    precision: 38,
    scale: moneyScale,
  },
  day: { type: 'INT32', converted_type: 'DATE' },
  // Polars and DuckDB take the older type alone for a time without a zone.
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
};

/** The kinds whose values are held as texts until their row group is written. */
type TextKind = 'text' | 'json';

const toText: Readonly<Record<TextKind, (value: unknown) => string>> = { text: String, json: toJsonLine };

/** Converts a row's value to the number that its column holds, and this number to the type in the file. */
interface NumberForm {
  readonly toNumber: (value: unknown) => number;
  readonly toStored: (number: number) => unknown;
}

const numberForms: Readonly<Record<Exclude<ColumnKind, TextKind>, NumberForm>> = {
  flag: { toNumber: Number, toStored: (number) => number === 1 },
  count: { toNumber: Number, toStored: BigInt },
  number: { toNumber: Number, toStored: (number) => number },
  decimal: { toNumber: Number, toStored: (number) => number },
  money: { toNumber: Number, toStored: toUnits },
  day: { toNumber: (value) => toDayNumber(String(value)), toStored: (number) => number },
  time: { toNumber: (value) => Date.parse(String(value)), toStored: BigInt },
};

/** An amount in units of 1e-18, read from its shortest decimal text; further digits are rounded half-even. */
function toUnits(amount: number): bigint {
  const decimal = parseDecimal(amount);
  if (decimal === null) throw new RangeError(`${amount} is not an amount of money`);
  return toScaled(decimal, moneyScale);
}

/** The values of a column in the row group that is being gathered. */
interface HeldColumn {
  readonly column: FileColumn;
  /** @returns how many characters this adds to memory */
  add(value: unknown): number;
  /** Returns the values in the file's types, undefined for rows without one, and empties the column. */
  take(): unknown[];
}

/** A column of texts. Most columns have few different ones, so each text is held once. */
class TextColumn implements HeldColumn {
  readonly column: FileColumn;
  readonly #toText: (value: unknown) => string;
  readonly #shared = new Map<string, string>();
  #values: (string | undefined)[] = [];

  constructor(column: FileColumn, kind: TextKind) {
    this.column = column;
    this.#toText = toText[kind];
  }

  add(value: unknown): number {
    if (value === undefined) {
      this.#values.push(undefined);
      return 0;
    }
    const text = this.#toText(value);
    const shared = this.#shared.get(text);
    this.#values.push(shared ?? text);
    if (shared !== undefined) return 0;
    if (this.#shared.size < maxSharedTexts) this.#shared.set(text, text);
    return text.length;
  }

  take(): unknown[] {
    const values = this.#values;
    this.#values = [];
    this.#shared.clear();
    return values;
  }
}

/** A column of values that are held as numbers. All row groups reuse its memory, so none of it becomes garbage. */
class NumberColumn implements HeldColumn {
  readonly column: FileColumn;
  readonly #form: NumberForm;
  /** NaN stands for a missing value, because no row has it. */
  #values = new Float64Array(1_024);
  #length = 0;

  constructor(column: FileColumn, form: NumberForm) {
    this.column = column;
    this.#form = form;
  }

  add(value: unknown): number {
    if (this.#length === this.#values.length) {
      const larger = new Float64Array(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value === undefined ? Number.NaN : this.#form.toNumber(value);
    this.#length += 1;
    return 0;
  }

  take(): unknown[] {
    const { toStored } = this.#form;
    const values = Array.from(this.#values.subarray(0, this.#length), (number) =>
      Number.isNaN(number) ? undefined : toStored(number),
    );
    this.#length = 0;
    return values;
  }
}

function holdColumn(column: FileColumn): HeldColumn {
  const { kind } = column;
  return kind === 'text' || kind === 'json'
    ? new TextColumn(column, kind)
    : new NumberColumn(column, numberForms[kind]);
}

/** A Parquet file that is being written. */
class ParquetFile {
  readonly #columns: readonly HeldColumn[];
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;
  readonly #pathTo: ReturnType<typeof schemaPathResolver>;
  #rows = 0;
  #characters = 0;

  constructor(columns: readonly FileColumn[]) {
    this.#columns = columns.map(holdColumn);
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
  }

  add(rows: readonly unknown[]): void {
    this.#rows += rows.length;
    for (const held of this.#columns) {
      for (const row of rows) this.#characters += held.add(valueAt(row, held.column));
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
    for (const held of this.#columns) {
      chunks.push(this.#writeChunk(held.column, held.take()));
      yield this.takeBytes();
      await fairTurn();
    }
    this.#writer.num_rows += BigInt(this.#rows);
    this.#writer.row_groups.push({
      columns: chunks,
      total_byte_size: chunks.reduce((sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n), 0n),
      num_rows: BigInt(this.#rows),
      total_compressed_size: BigInt(this.#bytes.offset - start),
    });
    this.#rows = 0;
    this.#characters = 0;
  }

  #writeChunk({ header, kind }: FileColumn, values: unknown[]) {
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
        // The end of the file has statistics for every row group. Those of texts are large and of little use.
        stats: kind !== 'text' && kind !== 'json',
        pageSize,
        columnIndex: false,
        offsetIndex: false,
      },
      pageData: encodeNestedValues(path, values),
    });
    return chunk;
  }

  /** The end of the file, which describes where its parts are. */
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
