import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { SqliteAdapter, SqliteDialect } from 'kysely';

/** Tells Kysely that SQLite can roll back schema changes, so that a killed migration leaves nothing behind. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class TransactionalSqliteDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }
}

/**
 * Opens SQLite so that commits survive a kill and a power cut (WAL, synchronous FULL).
 * The file has mode 0600: it holds hashes of secrets and names of customers.
 */
export function sqliteDialect(path: string): SqliteDialect {
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const database = new DatabaseSync(path);
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 5000;',
  );
  return new TransactionalSqliteDialect({
    database: {
      close: () => database.close(),
      // Kysely expects better-sqlite3's interface; node:sqlite takes parameters spread and has no `reader`.
      prepare(sql) {
        // When the disk fails, SQLite rolls back by itself. A second rollback would fail and hide the first error.
        const isOver = sql === 'rollback' && !database.isTransaction;
        const statement = database.prepare(isOver ? 'select 1' : sql);
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
          run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
          iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
        };
      },
    },
  });
}
