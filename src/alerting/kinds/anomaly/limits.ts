import type { WeekdayFit } from '../../../reports/asking/weekday-fit.ts';

/** The costs between which a day is usual. In picodollars. */
export interface Limits {
  readonly expected: number;
  readonly spread: number;
  /** A day that costs more is a jump. */
  readonly high: number;
  /** A day that costs less is a drop; below 0 where no day can be one. */
  readonly low: number;
  /** The unit in which errors of the forecast are measured. */
  readonly unit: number;
}

/** How far off the forecasts of the last 8 weeks were, in units; no error counts beyond its own day's limits. */
export interface ErrorRange {
  /** Infinite if too few days are known. */
  readonly highest: number;
  /** The third, so that two outliers in eight weeks do not count as typical of a series. */
  readonly thirdHighest: number;
  readonly thirdLowest: number;
}

/** The range of the errors from `start` to before `end`. NaN are skipped. */
export function calcErrorRange(errors: ArrayLike<number>, start: number, end: number): ErrorRange {
  let count = 0;
  let [high1, high2, high3] = [-Infinity, -Infinity, -Infinity];
  let [low1, low2, low3] = [Infinity, Infinity, Infinity];
  for (let index = Math.max(start, 0); index < end; index++) {
    const error = errors[index] ?? Number.NaN;
    if (Number.isNaN(error)) continue;
    count += 1;
    if (error > high1) [high1, high2, high3] = [error, high1, high2];
    else if (error > high2) [high2, high3] = [error, high2];
    else if (error > high3) high3 = error;
    if (error < low1) [low1, low2, low3] = [error, low1, low2];
    else if (error < low2) [low2, low3] = [error, low2];
    else if (error < low3) low3 = error;
  }
  if (count < 3) return { highest: Infinity, thirdHighest: 0, thirdLowest: 0 };
  return { highest: count < fewestErrors ? Infinity : high1, thirdHighest: high3, thirdLowest: low3 };
}

const fewestErrors = 28;

/**
 * The limits of a day, by the days before it. With sigma = spread / unit, a day is usual
 * - below expected × (1 + sigma)^2.4 and above expected / (1 + sigma)^4,
 * - or within a half more and a third less than expected,
 * - or if its error is at most the third largest in this direction of the last 8 weeks; for a drop, 1.2 times that.
 *
 * When nothing is expected, a day is usual up to twice the most expensive day of this kind: some work is done only now
 * and then.
 *
 * The first rule is a modified z-score of the logarithm (B. Iglewicz and D. C. Hoaglin, How to Detect and Handle
 * Outliers, 1993: the distance from the median in units of 1.4826 × MAD). It takes the logarithm because noise
 * multiplies costs: twice and half are equally far from the usual day. The authors advise 3.5. Here jumps are reported
 * earlier and drops later, because jumps cost money: 2.4 accepts one false alarm a quarter to find days of twice the
 * usual cost. The last rule adapts the limits to a series with heavy tails, whatever its shape.
 */
export function calcLimits(fit: WeekdayFit, errors: ErrorRange, level: number): Limits {
  const expected = (fit.seasons[0] ?? 0) * level;
  const unit = (fit.units[0] ?? 0) * level;
  const spread = fit.level === 0 ? 0 : ((fit.spreads[0] ?? 0) * level) / fit.level;
  const sigma = unit === 0 ? 0 : spread / unit;
  // A weekday that costs nearly nothing has less expected than the unit. The difference has no logarithm, so its noise
  // is linear.
  const aboveByNoise = expected * ((1 + sigma) ** zOfJump - 1) + (unit - expected) * zOfJump * sigma;
  const above = Math.max(
    Math.min(aboveByNoise, beyondAll * unit * errors.highest),
    unit * errors.thirdHighest,
    expected * leastJump,
    expected === 0 ? rareFactor * fit.dearestRare * level : 0,
  );
  const below = Math.max(
    expected * (1 - (1 + sigma) ** -zOfDrop),
    dropMargin * unit * -errors.thirdLowest,
    expected * leastDrop,
  );
  return { expected, spread, unit, high: expected + above, low: expected - below };
}

const zOfJump = 2.4;
const zOfDrop = 4;
/** When nothing is expected, a day is a jump above this many times the most expensive day of this kind. */
const rareFactor = 2;
const leastJump = 1 / 2;
const leastDrop = 1 / 3;
const dropMargin = 1.2;
/** A day this many times as far off as any before is unusual, however noisy the series is. */
const beyondAll = 3;

/** Limits `caution` times as far off, drops twice more, on a logarithmic scale; linear where nothing is expected. */
export const widen = ({ expected, high, low }: Limits, caution: number): Pick<Limits, 'high' | 'low'> =>
  expected > 0
    ? {
        high: expected * (high / expected) ** caution,
        low: expected * (Math.max(low, 0) / expected) ** (2 * caution - 1),
      }
    : { high: high * caution, low };
