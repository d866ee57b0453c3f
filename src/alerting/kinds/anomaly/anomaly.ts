import { addDays, type Day, toDayNumber } from '../../../lib/days.ts';
import { dollar, type Money } from '../../../lib/money.ts';
import { type DayCost, listCosts, toMoney } from '../../../reports/asking/forecast.ts';
import { DayJudge } from './day-judge.ts';
import { widen } from './limits.ts';
import { findEarlySign, type RunningDay, sumHours } from './running-day.ts';

/** The cost of one name by day: of the project, a customer, a feature or a model. */
export interface CostSeries {
  /** A day without an entry cost nothing. 16 weeks or more are best; the order is irrelevant. */
  readonly days: readonly DayCost[];
  /** The last day that is over. */
  readonly through: Day;
  /** The day after it, so far. */
  readonly running?: RunningDay;
  /** The first day with known costs: a name that comes 4 weeks later is new. Without it, none is. */
  readonly since?: Day;
  /** Days to leave out, such as holidays and outages. */
  readonly excluded?: ReadonlySet<Day>;
}

export interface AnomalyOptions {
  /** Smaller differences from the usual day are of the kind `small`. */
  readonly smallest: Money;
  /** A new name is reported on the first day that costs this much. */
  readonly news: Money;
  /** How many times as far off as its limits a day must be, on a logarithmic scale. From 1. */
  readonly caution: number;
}

export const defaultAnomalyOptions: AnomalyOptions = { smallest: 5n * dollar, news: 10n * dollar, caution: 1 };

/**
 * The caution with which the names of a project are judged. Of many names, some have a wild day by chance each week. So
 * the more there are, the farther off a day must be, and a project has about one false alarm a month, however large it
 * is.
 */
export const cautionOf = (names: number): number => Math.max(1, 0.75 * names ** 0.3);

/**
 * `jump` and `drop`: unusual days. `small`: as unusual, but no day differs by an amount that matters. `new`: the first
 * day on which the cost of a new name matters. This is news and no fault.
 */
export type AnomalyKind = 'jump' | 'drop' | 'small' | 'new';

export interface UnusualDay {
  readonly day: Day;
  /** Exact; for the running day, the cost of its hours so far. */
  readonly cost: Money;
  /** Estimates for the whole day; for the running day, up to that hour. */
  readonly expected: Money;
  readonly spread: Money;
  /** How many days of the same weekday the estimates are based on. */
  readonly weeks: number;
  /** For the running day: how many of its hours are over. */
  readonly hours?: number;
}

/** Unusual days that seem to have one cause. */
export interface Anomaly {
  readonly kind: AnomalyKind;
  /** The first day. With the name it identifies the anomaly, as long as no late cost changes it. */
  readonly from: Day;
  /** In order; at least one. */
  readonly days: readonly UnusualDay[];
  /** Whether the next day can still be a part of it. It ends with three usual days. */
  readonly isOpen: boolean;
}

/** After how many days without cost a name is new again. */
const forgotten = 28;
/** After how many usual days the next unusual one is another anomaly. */
export const calmDays = 3;
/**
 * A day begins another anomaly when it is more than this many times as far from the usual as the farthest day before
 * it. After a usual day, any farther day does.
 */
const escalation = 2;

/**
 * Finds the unusual days of one name, in order. Each day is judged by the days before it alone, so more days do not
 * change its verdict. Drops are found when the day is over. A lasting change of level is one anomaly of a few days.
 */
export function findAnomalies(series: CostSeries, options: AnomalyOptions = defaultAnomalyOptions): Anomaly[] {
  return listLives(series).flatMap((life) => findInLife(life, series, options));
}

/** The days of a name from its first cost until it is forgotten, or to the last day that is over. */
interface Life {
  readonly firstDay: Day;
  readonly amounts: readonly Money[];
  readonly costs: Float64Array;
  readonly isNew: boolean;
  /** Whether the running day belongs to it. */
  readonly runs: boolean;
}

function listLives(series: CostSeries): Life[] {
  const past = listCosts(series.days, series);
  const { amounts, costs, firstDay } = past ?? {
    amounts: [] as Money[],
    costs: new Float64Array(),
    firstDay: addDays(series.through, 1),
  };
  const starts = listStarts(
    costs,
    series.running !== undefined && sumHours(series.running.costs, series.running.hours) > 0n,
  );
  const isFirstNew = series.since !== undefined && toDayNumber(firstDay) - toDayNumber(series.since) >= forgotten;
  return starts.map((start, at) => ({
    firstDay: addDays(firstDay, start),
    amounts: amounts.slice(start, starts[at + 1]),
    costs: costs.subarray(start, starts[at + 1]),
    isNew: start > 0 || isFirstNew,
    runs: at === starts.length - 1,
  }));
}

