// The migrator of the analytic store, over a release that brings one more migration.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { AnalyticStore, UnknownMigrations } from '../../src/storage/analytic/analytic-store.ts';
import { textColumns } from '../../src/storage/analytic/native-block.ts';
import { projectTables } from '../../src/storage/analytic/project-tables.ts';
import { storeMigrations } from '../../src/storage/analytic/schema.ts';
import { laterMigrations } from '../support/later-migration.ts';
import { type EngineStore, startEngineStore } from '../support/stores.ts';

const database = `migrated_${randomUUID().replaceAll('-', '')}`;
let engine: EngineStore;
/** An empty database at first. The tests change it one after another. */
let store: AnalyticStore;

beforeAll(async () => {
  engine = await startEngineStore();
  await engine.store.command(`CREATE DATABASE ${database}`);
  const { url, username, password } = engine.engine;
  store = new AnalyticStore({ url: new URL(database, url).href, credentials: { username, password } });
});

afterEach(() => {
  vi.restoreAllMocks();
});

afterAll(async () => {
  await store?.close();
  await engine?.store.command(`DROP DATABASE IF EXISTS ${database}`);
  await engine?.close();
});

/** Has a start end before its statement with this number, counted from 0. The first makes the table of records. */
function killBefore(number: number): void {
  const command = store.command.bind(store);
  let ran = 0;
  vi.spyOn(store, 'command').mockImplementation(async (...of) => {
    if (ran === number) throw new Error('killed here');
    ran += 1;
    await command(...of);
  });
}

async function expectKilled(number: number, migrations = storeMigrations) {
  killBefore(number);
  await expect(store.migrate(migrations)).rejects.toThrow('killed here');
  vi.restoreAllMocks();
}

const readSchema = () =>
  store.select<{ name: string; sql: string }>(
    'SELECT name, create_table_query AS sql FROM system.tables WHERE database = currentDatabase() ORDER BY name',
  );
const listTables = async () => (await readSchema()).map(({ name }) => name);
const listDone = async () =>
  (await store.select<{ id: string }>('SELECT id FROM migrations ORDER BY applied_at')).map(({ id }) => id);
const readCalls = () => store.select<object>('SELECT project, unpriced_reason, cost FROM calls');

test('the tables are made by a first start, or by the next when it is killed', async () => {
  await expectKilled(8);
  expect(await listDone()).toEqual([]);
  await store.migrate();
  expect(await listTables()).toEqual([...projectTables, 'migrations'].toSorted());
  expect(await listDone()).toEqual(storeMigrations.map(({ id }) => id));
  // A start with nothing to do.
  killBefore(1);
  await store.migrate();
});

test('D12.1: a later migration changes tables with rows, however often its starts are killed', async () => {
  await store.insertRows('calls', textColumns(['project', 'day', 'event_id', 'unpriced_reason', 'cost']), [
    ['a', '2026-01-15', randomUUID(), 'unknown_model', '0.5'],
  ]);
  const calls = await readCalls();
  const { statements = [] } = laterMigrations.at(-1) ?? {};
  // Each repeats the statements of the one before it.
  for (const [number] of statements.entries()) await expectKilled(number + 1, laterMigrations);
  vi.spyOn(store, 'noteMigration').mockRejectedValueOnce(new Error('killed here'));
  await expect(store.migrate(laterMigrations)).rejects.toThrow('killed here');
  expect(await listDone()).toEqual(storeMigrations.map(({ id }) => id));
  await store.migrate(laterMigrations);
  expect(await listDone()).toEqual(laterMigrations.map(({ id }) => id));
  expect(await readCalls()).toEqual(calls);
  expect(await store.select('SELECT made_up FROM calls')).toEqual([{ made_up: '7' }]);
  expect(await listTables()).toContain('made_up');
  expect(await listTables()).not.toContain('late_events');
});

test('a store whose records are lost has the same tables and rows after the next start', async () => {
  const [schema, calls] = await Promise.all([readSchema(), readCalls()]);
  await store.command('TRUNCATE TABLE migrations');
  await store.migrate(laterMigrations);
  expect(await listDone()).toEqual(laterMigrations.map(({ id }) => id));
  expect(await readSchema()).toEqual(schema);
  expect(await readCalls()).toEqual(calls);
});

test('D13.1: an older release refuses the store, and changes nothing', async () => {
  const schema = await readSchema();
  await expect(store.migrate()).rejects.toThrow(new UnknownMigrations(['9999_made_up']));
  expect(await readSchema()).toEqual(schema);
});

test('every migration can be repeated: none makes a table anew that was dropped', () => {
  expect(storeMigrations.map(({ id }) => id)).toEqual(storeMigrations.map(({ id }) => id).toSorted());
  const statements = storeMigrations.flatMap((migration) => migration.statements);
  for (const statement of statements) {
    expect(statement).toMatch(
      /^(CREATE TABLE IF NOT EXISTS \w+ |DROP TABLE IF EXISTS \w+$|ALTER TABLE \w+ (MODIFY |(ADD|DROP) (COLUMN|INDEX) IF ))/,
    );
  }
  const ordered = statements.map((statement) => /^(CREATE|DROP) TABLE IF (?:NOT )?EXISTS (\w+)/.exec(statement) ?? []);
  for (const [index, [, verb, name]] of ordered.entries()) {
    if (verb === 'DROP')
      expect(ordered.slice(index).filter((one) => one[1] === 'CREATE' && one[2] === name)).toEqual([]);
  }
});
