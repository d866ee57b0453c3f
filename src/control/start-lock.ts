import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { ControlStore } from './control-store.ts';

/** Any number that nothing else in the database uses. */
const lockKey = 7_300_871_220_154n;
/** How long another instance may take for its start, in milliseconds. */
const patienceMs = 120_000;
const askAgainMs = 100;

/**
 * Does what only one of several instances that start at once may do, under a lock of the PostgreSQL server that goes with
 * its connection: whoever dies at it lets the next one in.
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
      // A connection that is lost has let go of it.
      await sql`select pg_advisory_unlock(${String(lockKey)}::bigint)`.execute(connection).catch(() => undefined);
    }
  });
}
