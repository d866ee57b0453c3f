import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EngineFixture, eventually, selectRows, shareFixture } from './engine-fixture.ts';

let fixture: EngineFixture;
beforeAll(async () => {
  fixture = await shareFixture();
});
afterAll(() => fixture.closeUnharmed());

beforeEach(async () => {
  await fixture.client.command({ query: 'DROP TABLE IF EXISTS items' });
  await fixture.client.command({
    query: `CREATE TABLE items (id UInt64, name String DEFAULT concat('item ', toString(id)), at DateTime64(3, 'UTC'))
      ENGINE = MergeTree ORDER BY id
      SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, non_replicated_deduplication_window = 100`,
  });
});

const storedItems = () => selectRows(fixture.client, 'SELECT id, name, at FROM items ORDER BY id');

const NAME = `tab\t quote' "double" back\\slash line\n comma, \u{1F600}`;
const ITEMS = [
  { id: '1', name: NAME, at: '2026-01-02 03:04:05.678' },
  { id: '18446744073709551615', name: '', at: '1970-01-01 00:00:00.000' },
];
const TAB_SEPARATED = `1\ttab\\t quote' "double" back\\\\slash line\\n comma, \u{1F600}\t2026-01-02 03:04:05.678
18446744073709551615\t\t1970-01-01 00:00:00.000\n`;
const CSV = `1,"tab\t quote' ""double"" back\\slash line\n comma, \u{1F600}",2026-01-02 03:04:05.678
18446744073709551615,"",1970-01-01 00:00:00.000\n`;

describe('an insert stores its rows and says how many', () => {
  test('JSONEachRow', async () => {
    const { summary } = await fixture.client.insert({ table: 'items', values: ITEMS, format: 'JSONEachRow' });
    expect(summary?.written_rows).toBe('2');
    expect(await storedItems()).toEqual(ITEMS);
  });

  test('JSONCompactEachRow, as a stream', async () => {
    const values = Readable.from(ITEMS.map(({ id, name, at }) => [id, name, at]));
    const { summary } = await fixture.client.insert({ table: 'items', values, format: 'JSONCompactEachRow' });
    expect(summary?.written_rows).toBe('2');
    expect(await storedItems()).toEqual(ITEMS);
  });

  test.each([
    ['TabSeparated', TAB_SEPARATED],
    ['CSV', CSV],
  ] as const)('%s', async (format, text) => {
    const values = Readable.from([Buffer.from(text)], { objectMode: false });
    const { summary } = await fixture.client.insert({ table: 'items', values, format });
    expect(summary?.written_rows).toBe('2');
    expect(await storedItems()).toEqual(ITEMS);
  });

  test.each(['RowBinary', 'Native', 'Parquet'])('%s', async (format) => {
    await fixture.client.insert({ table: 'items', values: ITEMS, format: 'JSONEachRow' });
    const binary = await fixture.client.exec({ query: `SELECT * FROM items ORDER BY id FORMAT ${format}` });
    const values = Readable.from([Buffer.concat(await binary.stream.toArray())], { objectMode: false });
    await fixture.client.command({ query: 'TRUNCATE TABLE items' });

    const inserted = await fixture.client.exec({ query: `INSERT INTO items FORMAT ${format}`, values });
    inserted.stream.resume();
    expect(inserted.summary?.written_rows).toBe('2');
    expect(await storedItems()).toEqual(ITEMS);
  });

  test('in a compressed body', async () => {
    const client = fixture.connect({ compression: { request: true } });
    const values = Array.from({ length: 20_000 }, (_, id) => ({ id, name: 'x'.repeat(100) }));
    const { summary } = await client.insert({ table: 'items', values, format: 'JSONEachRow' });
    expect(summary?.written_rows).toBe('20000');
    expect(await selectRows(client, 'SELECT count() AS count FROM items')).toEqual([{ count: '20000' }]);
  });

  test('with the values in the statement', async () => {
    await fixture.client.command({
      query: 'INSERT INTO items (id, name) VALUES ({id:UInt64}, {name:String})',
      query_params: { id: 5, name: NAME },
    });
    await fixture.client.command({ query: 'INSERT INTO items FORMAT TabSeparated 6\t \t2026-01-02 03:04:05.678' });
    expect(await storedItems()).toMatchObject([
      { id: '5', name: NAME },
      { id: '6', name: ' ' },
    ]);
  });

  test('from a SELECT', async () => {
    await fixture.client.command({ query: "INSERT INTO items SELECT number, 'x', 0 FROM numbers(10)" });
    expect(await storedItems()).toHaveLength(10);
  });
});

test('columns that are left out get their defaults', async () => {
  await fixture.client.insert({ table: 'items', values: [{ id: 7 }], format: 'JSONEachRow' });
  await fixture.client.insert({ table: 'items', values: [[8]], columns: ['id'], format: 'JSONCompactEachRow' });
  expect(await storedItems()).toMatchObject([{ name: 'item 7' }, { name: 'item 8' }]);
});

test('times are read in any usual form', async () => {
  await fixture.client.insert({
    table: 'items',
    values: [{ id: 1, at: '2026-01-02T03:04:05.678+01:00' }],
    format: 'JSONEachRow',
  });
  expect(await storedItems()).toMatchObject([{ at: '2026-01-02 02:04:05.678' }]);
});

test('an insert with a faulty row stores nothing and says which row', async () => {
  const values = [{ id: 1 }, { id: 'one' }];
  const inserting = fixture.client.insert({ table: 'items', values, format: 'JSONEachRow' });
  await expect(inserting).rejects.toMatchObject({ code: '27', message: expect.stringContaining('at row 2') });
  expect(await storedItems()).toEqual([]);
});

test('an insert whose dedup token was seen before is stored once', async () => {
  const insert = (token: string) =>
    fixture.client.insert({
      table: 'items',
      values: [{ id: 1 }],
      format: 'JSONEachRow',
      clickhouse_settings: { insert_deduplication_token: token },
    });
  await insert('first');
  await insert('first');
  expect(await storedItems()).toHaveLength(1);
  await insert('second');
  expect(await storedItems()).toHaveLength(2);
});

const RUNNING_INSERTS = "SELECT count() AS running FROM system.processes WHERE query LIKE 'INSERT%'";

test('an insert whose body breaks off stores nothing', async () => {
  const { engine } = fixture;
  const path = `/?query=${encodeURIComponent('INSERT INTO items FORMAT JSONEachRow')}`;
  const auth = `${engine.username}:${engine.password}`;
  const outgoing = request(new URL(path, engine.url), { method: 'POST', auth });
  const broken = new Promise((resolve) => outgoing.once('error', resolve));
  outgoing.write('{"id":1}\n{"id":2}\n');
  setTimeout(() => outgoing.destroy(new Error('gone')), 100);
  await broken;
  await eventually(async () => expect(await selectRows(fixture.client, RUNNING_INSERTS)).toEqual([{ running: '0' }]));
  expect(await storedItems()).toEqual([]);
});

test('the table is written where the data folder is', async () => {
  await fixture.client.insert({ table: 'items', values: ITEMS, format: 'JSONEachRow' });
  expect(await readdir(fixture.dataDir)).toEqual(['clickhouse']);
});
