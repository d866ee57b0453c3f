import { join } from 'node:path';
import { type ControlledTransaction, Kysely, type Selectable, type Transaction } from 'kysely';
import { Migrator } from 'kysely/migration';
import { chunksOf } from '../../lib/chunks.ts';
import type { Clock } from '../../lib/clock.ts';
import { beginCapture, postgresCapture, sqliteCapture } from './audit/capture.ts';
import { recording } from './audit/recording-driver.ts';
import { type ControlMigrations, controlMigrations } from './migrations.ts';
import { newValues } from './new-values.ts';
import { postgresDialect } from './postgres.ts';
import { noteRelease, refuseNewerControlStore } from './releases.ts';
import type { ControlSchema } from './schema/schema.ts';
import { sqliteDialect } from './sqlite.ts';

/** The control store: projects, keys, tags, prices, and the watermarks of assembly. */
export type ControlStore = Kysely<ControlSchema>;
/** A transaction on the control store, or the store itself. */
export type ControlQueries = ControlStore | Transaction<ControlSchema> | ControlledTransaction<ControlSchema>;

/** What reads and writes rows that note when they were written. */
export interface ControlSources {
  readonly control: ControlStore;
  readonly clock: Clock;
}

export interface ControlStoreOptions {
  /** The folder of the SQLite file, when `postgresUrl` is unset. */
  readonly dataDir: string;
  readonly postgresUrl: string | undefined;
  /** Called when an idle connection is lost. */
  readonly onError: (cause: Error) => void;
  readonly onFailedStatement?: () => void;
}

/**
 * Opens the control store and brings its schema up to date, under a lock when several processes start at once.
 * @throws NewerRelease when a newer release has changed it
 */
export async function openControlStore(
  options: ControlStoreOptions,
  migrations: ControlMigrations = controlMigrations(options.postgresUrl ? 'postgres' : 'sqlite'),
): Promise<ControlStore> {
  const store = connect(options);
  try {
    await refuseNewerControlStore(store, Object.keys(migrations));
    const provider = { getMigrations: async () => migrations };
    const { error, results = [] } = await new Migrator({ db: store, provider }).migrateToLatest();
    if (error) throw new Error('The control store could not be brought up to date', { cause: error });
    // Noted at once: if this start is cut off, an older release can still name this one when it refuses the stores.
    if (results.length > 0) await noteRelease(store, Date.now());
    await beginCapture(store, options.postgresUrl ? 'postgres' : 'sqlite');
    return store;
  } catch (error) {
    await store.destroy();
    throw error;
  }
}

const connect = ({ dataDir, postgresUrl, onError, onFailedStatement }: ControlStoreOptions): ControlStore =>
  new Kysely<ControlSchema>({
    dialect: postgresUrl
      ? recording(postgresDialect(postgresUrl, onError), postgresCapture)
      : recording(sqliteDialect(join(dataDir, 'control.sqlite')), sqliteCapture),
    log: ({ level }) => {
      if (level === 'error') onFailedStatement?.();
    },
  });

/** Over its own connection, without blocking writers. The first statement of `read` takes the snapshot. */
export async function readSnapshot<T>(
  options: ControlStoreOptions,
  read: (snapshot: ControlQueries) => Promise<T>,
): Promise<T> {
  const store = connect(options);
  try {
    return await store.transaction().setIsolationLevel('repeatable read').execute(read);
  } finally {
    await store.destroy();
  }
}

/** Locks a project's row until the end of the transaction, so that its writers run one after another. */
export async function lockProject(transaction: ControlQueries, projectId: string): Promise<void> {
  await transaction
    .updateTable('projects')
    .set((row) => ({ id: row.ref('id') }))
    .where('id', '=', projectId)
    .execute();
}

/** Runs changes of a project in a transaction, one after another with its other writers. */
export const withProjectLock = <T>(
  control: ControlStore,
  projectId: string,
  change: (transaction: ControlQueries) => Promise<T>,
): Promise<T> =>
  control.transaction().execute(async (transaction) => {
    await lockProject(transaction, projectId);
    return await change(transaction);
  });

type Row<Table extends keyof ControlSchema> = Selectable<ControlSchema[Table]>;
/** The values of some columns of a table's rows; null for none. */
type Values<Table extends keyof ControlSchema> = Readonly<Partial<Row<Table>>>;
/** The values that choose rows, at least one, because none would choose every row. */
type Chosen<Table extends keyof ControlSchema> = {
  [Column in keyof Row<Table>]: Values<Table> & Readonly<Pick<Row<Table>, Column>>;
}[keyof Row<Table>];

/** Any table, where Kysely cannot tell the columns of one that is not known yet. */
const ofAny = (queries: ControlQueries) => queries as unknown as Kysely<Record<string, Record<string, unknown>>>;

/** The row with these values; undefined when there is none. */
export const findRow = async <Table extends keyof ControlSchema>(
  queries: ControlQueries,
  table: Table,
  values: Chosen<Table>,
): Promise<Row<Table> | undefined> =>
  (await ofAny(queries)
    .selectFrom(table as string)
    .selectAll()
    .where((row) => row.and(values))
    .executeTakeFirst()) as Row<Table> | undefined;

/** The row with these values, which there is. */
export async function requireRow<Table extends keyof ControlSchema>(
  queries: ControlQueries,
  table: Table,
  values: Chosen<Table>,
): Promise<Row<Table>> {
  const row = await findRow(queries, table, values);
  if (!row) throw new Error(`There is no such row of ${table}`);
  return row;
}

/** Rows that one statement stores: SQLite takes at most 32,766 values. */
const chunkRows = 1_000;

/** Stores rows, which all have the same columns. Of a row whose key is known, all but the time of its making changes. */
export async function putRows<Table extends keyof ControlSchema>(
  queries: ControlQueries,
  table: Table,
  key: readonly (keyof Row<Table> & string)[],
  rows: readonly Partial<Row<Table>>[],
): Promise<void> {
  const isOfKey = (name: string) => (key as readonly string[]).includes(name);
  const changed = Object.keys(rows[0] ?? {}).filter((name) => name !== 'created_at' && !isOfKey(name));
  for (const chunk of chunksOf(rows, chunkRows)) {
    await ofAny(queries)
      .insertInto(table as string)
      .values(chunk)
      .onConflict((conflict) => conflict.columns(key as readonly string[]).doUpdateSet(newValues(...changed)))
      .execute();
  }
}

/** Changes the rows with these values; false when there is none. */
export async function changeRows<Table extends keyof ControlSchema>(
  queries: ControlQueries,
  table: Table,
  values: Chosen<Table>,
  change: Values<Table>,
): Promise<boolean> {
  const { numUpdatedRows } = await ofAny(queries)
    .updateTable(table as string)
    .set(change)
    .where((row) => row.and(values))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes the rows with these values; false when there is none. */
export async function deleteRows<Table extends keyof ControlSchema>(
  queries: ControlQueries,
  table: Table,
  values: Chosen<Table>,
): Promise<boolean> {
  const { numDeletedRows } = await ofAny(queries)
    .deleteFrom(table as string)
    .where((row) => row.and(values))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Locks the whole store until the end of the transaction, for work that only one instance may do. */
export async function lockStore(transaction: ControlQueries): Promise<void> {
  await transaction
    .updateTable('lease')
    .set((row) => ({ id: row.ref('id') }))
    .execute();
}
