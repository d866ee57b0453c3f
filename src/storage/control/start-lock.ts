import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { ControlStore } from './control-store.ts';

/** Any number that nothing else in the database uses. */
const lockKey = 7_300_871_220_154n;
/** How long to wait for another instance's start, in milliseconds. */
const patienceMs = 120_000;
const askAgainMs = 100;

/**
 * Runs work of a start that only one instance may do at a time, under an advisory lock of PostgreSQL. The lock ends
 * with its connection, so an instance that dies lets the next one in.
 * @throws Error when another instance holds the lock for two minutes
 */
export async function whileOthersWait<T>(control: ControlStore, action: () => Promise<T>): Promise<T> {
  return await control.connection().execute(async (connection) => {
    const until = performance.now() + patienceMs;
    for (;;) {
      const { rows } = await sql<{ taken: boolean }>`
        select pg_try_advisory_lock(${String(lockKey)}::bigint) as taken
      `.execute(connection);
      if (rows[0]?.taken) break;
      if (performance.now() > until) throw new Error('Another instance has been starting for two minutes');
      await sleep(askAgainMs);
    }
    try {
      return await action();
    } finally {
      // A lost connection has already released the lock.
      await sql`select pg_advisory_unlock(${String(lockKey)}::bigint)`.execute(connection).catch(() => undefined);
    }
  });
}
