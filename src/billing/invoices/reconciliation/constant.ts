import { divideHalfEven } from '../../../lib/money.ts';

/** A pair for the ratio: `numerator` is known to within `tolerance`, `denominator` is above 0. */
export interface Sample {
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly tolerance: bigint;
}

/** Ratios are whole numbers of 1e-15. */
export const ratioScale = 10n ** 15n;

export const fewestSamples = 3;

/** Whether enough pairs fit: at least three, and at most one in five is an exception. */
const isEnough = (fitting: number, of: number): boolean => fitting >= fewestSamples && 5 * fitting >= 4 * of;

/** The product of a value and a ratio, rounded half-even. */
export const multiplyRatio = (amount: bigint, ratio: bigint): bigint => divideHalfEven(amount * ratio, ratioScale);

/** Whether a pair has this ratio, to within its tolerance. */
export function fits({ numerator, denominator, tolerance }: Sample, ratio: bigint): boolean {
  const miss = numerator * ratioScale - denominator * ratio;
  return (miss < 0n ? -miss : miss) <= tolerance * ratioScale;
}

/**
 * The ratio that holds for at least four in five pairs, and for at least three pairs; undefined when there is none.
 * Each pair allows a range of ratios. The result is in the range that most pairs share. It is the number with the
 * fewest digits there, because prices have few digits and rounding hides further ones.
 */
export function findConstant(samples: readonly Sample[]): bigint | undefined {
  if (samples.length < fewestSamples) return undefined;
  const ranges = samples.flatMap(({ numerator, denominator, tolerance }) => {
    const low = -floorDivide(-(numerator - tolerance) * ratioScale, denominator);
    const high = floorDivide((numerator + tolerance) * ratioScale, denominator);
    return low <= high ? [{ low, high }] : [];
  });
  const shared = findMostShared(ranges);
  return shared && isEnough(shared.count, samples.length) ? findSimplest(shared) : undefined;
}

interface Range {
  readonly low: bigint;
  readonly high: bigint;
}

/** The range that most ranges share; the lowest one if several are shared equally. */
function findMostShared(ranges: readonly Range[]): (Range & { readonly count: number }) | undefined {
  const ends = ranges
    .flatMap(({ low, high }) => [
      { at: low, opens: true },
      { at: high, opens: false },
    ])
    .sort((a, b) => (a.at === b.at ? Number(b.opens) - Number(a.opens) : a.at < b.at ? -1 : 1));
  let open = 0;
  let best: (Range & { readonly count: number }) | undefined;
  ends.forEach(({ at, opens }, index) => {
    open += opens ? 1 : -1;
    // The shared range ends where the next of the ranges closes.
    const next = ends[index + 1];
    if (opens && next && !next.opens && open > (best?.count ?? 0)) best = { low: at, high: next.at, count: open };
  });
  return best;
}

/** The number with the fewest digits in a range. Of several, the one nearest to its middle. */
function findSimplest({ low, high }: Range): bigint {
  const middle = (low + high) / 2n;
  for (let unit = ratioScale * ratioScale; unit > 1n; unit /= 10n) {
    const near = divideHalfEven(middle, unit) * unit;
    if (near >= low && near <= high) return near;
  }
  return middle;
}

function floorDivide(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  return numerator % denominator < 0n ? quotient - 1n : quotient;
}

/** The inverse of `multiplyRatio`, rounded half-even. */
export const divideRatio = (amount: bigint, ratio: bigint): bigint => divideHalfEven(amount * ratioScale, ratio);

/** A difference beyond rounding needs a cause only if it exceeds one part in two thousand. */
const slack = 2_000n;
export const looseTolerance = ({ tolerance }: { readonly tolerance: bigint }, cost: bigint): bigint =>
  tolerance + cost / slack;

export const isNear = (difference: bigint, tolerance: bigint): boolean =>
  difference <= tolerance && -difference <= tolerance;
