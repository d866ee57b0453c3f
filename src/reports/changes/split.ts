import { divideHalfEven, type WideMoney } from '../../lib/money.ts';
import { factors, noParts, type Parts } from './causes.ts';
import { costSuccess } from './cost-of-success.ts';
import type { Group } from './group.ts';
import { shareScale, splitProduct } from './shapley.ts';
import { countSuccesses } from './successes.ts';

/**
 * Splits a group's difference in cost by cause (README.md). The parts add up exactly to the difference. If the ranges
 * are swapped, the parts change their signs.
 */
export function splitGroup(group: Group): Parts {
  const [before, now] = [group.before.totals.cost, group.now.totals.cost];
  if (before === 0n && now === 0n) return noParts;
  if (group.canBeNew && group.before.ownerCalls === 0n) return { ...noParts, new_customers: now };
  if (group.canBeNew && group.now.ownerCalls === 0n) return { ...noParts, vanished_customers: -before };
  const successes = countSuccesses(group);
  const cost = costSuccess(group);
  const shares = splitProduct(successes.values, cost.values);
  const amounts = roundShares(shares, shareScale * successes.denominator * cost.denominator, now - before);
  return { ...noParts, ...Object.fromEntries(factors.map((factor, index) => [factor, amounts[index] ?? 0n])) };
}

/**
 * Rounds each share half-even to 1e-30 USD. The remainder of at most a few units goes to the largest share, or to the
 * first of several largest ones.
 */
function roundShares(shares: readonly bigint[], denominator: bigint, whole: WideMoney): WideMoney[] {
  const rounded = shares.map((share) => divideHalfEven(share, denominator));
  const size = (share: bigint) => (share < 0n ? -share : share);
  const largest = shares.reduce((best, share, index) => (size(share) > size(shares[best] ?? 0n) ? index : best), 0);
  const rest = rounded.reduce((left, share) => left - share, whole);
  return rounded.map((share, index) => (index === largest ? share + rest : share));
}
