// The stores without a service, each with a folder of its own, for tests of the code that works on them.
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Projects } from '../../src/accounts/projects.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { PriceBooks } from '../../src/pricing/books/price-books.ts';
import { AnalyticStore } from '../../src/storage/analytic/analytic-store.ts';
import { type EmbeddedEngine, startEmbeddedEngine } from '../../src/storage/analytic/embedded/engine.ts';
import { type ControlStore, openControlStore } from '../../src/storage/control/control-store.ts';
import { copyMigratedControlStore, makeDataDir, makeMigratedDataDir } from './service.ts';

const ignore = () => undefined;

/** A database of an embedded engine, with its tables. */
export interface EngineStore {
  /** A folder for the control store. */
  readonly dataDir: string;
  /** The address and credentials of the database. */
  readonly engine: Pick<EmbeddedEngine, 'url' | 'username' | 'password'>;
  readonly store: AnalyticStore;
  /** Drops the database and removes the folder. */
  close(): Promise<void>;
}

const logger = { info: ignore, warn: ignore, error: ignore };
/** The database with the tables, which those of the test files are copies of. */
const template = 'default';
/** One engine for all test files of this worker: starting one takes longer than most files. */
let engineOfWorker: Promise<EmbeddedEngine> | undefined;

/** An engine on a folder that has the tables: migrating it takes three times the processor time of its start. */
async function startMigratedEngine(dataDir: string): Promise<{ engine: EmbeddedEngine; store: AnalyticStore }> {
  const engine = await startEmbeddedEngine({ dataDir, logger });
  const { url, username, password } = engine;
  const store = new AnalyticStore({ url, credentials: { username, password } });
  // Where no global set-up has made such a folder, this makes the tables.
  await store.migrate();
  return { engine, store };
}

async function startEngineOfWorker(): Promise<EmbeddedEngine> {
  const { engine, store } = await startMigratedEngine(makeMigratedDataDir());
  await store.close();
  return engine;
}

/** Databases whose tables a test has left empty: making and dropping one takes thirty times as long as emptying it. */
const emptied: string[] = [];

async function makeDatabase(server: AnalyticStore): Promise<string> {
  const database = `test_${randomUUID().replaceAll('-', '')}`;
  await server.command(`CREATE DATABASE ${database}`);
  const tables = await server.select<{ name: string }>(
    'SELECT name FROM system.tables WHERE database = {template:String}',
    { template },
  );
  for (const { name } of tables) await server.command(`CREATE TABLE ${database}.${name} AS ${template}.${name}`);
  await server.command(`INSERT INTO ${database}.migrations SELECT * FROM ${template}.migrations`);
  return database;
}

/** Empties the tables of a database, or drops it where a test has changed them or still writes to them. */
async function giveBack(server: AnalyticStore, database: string): Promise<void> {
  await server.command(`TRUNCATE ALL TABLES FROM ${database} NOT LIKE 'migrations'`);
  const [{ isAsMade } = { isAsMade: 0 }] = await server.select<{ isAsMade: 0 | 1 }>(
    `SELECT groupArrayIf(made, database = {template:String}) = groupArrayIf(made, database = {database:String})
         AND sumIf(total_rows, database = {database:String} AND name != 'migrations') = 0 AS isAsMade
     FROM (SELECT database, name, total_rows, replaceOne(create_table_query, concat(database, '.'), '') AS made
           FROM system.tables WHERE database IN ({template:String}, {database:String}) ORDER BY name)`,
    { template, database },
  );
  if (isAsMade) emptied.push(database);
  else await server.command(`DROP DATABASE ${database}`);
}

export async function startEngineStore(): Promise<EngineStore> {
  engineOfWorker ??= startEngineOfWorker();
  const { url: serverUrl, username, password } = await engineOfWorker;
  const credentials = { username, password };
  const server = new AnalyticStore({ url: serverUrl, credentials });
  const database = emptied.pop() ?? (await makeDatabase(server));
  const url = `${serverUrl}/${database}`;
  const store = new AnalyticStore({ url, credentials });
  const dataDir = makeDataDir();
  return {
    dataDir,
    engine: { url, username, password },
    store,
    close: async () => {
      await store.close();
      await giveBack(server, database);
      await server.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

/** An engine of its own, with its tables, for a test that ends it, limits it or opens its folder again. */
export interface OwnEngineStore extends EngineStore {
  readonly engine: EmbeddedEngine;
}

export async function startOwnEngineStore(): Promise<OwnEngineStore> {
  const dataDir = makeMigratedDataDir();
  const { engine, store } = await startMigratedEngine(dataDir);
  return {
    dataDir,
    engine,
    store,
    close: async () => {
      await store.close();
      await engine.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

export interface OpenControl {
  readonly control: ControlStore;
  close(): Promise<void>;
}

/** A control store in SQLite. */
export async function openControl(): Promise<OpenControl> {
  const dataDir = makeDataDir();
  copyMigratedControlStore(dataDir);
  const control = await openControlStore({ dataDir, postgresUrl: undefined, onError: ignore });
  return {
    control,
    close: async () => {
      await control.destroy();
      await rm(dataDir, { recursive: true });
    },
  };
}

export interface Stores extends EngineStore {
  readonly control: ControlStore;
}

/** Both stores. */
export async function openStores(): Promise<Stores> {
  const [engineStore, { control, close }] = await Promise.all([startEngineStore(), openControl()]);
  return {
    ...engineStore,
    control,
    close: async () => {
      await close();
      await engineStore.close();
    },
  };
}

/** A project in UTC with its first price book. */
export async function makeProject(control: ControlStore, clock: Clock, type: 'revenue' | 'internal' = 'revenue') {
  const fields = { name: 'a test', type, timezone: 'UTC', atRiskBelowPct: null };
  return await new Projects(control, clock).create(fields, new PriceBooks(control, clock));
}
