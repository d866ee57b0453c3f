import type { SettingsOf } from '../../rule/kind.ts';
import type { runaway } from './kind.ts';

export const spenders = ['run', 'user', 'customer'] as const;
export type Spender = (typeof spenders)[number];

/** The most that a run, user or customer has spent in one window of a day, in USD. */
export interface Peak {
  readonly what: Spender;
  readonly name: string;
  /** Of a run: runs of the same feature are peers. */
  readonly feature: string;
  readonly spent: number;
}

/** The peaks of a day, largest first. Small ones may be left out. */
export type DayPeaks = readonly Peak[];

type Named = Omit<Peak, 'spent'>;

/** On how many of the days a user or customer must have spent, for its own days to tell what is usual. */
const leastOwnDays = 3;
/** With this many days, as many wild ones less one do not count: the third highest day is usual. */
const robustDays = 3;

/**
 * What is usual for a run, user or customer in one window, in USD; undefined without any day to compare with. The third
 * highest of the days' peaks is usual: two days with a runaway, or a batch each week, change nothing.
 * - A run is compared with the runs of its feature: of each day counts the most expensive other one.
 * - A user or customer is compared with itself, and with the most expensive other one until it has spent on three days.
 *   Until then what the third other one spends now is usual, too: many that begin at once are no runaways.
 */
export function calcUsual(
  named: Named,
  days: readonly DayPeaks[],
  now: readonly Omit<Peak, 'feature'>[] = [],
): number | undefined {
  if (days.length === 0) return undefined;
  const own = days.map((peaks) => highest(peaks, (peak) => isAlike(peak, named) && peak.name === named.name));
  const others = days.map((peaks) => highest(peaks, (peak) => isAlike(peak, named) && peak.name !== named.name));
  const isKnown = named.what !== 'run' && own.filter((spent) => spent > 0).length >= leastOwnDays;
  if (isKnown || named.what === 'run') return thirdHighest(isKnown ? own : others);
  const beside = now.filter(({ what, name }) => what === named.what && name !== named.name).map(({ spent }) => spent);
  return Math.max(thirdHighest(others), beside.length < robustDays ? 0 : thirdHighest(beside));
}

const isAlike = (peak: Peak, { what, feature }: Named): boolean =>
  peak.what === what && (what !== 'run' || peak.feature === feature);

const highest = (peaks: DayPeaks, isWanted: (peak: Peak) => boolean): number => peaks.find(isWanted)?.spent ?? 0;

/** With less than three days, the highest. */
function thirdHighest(days: readonly number[]): number {
  const sorted = days.toSorted((a, b) => b - a);
  return (days.length < robustDays ? sorted[0] : sorted[robustDays - 1]) ?? 0;
}

/** How many times the least amount a window is a runaway where no day tells what is usual. */
const untried = 10;

/**
 * From what amount on a window is a runaway, in USD. Of many users or customers some have a wild
 * window by chance, so the factor grows with their number. The peers of a run are the most expensive ones already.
 */
export function calcLimit(
  { usual, what, names }: { readonly usual: number | undefined; readonly what: Spender; readonly names: number },
  { amount, least_amount: least, factor }: SettingsOf<typeof runaway>,
): number {
  const always = amount > 0 ? amount : Number.POSITIVE_INFINITY;
  if (usual === undefined) return Math.min(always, untried * least);
  const caution = what === 'run' ? 1 : Math.max(1, names ** 0.2);
  return Math.min(always, Math.max(least, factor * caution * usual));
}