/** The indexes at which lives start: each cost after four weeks without any. The running day follows the last cost. */
function listStarts(costs: Float64Array, doesRunningDayCost: boolean): number[] {
  const starts: number[] = [];
  let last = Number.NEGATIVE_INFINITY;
  const live = (index: number) => {
    if (index - last > forgotten) starts.push(index);
    last = index;
  };
  for (const [index, cost] of costs.entries()) if (cost !== 0 && !Number.isNaN(cost)) live(index);
  if (doesRunningDayCost) live(costs.length);
  return starts;
}

interface Found {
  readonly direction: -1 | 1;
  readonly index: number;
  readonly day: UnusualDay;
}

function findInLife(life: Life, { running }: CostSeries, options: AnomalyOptions): Anomaly[] {
  const { amounts, costs, firstDay } = life;
  const judge = new DayJudge(costs, firstDay);
  const found: Found[] = [];
  for (const [index, cost] of amounts.entries()) {
    const verdict = judge.judge(index);
    if (verdict === undefined || verdict.direction === 0) continue;
    const { direction, expected, spread, weeks } = verdict;
    const { low, high } = widen(verdict, options.caution);
    const amount = costs[index] ?? 0;
    if (amount <= high && amount >= low) continue;
    const day = { day: addDays(firstDay, index), cost, ...asEstimates(expected, spread), weeks };
    found.push({ direction, index, day });
  }
  const today = life.runs ? running : undefined;
  if (today !== undefined) found.push(...findToday(life, judge, today, options));
  const anomalies = joinDays(found, costs.length - 1 + (today === undefined ? 0 : 1), options);
  const news = life.isNew ? findNews(life, today, options) : undefined;
  return news === undefined ? anomalies : [news, ...anomalies].sort((a, b) => compareDays(a.from, b.from));
}

const asEstimates = (expected: number, spread: number) => ({ expected: toMoney(expected), spread: toMoney(spread) });

const compareDays = (a: Day, b: Day): number => (a < b ? -1 : a > b ? 1 : 0);

function findToday(
  { costs, firstDay }: Life,
  judge: DayJudge,
  running: RunningDay,
  { caution }: AnomalyOptions,
): Found[] {
  const index = costs.length;
  const wholeDay = judge.expect(index);
  if (wholeDay === undefined) return [];
  const day = addDays(firstDay, index);
  const sign = findEarlySign(running, firstDay, day, { ...wholeDay, ...widen(wholeDay, caution) });
  if (sign === undefined) return [];
  const { hours } = running;
  const estimates = { ...asEstimates(sign.expected, sign.spread), weeks: wholeDay.weeks };
  return [{ direction: 1, index, day: { day, cost: sumHours(running.costs, hours), ...estimates, hours } }];
}

/** The first day on which the cost of a new name matters. */
function findNews(
  { amounts, firstDay }: Life,
  running: RunningDay | undefined,
  { news }: AnomalyOptions,
): Anomaly | undefined {
  const all = running === undefined ? amounts : [...amounts, sumHours(running.costs, running.hours)];
  const index = all.slice(0, forgotten).findIndex((cost) => cost >= news);
  const cost = all[index];
  if (cost === undefined) return undefined;
  const from = addDays(firstDay, index);
  const isOpen = all.length - 1 - index <= calmDays;
  return { kind: 'new', from, days: [{ day: from, cost, expected: 0n, spread: 0n, weeks: 0 }], isOpen };
}

/** Joins unusual days of one direction to anomalies. */
function joinDays(found: readonly Found[], lastIndex: number, { smallest }: AnomalyOptions): Anomaly[] {
  const anomalies: { readonly direction: -1 | 1; readonly days: UnusualDay[]; last: number; farthest: number }[] = [];
  for (const { direction, index, day } of found) {
    const running = anomalies.findLast((anomaly) => anomaly.direction === direction);
    const farness = measureFarness(day);
    const gap = running === undefined ? Number.POSITIVE_INFINITY : index - running.last;
    const isFarther = running !== undefined && farness > (gap === 1 ? escalation : 1) * running.farthest;
    if (running === undefined || gap > calmDays || isFarther) {
      anomalies.push({ direction, days: [day], last: index, farthest: farness });
    } else {
      running.days.push(day);
      running.last = index;
      running.farthest = Math.max(running.farthest, farness);
    }
  }
  return anomalies.map(({ direction, days, last }) => ({
    kind: days.every(({ cost, expected }) => isWithin(cost - expected, smallest))
      ? 'small'
      : direction > 0
        ? 'jump'
        : 'drop',
    from: days[0]?.day ?? '',
    days,
    isOpen: lastIndex - last <= calmDays,
  }));
}

/** How far a day is from the usual, in usual days. */
const measureFarness = ({ cost, expected }: UnusualDay): number =>
  Math.abs(Number(cost - expected)) / Math.max(Number(expected), 1);

const isWithin = (difference: Money, limit: Money): boolean => difference < limit && -difference < limit;
