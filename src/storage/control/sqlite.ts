import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Dialect, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { FolderFault } from '../../lib/make-folder.ts';
import { SqliteDriver } from './sqlite-driver.ts';

/** How many reads of many rows may go on at once, in slices. */
const slicers = 4;

class Adapter extends SqliteAdapter {
  /** Tells Kysely that SQLite can roll back schema changes, so that a killed migration leaves nothing behind. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** The driver itself lets one write at a time. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/**
 * Commits survive a power cut (WAL, synchronous FULL). Mode 0600: it holds hashes of secrets and customers' names.
 * @throws FolderFault when the path is a folder
 */
export function sqliteDialect(path: string): Dialect {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new FolderFault(`${path} is a folder, where the control store has its file; name another data folder.`);
  }
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const open = () => {
    const database = new DatabaseSync(path);
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 5000;',
    );
    return database;
  };
  return {
    createAdapter: () => new Adapter(),
    createDriver: () =>
      new SqliteDriver({ writer: open(), reader: open(), slicers: Array.from({ length: slicers }, open) }),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}
