import { sql } from 'kysely';
import { type Clock, systemClock } from '../../lib/clock.ts';
import type { ControlStore } from './control-store.ts';

/** How often the clocks are compared, in milliseconds. */
const everyMs = 30_000;
/** The offset changes only when it is wrong by more than this and by more than the query took, in milliseconds. */
const toleranceMs = 20;

export interface SharedClock {
  readonly clock: Clock;
  /** How far this machine's clock is behind the shared one, in milliseconds. */
  readonly offsetMs: () => number;
  close(): void;
}

/** The clock of a single process: the machine's own. */
export const machineClock: SharedClock = { clock: systemClock, offsetMs: () => 0, close: () => undefined };

/**
 * The clock of all instances: the PostgreSQL server's. Receipt times, price books and the lease are compared across
 * machines, so they must not depend on each machine's own clock.
 */
export async function openSharedClock(control: ControlStore, onError: (cause: Error) => void): Promise<SharedClock> {
  let offsetMs = 0;
  const compare = async () => {
    const askedAt = systemClock();
    const { rows } = await sql<{ now: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::double precision as now
    `.execute(control);
    const tookMs = systemClock() - askedAt;
    const measuredMs = (rows[0]?.now ?? askedAt) - (askedAt + tookMs / 2);
    if (Math.abs(measuredMs - offsetMs) > Math.max(toleranceMs, tookMs)) offsetMs = Math.round(measuredMs);
  };
  await compare();
  const timer = setInterval(() => void compare().catch(onError), everyMs);
  timer.unref();
  return { clock: () => systemClock() + offsetMs, offsetMs: () => offsetMs, close: () => clearInterval(timer) };
}
