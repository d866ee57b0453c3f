import { join } from 'node:path';
import { type ControlledTransaction, Kysely, type Transaction } from 'kysely';
import { Migrator } from 'kysely/migration';
import { migrations } from './migrations.ts';
import { postgresDialect } from './postgres.ts';
import { noteRelease, refuseNewerControlStore } from './releases.ts';
import type { ControlSchema } from './schema.ts';
import { sqliteDialect } from './sqlite.ts';

/** The control store: projects, keys, tags, prices, and how far assembly has come. */
export type ControlStore = Kysely<ControlSchema>;
/** A transaction on the control store, or the store itself. */
export type ControlQueries = ControlStore | Transaction<ControlSchema> | ControlledTransaction<ControlSchema>;

export interface ControlStoreOptions {
  /** The folder of the SQLite file, when `postgresUrl` is unset. */
  readonly dataDir: string;
  readonly postgresUrl: string | undefined;
  /** Told of a connection lost while idle. */
  readonly onError: (cause: Error) => void;
  /** Told of each statement that fails. */
  readonly onFailedStatement?: () => void;
}

/**
 * Opens the control store and brings its schema up to date, under a lock when several processes start at once.
 * @throws NewerRelease when a newer release has changed it
 */
export async function openControlStore(options: ControlStoreOptions): Promise<ControlStore> {
  const { postgresUrl } = options;
  const store = connect(options);
  try {
    const known = migrations(postgresUrl ? 'postgres' : 'sqlite');
    await refuseNewerControlStore(store, Object.keys(known));
    const provider = { getMigrations: async () => known };
    const { error, results = [] } = await new Migrator({ db: store, provider }).migrateToLatest();
    if (error) throw new Error('The control store could not be brought up to date', { cause: error });
    // At once: when this start is cut off, an older release that refuses the stores can still name this one.
    if (results.length > 0) await noteRelease(store, Date.now());
    return store;
  } catch (error) {
    await store.destroy();
    throw error;
  }
}

const connect = ({ dataDir, postgresUrl, onError, onFailedStatement }: ControlStoreOptions): ControlStore =>
  new Kysely<ControlSchema>({
    dialect: postgresUrl ? postgresDialect(postgresUrl, onError) : sqliteDialect(join(dataDir, 'control.sqlite')),
    log: ({ level }) => {
      if (level === 'error') onFailedStatement?.();
    },
  });

/**
 * Reads the control store as it is at one instant, over a connection of its own: whoever writes is not kept waiting.
 * The snapshot is taken by the first statement of `read`.
 */
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

/** Serialises the writers of one project until the end of the transaction, in either dialect. */
export async function lockProject(transaction: ControlQueries, projectId: string): Promise<void> {
  await transaction
    .updateTable('projects')
    .set((row) => ({ id: row.ref('id') }))
    .where('id', '=', projectId)
    .execute();
}

/** Serialises, until the end of the transaction, what is to be done once in a store, whichever instance is first. */
export async function lockStore(transaction: ControlQueries): Promise<void> {
  await transaction
    .updateTable('lease')
    .set((row) => ({ id: row.ref('id') }))
    .execute();
}
