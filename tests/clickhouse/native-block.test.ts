// Rows as the store is sent them, read back from a real engine: every type, at its bounds and with whatever texts there are.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  bool,
  type Column,
  column,
  dictionary,
  float64,
  list,
  mapOf,
  money,
  nullable,
  text,
  timeMs,
  uint32,
  uint64,
  utf8Text,
} from '../../src/storage/analytic/native-block.ts';
import { usualOrLong } from '../support/effort.ts';
import { type EngineStore, startEngineStore } from '../support/stores.ts';

interface Row {
  readonly place: number;
  readonly text: string;
  readonly name: string;
  readonly id: string;
  readonly small: number;
  readonly large: number;
  readonly flag: boolean;
  readonly ratio: number;
  readonly time: number;
  readonly amount: bigint;
  readonly maybe: number | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly counts: readonly number[];
  readonly words: readonly string[];
  readonly price: bigint | null;
  readonly units: Readonly<Record<string, bigint>>;
}

const columns: readonly Column<Row>[] = [
  column('place', uint32, ({ place }) => place),
  column('text', text, (row) => row.text),
  column('bytes', utf8Text, (row) => Buffer.from(row.text)),
  column('name', text, ({ name }) => name),
  column('id', text, ({ id }) => id),
  column('small', uint32, ({ small }) => small),
  column('large', uint64, ({ large }) => large),
  column('flag', bool, ({ flag }) => flag),
  column('ratio', float64, ({ ratio }) => ratio),
  column('time', timeMs, ({ time }) => time),
  column('amount', money, ({ amount }) => amount),
  column('maybe', nullable<number>(float64, 0), ({ maybe }) => maybe),
  column('tags', dictionary, ({ tags }) => tags),
  column('counts', list(uint32), ({ counts }) => counts),
  column('words', list(text), ({ words }) => words),
  column('price', nullable<bigint>(money, 0n), ({ price }) => price),
  column('units', mapOf(money), ({ units }) => units),
];

let stores: EngineStore;

beforeAll(async () => {
  stores = await startEngineStore();
  await stores.store.command(
    `CREATE TABLE rows (
      place UInt32, text String, bytes String, name LowCardinality(String), id UUID, small UInt16, large UInt64, flag UInt8, ratio Float64,
      time DateTime64(3, 'UTC'), amount Decimal(38, 12), maybe Nullable(Float64), tags Map(LowCardinality(String), String),
      counts Array(UInt64), words Array(LowCardinality(String)), price Nullable(Decimal(38, 12)),
      units Map(LowCardinality(String), Decimal(38, 12))
    ) ENGINE = MergeTree ORDER BY place`,
  );
});

afterAll(async () => await stores.close());

/** What the engine has of these rows, in their order. */
async function storeAndRead(rows: readonly Row[]): Promise<Row[]> {
  const { store } = stores;
  await store.command('TRUNCATE TABLE rows');
  await store.insertRows('rows', columns, rows);
  const read = await store.select<
    Record<Exclude<keyof Row, 'tags' | 'maybe' | 'ratio' | 'words' | 'counts' | 'price' | 'units'>, string> &
      Pick<Row, 'tags' | 'maybe' | 'ratio' | 'words'> & {
        counts: string[];
        price: string | null;
        units: Record<string, string>;
      }
  >(
    `SELECT place, if(text = bytes, text, 'the bytes are another text') AS text, name, toString(id) AS id, small, large, toString(flag) AS flag, ratio,
      toUnixTimestamp64Milli(time) AS time, toString(reinterpretAsInt128(amount)) AS amount, maybe, tags, counts, words,
      if(price IS NULL, NULL, toString(reinterpretAsInt128(assumeNotNull(price)))) AS price,
      mapApply((name, count) -> (name, toString(reinterpretAsInt128(count))), units) AS units
      FROM rows ORDER BY place`,
  );
  return read.map((row) => ({
    place: Number(row.place),
    text: row.text,
    name: row.name,
    id: row.id,
    small: Number(row.small),
    large: Number(row.large),
    flag: row.flag === '1',
    ratio: row.ratio,
    time: Number(row.time),
    amount: BigInt(row.amount),
    maybe: row.maybe,
    tags: row.tags,
    counts: row.counts.map(Number),
    words: row.words,
    price: row.price === null ? null : BigInt(row.price),
    units: Object.fromEntries(Object.entries(row.units).map(([name, count]) => [name, BigInt(count)])),
  }));
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', minLength: 30, maxLength: 60 }),
  // Around the longest text whose length is one byte.
  fc.integer({ min: 40, max: 45 }).chain((length) => fc.constantFrom('a', 'é', '€').map((unit) => unit.repeat(length))),
  fc.integer({ min: 126, max: 130 }).map((length) => 'x'.repeat(length)),
  fc.constant('z'.repeat(100_000)),
);

