import { PostgresDialect } from 'kysely';
import pg from 'pg';

/** Opens a pool on a PostgreSQL server. 64-bit integers come back as numbers: milliseconds and counters fit 2^53. */
export function postgresDialect(url: string, onError: (cause: Error) => void): PostgresDialect {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 5_000,
    types: {
      getTypeParser: (oid, format) =>
        oid === pg.types.builtins.INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format),
    },
  });
  // Without a listener, a connection that the server drops while idle would end the process.
  pool.on('error', onError);
  return new PostgresDialect({ pool });
}
