/** Robust statistics of plain numbers. None of them changes its input, and none depends on its order. */

/**
 * The factor that makes the median absolute deviation of normal values their standard deviation: 1 / Φ⁻¹(3/4). It is the constant of
 * B. Iglewicz and D. C. Hoaglin, How to Detect and Handle Outliers (ASQC Quality Press 1993), in its other form, 0.6745 = 1 / 1.4826.
 */
export const madToSigma = 1.4826;

/** The middle value, or the mean of the two middle ones. NaN for no values. */
export function calcMedian(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values);
  return medianInPlace(sorted, sorted.length);
}

/** The median of the first `length` values, which it sorts: an insertion sort, the fastest for the few values there are. */
export function medianInPlace(values: Float64Array, length: number): number {
  if (length > longestInsertion) values.subarray(0, length).sort();
  else sortFew(values, length);
  const middle = length >> 1;
  const upper = values[middle] ?? Number.NaN;
  if (length === 0) return Number.NaN;
  return length % 2 === 1 ? upper : ((values[middle - 1] ?? Number.NaN) + upper) / 2;
}

const longestInsertion = 24;

function sortFew(values: Float64Array, length: number): void {
  for (let index = 1; index < length; index++) {
    const value = values[index] ?? 0;
    let place = index;
    for (; place > 0; place--) {
      const before = values[place - 1] ?? 0;
      if (before <= value) break;
      values[place] = before;
    }
    values[place] = value;
  }
}

/**
 * The factor by which a median absolute deviation of `count` values is too small: the finite-sample factors of C.
 * Croux and P. J. Rousseeuw, Time-efficient algorithms for two highly robust estimators of scale, Computational
 * Statistics 1 (1992), 411–428.
 */
export const correctMad = (count: number): number => fewFactors[count] ?? count / (count - 0.8);

/** The standard deviation of values around their median, by their median absolute deviation. */
export const estimateSigma = (values: ArrayLike<number>, median: number): number =>
  madToSigma * correctMad(values.length) * calcMedian(Array.from(values, (value) => Math.abs(value - median)));

/** A single value has no deviation, so its factor doesn't matter. */
const fewFactors: readonly number[] = [1, 1, 1.196, 1.495, 1.363, 1.206, 1.2, 1.14, 1.129, 1.107];

/** A straight line's slope, and how surely the values rise (1) or fall (-1). */
export interface Trend {
  /** Per step between neighbouring values. */
  readonly slope: number;
  /** Kendall's tau: of all pairs, the share that rises less the share that falls. */
  readonly tau: number;
}

/**
 * The trend of values at equal distances, oldest first: the median of the slopes of all pairs (H. Theil 1950; P. K. Sen, Estimates of
 * the regression coefficient based on Kendall's tau, JASA 63 (1968), 1379–1389). Values that are NaN are left out.
 */
export function calcTrend(values: readonly number[]): Trend {
  const slopes: number[] = [];
  let rising = 0;
  for (const [from, first] of values.entries()) {
    for (let to = from + 1; to < values.length; to++) {
      const slope = ((values[to] ?? Number.NaN) - first) / (to - from);
      if (Number.isNaN(slope)) continue;
      slopes.push(slope);
      rising += Math.sign(slope);
    }
  }
  return slopes.length === 0 ? { slope: 0, tau: 0 } : { slope: calcMedian(slopes), tau: rising / slopes.length };
}
