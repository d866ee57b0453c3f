// A connection to PostgreSQL may be lost at any moment: what was under way fails, the process goes on.
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import '../support/provided.ts';
import { isConnectionLost } from '../../src/lib/connection-lost.ts';
import { openControlStore } from '../../src/storage/control/control-store.ts';
import { createDatabase } from '../support/postgres.ts';

test('D3.7: a connection that is lost between two statements of a transaction fails the transaction alone', async () => {
  const postgresUrl = await createDatabase(inject('postgresUrl'));
  const control = await openControlStore({ dataDir: '', postgresUrl, onError: () => undefined });
  try {
    const failed = await control
      .transaction()
      .execute(async (transaction) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
        await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(control);
        await pause(200);
        await sql`select 1`.execute(transaction);
      })
      .catch((cause: unknown) => cause);
    expect(isConnectionLost(failed)).toBe(true);
    expect((await sql`select 1 as one`.execute(control)).rows).toEqual([{ one: 1 }]);
  } finally {
    await control.destroy();
  }
});
