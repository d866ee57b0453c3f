/** Whether a factor has its new value. */
type Bit = 0 | 1;

/**
 * A value for each subset of three factors. Bit i of the index is set if factor i is in the subset. Factors in the
 * subset have their new values, the others their old ones.
 */
export type Half = readonly [bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint];

export const toHalf = (valueAt: (a: Bit, b: Bit, c: Bit) => bigint): Half => [
  valueAt(0, 0, 0),
  valueAt(1, 0, 0),
  valueAt(0, 1, 0),
  valueAt(1, 1, 0),
  valueAt(0, 0, 1),
  valueAt(1, 0, 1),
  valueAt(0, 1, 1),
  valueAt(1, 1, 1),
];

/** All shares are multiples of one sixtieth. */
export const shareScale = 60n;

/**
 * The Shapley values, times `shareScale`, of six factors whose joint value is `left(A) × right(B)`: first those of the
 * three factors of `left`, then those of `right`. They add up to the value of all factors less that of none. Each half
 * has only 8 subsets, and of the other half only the sums by size count: so a share takes three products.
 */
export const splitProduct = (left: Half, right: Half): bigint[] => [
  ...splitHalf(left, weigh(right)),
  ...splitHalf(right, weigh(left)),
];

/**
 * The weighted sum of a half's values, for 0, 1 and 2 factors of the other half: the weight of a subset of s factors of all
 * six is `s! (5 - s)! / 6!`, so times `shareScale` 10, 2, 1, 1, 2 and 10.
 */
function weigh([none, a, b, ab, c, ac, bc, abc]: Half): readonly [bigint, bigint, bigint] {
  const [one, two] = [a + b + c, ab + ac + bc];
  return [10n * none + 2n * one + two + abc, 2n * (none + abc) + one + two, none + one + 2n * two + 10n * abc];
}

/** A factor's share: its effect on each subset of the other two, weighted by the other half. */
const splitHalf = ([none, a, b, ab, c, ac, bc, abc]: Half, [of0, of1, of2]: readonly [bigint, bigint, bigint]) => [
  (a - none) * of0 + (ab - b + ac - c) * of1 + (abc - bc) * of2,
  (b - none) * of0 + (ab - a + bc - c) * of1 + (abc - ac) * of2,
  (c - none) * of0 + (ac - a + bc - b) * of1 + (abc - ab) * of2,
];