const anyRow: fc.Arbitrary<Omit<Row, 'place'>> = fc.record({
  text: anyText,
  name: anyText,
  id: fc.uuid(),
  small: fc.nat({ max: 65_535 }),
  large: fc.maxSafeNat(),
  flag: fc.boolean(),
  ratio: fc.double({ noNaN: true, noDefaultInfinity: true }).map((ratio) => ratio + 0),
  time: fc.integer({ min: Date.UTC(1925), max: Date.UTC(2280) }),
  amount: fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }),
  maybe: fc.option(fc.integer()),
  tags: fc.dictionary(fc.oneof(anyText, fc.constant('__proto__')), anyText, { noNullPrototype: false }),
  counts: fc.array(fc.nat({ max: 2 ** 32 - 1 }), { maxLength: 5 }),
  words: fc.array(anyText, { maxLength: 3 }),
  price: fc.option(fc.bigInt({ min: -1_000_000n, max: 10n ** 20n })),
  units: fc.dictionary(fc.constantFrom('images', 'pages', 'web_searches'), fc.bigInt({ min: 1n, max: 10n ** 30n }), {
    noNullPrototype: false,
  }),
});

/** Rows that are alike, one after the other: their texts are encoded once. */
const anyRun = fc
  .tuple(anyRow, fc.integer({ min: 1, max: 3 }))
  .map(([row, times]) => Array(times).fill(row) as (typeof row)[]);

describe('rows sent to the store', () => {
  test('are what the store has, whatever they hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyRun, { minLength: 1, maxLength: 10 }), async (made) => {
        const rows = made.flat().map((row, place) => ({ place, ...row }));
        const read = await storeAndRead(rows);
        const comparable = (row: Row) => ({ ...row, tags: Object.entries(row.tags) });
        expect(read.map(comparable)).toEqual(rows.map(comparable));
      }),
      { numRuns: usualOrLong(3, 300) },
    );
  });

  test('are stored all or none, when one of a later block can not be encoded', async () => {
    await stores.store.command('TRUNCATE TABLE rows');
    const unreadable = column('text', text, (place: number) => {
      if (place === 8_500) throw new Error('no such row');
      return `row ${place}`;
    });
    const places = Array.from({ length: 9_000 }, (_, place) => place);
    const inserting = stores.store.insertRows(
      'rows',
      [column('place', uint32, (place: number) => place), unreadable],
      places,
    );
    await expect(inserting).rejects.toThrow('no such row');
    // The engine may still be told of it.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await stores.store.select('SELECT place FROM rows LIMIT 1')).toEqual([]);
  });

  test('go into one part, however many they are', async () => {
    const row: Omit<Row, 'place' | 'text'> = {
      ...{ name: 'n', id: '0198c0de-0000-7000-8000-000000000001', small: 1, large: 2, flag: true, ratio: 0.5, time: 3 },
      ...{ amount: 4n, maybe: null, tags: { a: 'b' } },
      ...{ counts: [1], words: ['w'], price: null, units: {} },
    };
    const rows = Array.from({ length: 9_001 }, (_, place) => ({ ...row, place, text: `row ${place}` }));
    const read = await storeAndRead(rows);
    expect(read.map(({ text: name }) => name)).toEqual(rows.map(({ text: name }) => name));
    const parts = await stores.store.select(
      "SELECT rows FROM system.parts WHERE database = currentDatabase() AND table = 'rows' AND active",
    );
    expect(parts).toEqual([{ rows: '9001' }]);
  });
});
