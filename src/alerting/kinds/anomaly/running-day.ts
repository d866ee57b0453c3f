import { type Day, toDayNumber } from '../../../lib/days.ts';
import type { Money } from '../../../lib/money.ts';
import { fitWeekdays, leastWeeks } from '../../../reports/asking/weekday-fit.ts';
import type { Limits } from './limits.ts';

/** What a day cost by hour of the project's clock. */
export interface HourCosts {
  readonly day: Day;
  /** Index 0 is the hour that begins at midnight. An hour that the clock repeats is one entry; a skipped hour costs 0. */
  readonly costs: readonly Money[];
}

/** A day that is not over. */
export interface RunningDay {
  /** How many of its hours are over, from 1. */
  readonly hours: number;
  /** The cost by hour, at least of the hours that are over. */
  readonly costs: readonly Money[];
  /** The days before it by hour, for 4 weeks or more. A missing day is unknown, not free. */
  readonly past: readonly HourCosts[];
}

/** A running day that costs too much so far. In picodollars. */
export interface EarlySign {
  /** The usual cost up to the same hour. */
  readonly expected: number;
  readonly spread: number;
}

/**
 * Whether the running day costs too much so far: its cost up to now is above the usual cost up to now by as much as a
 * whole day must be above its forecast. If the rest of such a day is usual, the whole day is unusual. The usual cost up
 * to now is forecast from the same hours of the days before. With less than four weeks of hours there is no such
 * forecast: then the cost up to now must already be too high for a whole day.
 */
export function findEarlySign(running: RunningDay, firstDay: Day, day: Day, wholeDay: Limits): EarlySign | undefined {
  const first = toDayNumber(firstDay);
  const byNow = new Float64Array(toDayNumber(day) - first).fill(Number.NaN);
  for (const { day: past, costs } of running.past) {
    const index = toDayNumber(past) - first;
    if (index >= 0 && index < byNow.length) byNow[index] = Number(sumHours(costs, running.hours));
  }
  const fit = fitWeekdays(byNow, byNow.length);
  const cost = Number(sumHours(running.costs, running.hours));
  if ((fit.known[0] ?? 0) < leastWeeks) return cost > wholeDay.high ? wholeDay : undefined;
  const expected = (fit.seasons[0] ?? 0) * fit.level;
  const spread = fit.spreads[0] ?? 0;
  const isFar = cost - expected > Math.max(wholeDay.high - wholeDay.expected, noisy * spread);
  return isFar ? { expected, spread } : undefined;
}

export const sumHours = (costs: readonly Money[], hours: number): Money =>
  costs.slice(0, hours).reduce((sum, cost) => sum + cost, 0n);

/** The cost up to an hour must also be this many standard deviations above the usual (Iglewicz and Hoaglin 1993). */
const noisy = 3.5;
