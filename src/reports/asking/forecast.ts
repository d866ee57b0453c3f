import { addDays, type Day, toDayNumber } from '../../lib/days.ts';
import type { Money } from '../../lib/money.ts';
import { calcMedian, calcTrend, estimateSigma } from '../../lib/statistics.ts';
import { fitWeekdays, leastWeeks, type WeekdayFit } from './weekday-fit.ts';

export interface DayCost {
  readonly day: Day;
  readonly cost: Money;
}

export interface Forecast {
  /** An estimate, in whole picodollars. */
  readonly expected: Money;
  /** The standard deviation of the cost from `expected`, estimated from the days before. */
  readonly spread: Money;
  /** How many days of the same weekday it is based on, at most 8. With fewer than 4 it has no weekday season. */
  readonly weeks: number;
}

export interface HistoryOptions {
  /** The last complete day. Default: the day before the forecast's first day. */
  readonly through?: Day;
  /** Days to ignore, such as those of an outage of the sender. */
  readonly excluded?: ReadonlySet<Day>;
}

/**
 * The expected cost of a day, from the days before it; undefined if none of them cost anything.
 *
 * **At least 4 days of the same weekday are known:** expected = season × level (`fitWeekdays`).
 *
 * - The weekday's season is the median over the same weekdays of up to 8 weeks, each divided by the level of its week.
 * - A week's level is the median of its days, each divided by its season. The current level follows growth and lasting
 *   changes within a week.
 * - spread = 1.4826 × the median absolute deviation over the same weekdays, combined with that over all weekdays, at
 *   the current level.
 *
 * **Fewer are known:** expected = the median of the days of the last 4 weeks, spread = 1.4826 × their median absolute
 * deviation.
 *
 * Days before the first cost don't count, because a name begins with its first cost. Later days that are not in
 * `history` cost nothing, and count like other days. If fewer than half of a weekday's days cost nothing, they change
 * nothing; if more do, nothing is expected. `history` may be in any order, and entries of the same day are summed.
 */
export function forecastDay(history: readonly DayCost[], day: Day, options: HistoryOptions = {}): Forecast | undefined {
  const dayBefore = addDays(day, -1);
  const through = options.through !== undefined && options.through < dayBefore ? options.through : dayBefore;
  const past = listCosts(history, { ...options, through });
  if (past === undefined) return undefined;
  const ahead = toDayNumber(day) - toDayNumber(through) - 1;
  const { expected, spread, weeks } = forecastAhead(fitPast(past.costs), ahead);
  return { expected: toMoney(expected), spread: toMoney(spread), weeks };
}

export interface PeriodSoFar extends Omit<HistoryOptions, 'through'> {
  readonly from: Day;
  readonly to: Day;
  /** The current day, which is not complete. */
  readonly today: Day;
  readonly spentToday: Money;
  /** The share of a usual day's cost spent by now, from 0 to 1; if unknown, the share of the day's hours. */
  readonly shareOfToday: number;
}

/**
 * The expected total cost of a period: the cost so far, the usual cost of the rest of today, and the expected cost of
 * later days. `history` has the days of the period before today, and at least the 8 weeks before today. A period that
 * is over has its actual cost. Undefined if some of the period is left and no day before today cost anything.
 *
 * Later days are forecast as in `forecastDay`, plus growth. Growth is the median of the slopes between the levels of
 * all weeks (Theil and Sen). It counts if at least 6 weeks are known and, by Kendall's tau, their levels rise, or fall,
 * with few exceptions. It weakens by a tenth each week: the damped trend of E. S. Gardner and E. McKenzie, Forecasting
 * trends in time series, Management Science 31 (1985), 1237–1246. It never takes a level below a quarter of the current
 * one, or above four times it.
 */
