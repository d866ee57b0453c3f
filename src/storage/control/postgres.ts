import { PostgresDialect } from 'kysely';
import pg from 'pg';
import { postgresRecords } from './audit/capture.ts';

/** How long a transaction may be idle before PostgreSQL ends it, in milliseconds. */
const idleInTransactionMs = 3_000;

/** Opens a pool on a PostgreSQL server. 64-bit integers come back as numbers: milliseconds and counters fit 2^53. */
export function postgresDialect(url: string, onError: (cause: Error) => void): PostgresDialect {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    keepAlive: true,
    // A process that hangs in a transaction must not hold its locks, such as the lease's, against all others.
    idle_in_transaction_session_timeout: idleInTransactionMs,
    connectionTimeoutMillis: 5_000,
    types: {
      getTypeParser: (oid, format) =>
        oid === pg.types.builtins.INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format),
    },
  });
  // Without a listener, an idle connection that the server drops would crash the process.
  pool.on('error', onError);
  // So would a connection dropped between two statements of a transaction. The next statement reports the error.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    // Before its first statement. Where the connection is lost meanwhile, that one fails too and gives it back to the pool.
    client.query(postgresRecords).catch(() => undefined);
  });
  return new PostgresDialect({ pool });
}
