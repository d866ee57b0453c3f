import { sql } from 'kysely';
import { addDays, type Day } from '../../lib/days.ts';
import type { ControlSources } from '../../storage/control/control-store.ts';

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

export interface WaitingSources extends ControlSources {
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
  const counts = await control
    .selectNoFrom([
      sql<number>`(select count(*) from rebuilds where state in ('queued', 'running'))`.as('rebuilds'),
      sql<number>`(select count(*) from erasures where finished_at is null)`.as('erasures'),
      sql<number>`(select count(*) from projects where deleted_at is not null and purged_at is null)`.as('purges'),
      sql<number>`(select count(*) from backups where expires_at > ${now})`.as('backups'),
    ])
    .executeTakeFirstOrThrow();
  return {
    unsealedDays: Number(unsealed?.days ?? 0),
    sealingLagMs: unsealed?.first == null ? 0 : quietSince - Number(unsealed.first),
    ...counts,
  };
}

/** How long one answer is reused, in milliseconds, so that all figures of a scrape come from the same one. */
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
