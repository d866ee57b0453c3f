import type { Money } from '../../../lib/money.ts';

/**
 * Spreads an amount over some days in proportion to their weights; the shares add up to it exactly. Evenly, if the
 * weights have no sum or different signs.
 */
export function spreadOver(amount: Money, weights: readonly bigint[]): Money[] {
  const sum = weights.reduce((total, weight) => total + weight, 0n);
  const isMixed = weights.some((weight) => weight < 0n) && weights.some((weight) => weight > 0n);
  if (sum === 0n || isMixed)
    return spreadOver(
      amount,
      weights.map(() => 1n),
    );
  let reached = 0n;
  let given = 0n;
  return weights.map((weight) => {
    reached += weight;
    const until = (amount * reached) / sum;
    const share = until - given;
    given = until;
    return share;
  });
}