export function forecastPeriod(history: readonly DayCost[], period: PeriodSoFar): Money | undefined {
  const { from, to, today, spentToday, shareOfToday } = period;
  let total: Money = 0n;
  for (const { day, cost } of history) if (day >= from && day <= to && day < today) total += cost;
  if (today >= from && today <= to) total += spentToday;
  if (today > to) return total;
  const past = listCosts(history, { ...period, through: addDays(today, -1) });
  if (past === undefined) return undefined;
  const fit = fitPast(past.costs);
  const firstAhead = Math.max(toDayNumber(from) - toDayNumber(today), 0);
  const lastAhead = toDayNumber(to) - toDayNumber(today);
  let rest = 0;
  for (let ahead = firstAhead; ahead <= lastAhead; ahead++) {
    const { expected } = forecastAhead(fit, ahead);
    rest += ahead === 0 ? expected * (1 - Math.min(Math.max(shareOfToday, 0), 1)) : expected * growAhead(fit, ahead);
  }
  return total + toMoney(rest);
}

/** The costs of days in order, from the first with a cost. */
export interface PastCosts {
  readonly firstDay: Day;
  readonly amounts: readonly Money[];
  /** The amounts in picodollars as numbers; NaN on excluded days. */
  readonly costs: Float64Array;
}

/** The days through the last complete one. Undefined if none of them cost anything. */
export function listCosts(
  history: readonly DayCost[],
  { through, excluded }: HistoryOptions & { readonly through: Day },
): PastCosts | undefined {
  let firstDay: Day | undefined;
  for (const { day, cost } of history) {
    if (cost !== 0n && day <= through && (firstDay === undefined || day < firstDay)) firstDay = day;
  }
  if (firstDay === undefined) return undefined;
  const first = toDayNumber(firstDay);
  const amounts = new Array<Money>(toDayNumber(through) - first + 1).fill(0n);
  for (const { day, cost } of history) {
    const index = toDayNumber(day) - first;
    const amount = amounts[index];
    if (amount !== undefined) amounts[index] = amount + cost;
  }
  const costs = Float64Array.from(amounts, Number);
  for (const day of excluded ?? []) {
    const index = toDayNumber(day) - first;
    if (index >= 0 && index < costs.length) costs[index] = Number.NaN;
  }
  return { firstDay, amounts, costs };
}

/** The statistics of the days before `end`. */
interface Fit {
  readonly weekdays: WeekdayFit;
  /** Over the days of the last 4 weeks, of all weekdays. */
  readonly median: number;
  readonly spread: number;
}

function fitPast(costs: Float64Array): Fit {
  const last = costs.subarray(Math.max(costs.length - 7 * leastWeeks, 0)).filter((cost) => !Number.isNaN(cost));
  const median = calcMedian(last);
  return { weekdays: fitWeekdays(costs, costs.length), median, spread: estimateSigma(last, median) };
}

/** The forecast of the day `ahead` days after the next one, without growth, in picodollars. */
function forecastAhead({ weekdays, median, spread }: Fit, ahead: number) {
  const weekday = ahead % 7;
  const weeks = weekdays.known[weekday] ?? 0;
  const season = weekdays.seasons[weekday];
  if (weeks < leastWeeks || season === undefined || Number.isNaN(season)) {
    return { expected: Number.isNaN(median) ? 0 : median, spread: Number.isNaN(spread) ? 0 : spread, weeks };
  }
  return { expected: season * weekdays.level, spread: weekdays.spreads[weekday] ?? 0, weeks };
}

/** The factor by which the level is expected to grow in `ahead` days. */
function growAhead({ weekdays: { levels, level } }: Fit, ahead: number): number {
  const known = levels.filter((ofWeek) => !Number.isNaN(ofWeek)).length;
  const { slope, tau } = calcTrend(levels.toReversed());
  if (known < fewestWeeksOfGrowth || Math.abs(tau) < surelyRising || level <= 0) return 1;
  // The level of the last 7 days is that of their middle day, 4 days before the next day.
  const weeksAhead = (ahead + 4) / 7;
  const damped = (damping * (1 - damping ** weeksAhead)) / (1 - damping);
  return Math.min(Math.max(1 + (slope / level) * damped, 1 / mostGrowth), mostGrowth);
}

const fewestWeeksOfGrowth = 6;
/** Of 8 weeks without growth, 1 in 70 passes this test by chance (two-sided). */
const surelyRising = 0.7;
const damping = 0.9;
const mostGrowth = 4;

export const toMoney = (picodollars: number): Money => BigInt(Math.round(picodollars));
