import { PostgresDialect } from 'kysely';
import pg from 'pg';

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
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new PostgresDialect({ pool });
}

/** Codes of a server that is stopping or starting, dropped the connection, or has none left. */
const lostCodes = /^(08|57P|53300$|ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|ENOTFOUND$|EAI_AGAIN$)/;
/** pg's own errors have no code. */
const lostMessages = /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered)/;

/** Whether a statement failed because of the connection to PostgreSQL, not because of the statement. */
export function isConnectionLost(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if (cause instanceof AggregateError) return cause.errors.some(isConnectionLost);
  const { code } = cause as NodeJS.ErrnoException;
  return code === undefined ? lostMessages.test(cause.message) : lostCodes.test(code);
}
