import type { Clock } from '../../lib/clock.ts';
import { addDays, type Day } from '../../lib/days.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';

/** The work that waits for the holder of the lease, and for how long. */
export interface Waiting {
  /** Days that are over, were quiet for long enough, and are not sealed. */
  readonly unsealedDays: number;
  /** For how long the first of them could have been sealed, in milliseconds; 0 when there is none. */
  readonly sealingLagMs: number;
  readonly rebuilds: number;
  readonly erasures: number;
  /** Deleted projects that still have data. */
  readonly purges: number;
  /** Backups that are being read: deletions wait for them. */
  readonly backups: number;
}

export interface WaitingSources {
  readonly control: ControlStore;
  readonly clock: Clock;
  /** How long a day must be quiet before it is sealed, in milliseconds. */
  readonly sealAfterMs: number;
}

export async function readWaiting({ control, clock, sealAfterMs }: WaitingSources): Promise<Waiting> {
  const now = clock();
  // A day that is two days back in UTC is over in every timezone.
  const over: Day = addDays(new Date(now).toISOString().slice(0, 10), -2);
  const quietSince = now - sealAfterMs;
  const unsealed = await control
    .selectFrom('days')
    .innerJoin('projects', 'projects.id', 'days.project_id')
    .select((row) => [row.fn.countAll().as('days'), row.fn.min('touched_at').as('first')])
    .whereRef('sealed', '!=', 'touched')
    .where('touched_at', '<=', quietSince)
    .where('day', '<=', over)
    .where('projects.deleted_at', 'is', null)
    .executeTakeFirst();
  const rebuilds = await control
    .selectFrom('rebuilds')
    .select((row) => row.fn.countAll().as('count'))
    .where('state', 'in', ['queued', 'running'])
    .executeTakeFirst();
  const erasures = await control
    .selectFrom('erasures')
    .select((row) => row.fn.countAll().as('count'))
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  const purges = await control
    .selectFrom('projects')
    .select((row) => row.fn.countAll().as('count'))
    .where('deleted_at', 'is not', null)
    .where('purged_at', 'is', null)
    .executeTakeFirst();
  const backups = await control
    .selectFrom('backups')
    .select((row) => row.fn.countAll().as('count'))
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return {
    unsealedDays: Number(unsealed?.days ?? 0),
    sealingLagMs: unsealed?.first == null ? 0 : quietSince - Number(unsealed.first),
    rebuilds: Number(rebuilds?.count ?? 0),
    erasures: Number(erasures?.count ?? 0),
    purges: Number(purges?.count ?? 0),
    backups: Number(backups?.count ?? 0),
  };
}

/** How long one reading is reused, in milliseconds, so that all figures of a scrape come from the same one. */
const sharedMs = 1_000;

/** Reads the waiting work at most once a second; undefined while the control store does not answer. */
export function shareWaiting(sources: WaitingSources): () => Promise<Waiting | undefined> {
  let readAt = Number.NEGATIVE_INFINITY;
  let last: Promise<Waiting | undefined> = Promise.resolve(undefined);
  return () => {
    const now = performance.now();
    if (now - readAt >= sharedMs) {
      readAt = now;
      last = readWaiting(sources).catch(() => undefined);
    }
    return last;
  };
}
