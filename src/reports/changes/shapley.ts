/**
 * A value for each subset of three factors. Bit i of the index is set if factor i is in the subset. Factors in the
 * subset have their new values, the others their old ones.
 */
export type Half = readonly [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];

export const toHalf = (valueAt: (isNow: readonly [boolean, boolean, boolean]) => bigint): Half => {
  const at = (subset: number) => valueAt([(subset & 1) !== 0, (subset & 2) !== 0, (subset & 4) !== 0]);
  return [at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)];
};

/** The weight of a subset of s factors, `s! (5 - s)! / 6!`, times `shareScale`. */
const weights = [10n, 2n, 1n, 1n, 2n, 10n] as const;

/** All shares are multiples of one sixtieth. */
export const shareScale = 60n;

/**
 * The Shapley values, times `shareScale`, of six factors whose joint value is `left(A) × right(B)`: first those of the
 * three factors of `left`, then those of `right`. They add up to the value of all factors less that of none. Each half
 * has only 8 subsets, so this takes 24 products instead of products for 64 subsets.
 */
export const splitProduct = (left: Half, right: Half): bigint[] => [
  ...splitHalf(left, weigh(right)),
  ...splitHalf(right, weigh(left)),
];

/** The weighted sum of this half's values, for 0, 1 and 2 factors of the other half. */
const weigh = (half: Half): readonly [bigint, bigint, bigint] => [
  weighBeside(half, 0),
  weighBeside(half, 1),
  weighBeside(half, 2),
];

const weighBeside = (half: Half, others: number): bigint =>
  half.reduce((sum, value, subset) => sum + (weights[others + countFactors(subset)] ?? 0n) * value, 0n);

/** A factor's share: its effect on each subset of the other two, weighted by the other half. */
const splitHalf = (half: Half, weighted: readonly [bigint, bigint, bigint]): bigint[] =>
  [1, 2, 4].map((factor) =>
    half.reduce((sum, value, subset) => {
      if ((subset & factor) !== 0) return sum;
      const gain = (half[subset | factor] ?? 0n) - value;
      return sum + gain * (weighted[countFactors(subset)] ?? 0n);
    }, 0n),
  );

const countFactors = (subset: number): number => (subset & 1) + ((subset >> 1) & 1) + ((subset >> 2) & 1);
