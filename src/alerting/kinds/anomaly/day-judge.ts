import { type Day, dayMs, isDay, toDay, toDayNumber } from '../../../lib/days.ts';
import { calcMedian, estimateSigma } from '../../../lib/statistics.ts';
import { fitWeekdays, leastWeeks } from '../../../reports/asking/weekday-fit.ts';
import { calcErrorRange, calcLimits, type Limits } from './limits.ts';

/** The verdict on a day. Amounts are in picodollars. */
export interface Verdict extends Expectation {
  /** 1 if the day costs more than is usual, -1 if less, 0 if it is usual. */
  readonly direction: -1 | 0 | 1;
}

/** The expectation for a day, from the days before it. */
interface Expectation extends Limits {
  /** The limits at the current level, not widened by a monthly day or an earlier level. */
  readonly narrow: Limits;
  /** Undefined for a name too young to have one. */
  readonly level: number | undefined;
  /** How many days of the same weekday it is judged by. */
  readonly weeks: number;
}

/** How far back errors of forecasts are remembered, in days. */
const remembered = 56;
/** For how many days the level before a change stays usual. */
const daysToReturn = 28;
/** Levels that differ by a smaller factor count as one. */
const sameLevel = 1.25;
/** A name younger than this, in days, has no usual day. */
const youngest = 7;
/** In a name's first four weeks, a day is a jump above this many times the most expensive day so far. */
const youngFactor = 3;
/** An unusual day explains the same day of the next month, if that is at most this many times as far off. */
const monthlyFactor = 1.5;

/**
 * Judges the days of one life of a name in order, each by the days before it. After a change of level, days are unusual
 * until the forecast has followed, in about four days. The old level stays usual for four weeks, so that the end of a
 * fault is no anomaly.
 */
export class DayJudge {
  readonly #costs: Float64Array;
  readonly #firstDay: number;
  /** By day: the error of its forecast in units, clamped to the limits; NaN where there was no forecast. */
  readonly #usualErrors: Float64Array;
  /** The full errors of the days beyond the limits. */
  readonly #unusualErrors = new Map<number, number>();
  /** The levels at which days were unusual. */
  readonly #levels: { readonly index: number; readonly level: number }[] = [];
  #dearest = 0;

  /** `costs` has the days that are over, from the first cost on; NaN for a day to leave out. */
  constructor(costs: Float64Array, firstDay: Day) {
    this.#costs = costs;
    this.#firstDay = toDayNumber(firstDay);
    this.#usualErrors = new Float64Array(costs.length).fill(Number.NaN);
  }

  /** Judges the day at `index`, after all days before it. Undefined if the day is left out or too few come before it. */
  judge(index: number): Verdict | undefined {
    const cost = this.#costs[index] ?? Number.NaN;
    if (Number.isNaN(cost)) return undefined;
    const expectation = this.expect(index);
    this.#dearest = Math.max(this.#dearest, cost);
    if (expectation === undefined) return undefined;
    const { expected, unit, level, narrow } = expectation;
    if (level !== undefined && unit > 0) {
      const usual = Math.min(Math.max(cost, narrow.low), narrow.high);
      this.#usualErrors[index] = (usual - expected) / unit;
      if (cost !== usual) this.#unusualErrors.set(index, (cost - expected) / unit);
    }
    const direction = cost > expectation.high ? 1 : cost < expectation.low ? -1 : 0;
    if (direction !== 0 && level !== undefined) this.#levels.push({ index, level });
    return { ...expectation, direction };
  }

  /** The expectation for the day at `index`, which may not be over. */
  expect(index: number): Expectation | undefined {
    const fit = fitWeekdays(this.#costs, index);
    const weeks = fit.known[0] ?? 0;
    if (weeks < leastWeeks) return this.#expectOfYoung(index, weeks);
    const errors = calcErrorRange(this.#usualErrors, index - remembered, index);
    const narrow = calcLimits(fit, errors, fit.level);
    const due = monthlyFactor * (this.#unusualErrors.get(this.#monthBefore(index)) ?? 0);
    let low = Math.min(narrow.low, narrow.expected + Math.min(due, 0) * narrow.unit);
    let high = Math.max(narrow.high, narrow.expected + Math.max(due, 0) * narrow.unit);
    for (const { index: then, level } of this.#levels) {
      if (index - then > daysToReturn || isSameLevel(level, fit.level)) continue;
      const former = calcLimits(fit, errors, level);
      low = Math.min(low, former.low);
      high = Math.max(high, former.high);
    }
    return { ...narrow, low, high, narrow, level: fit.level, weeks };
  }

  #expectOfYoung(index: number, weeks: number): Expectation | undefined {
    if (index < youngest) return undefined;
    const past = this.#costs.slice(Math.max(index - 7 * leastWeeks, 0), index).filter((cost) => !Number.isNaN(cost));
    const expected = calcMedian(past);
    const spread = estimateSigma(past, expected);
    const limits = { expected, spread, unit: expected, low: 0, high: youngFactor * this.#dearest };
    return { ...limits, narrow: limits, level: undefined, weeks };
  }

  /** The same day of the last month, for work done once a month; NaN if that month has no such day. */
  #monthBefore(index: number): number {
    const day = toDay(this.#firstDay + index);
    const lastMonth = new Date(toDayNumber(`${day.slice(0, 8)}01`) * dayMs - dayMs).toISOString().slice(0, 8);
    const same = `${lastMonth}${day.slice(8)}`;
    return isDay(same) ? toDayNumber(same) - this.#firstDay : Number.NaN;
  }
}

const isSameLevel = (level: number, other: number): boolean => level < other * sameLevel && other < level * sameLevel;
