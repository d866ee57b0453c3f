import type { Money } from '../../../lib/money.ts';
import type { Comparison } from './comparison.ts';
import { divideRatio, fewestSamples, isNear, looseTolerance, multiplyRatio } from './constant.ts';
import { type Comparable, calcPricePart, findPrice, type PriceFinding } from './find-price.ts';
import type { Line } from './line.ts';
import type { ListRates } from './list-rates.ts';
import { type LineUsage, sumTokens } from './usage.ts';

/** The reason why an amount is in its part, in addition to the part's kind. */
export type LineCause =
  | 'unpriced'
  | 'no_calls'
  | 'unexplained_calls'
  | 'no_entry'
  | 'fewer_charged'
  | 'price'
  | 'common_ratio'
  | 'rounding'
  | 'unexplained';

/** An amount of some days of a line, with its cause. */
export interface SettledPart {
  readonly cause: LineCause;
  readonly amount: Money;
}

export interface SettledSegment {
  readonly comparison: Comparison;
  readonly parts: readonly SettledPart[];
}

export interface SettledLine {
  readonly line: Line;
  readonly finding: PriceFinding | undefined;
  /** The days that can show a price. A factor on all of them may be a discount. */
  readonly comparables: readonly Comparable[];
  readonly segments: readonly SettledSegment[];
}

interface Given {
  /** The factor on every price from a discount on all of the provider's models. */
  readonly discount: bigint;
  readonly rates: ListRates | undefined;
}

/** Splits the difference of charge and cost by cause (README.md). The parts of a segment add up to its difference. */
export function settleLine(line: Line, comparisons: readonly Comparison[], { discount, rates }: Given): SettledLine {
  const looked = comparisons.map((comparison) => ({ comparison, first: settleFirst(comparison, discount) }));
  const comparables = looked.flatMap(({ comparison, first }) =>
    first.left && !first.isMixed ? [toComparable(comparison, discount)] : [],
  );
  const finding = findPrice(comparables, rates);
  const leftovers = looked.map(({ comparison, first }) => {
    if (!first.left) return { comparison, parts: first.parts, rest: undefined };
    const { cost } = comparison.used;
    const one = { ...toComparable(comparison, discount), cost };
    const common = multiplyRatio(cost, discount) - cost;
    const price = finding ? multiplyRatio(calcPricePart(finding, one), discount) : 0n;
    const rest = comparison.charged - cost - common - price - sumOf(first.parts);
    const parts: SettledPart[] = [
      ...first.parts,
      { cause: 'common_ratio', amount: common },
      { cause: 'price', amount: price },
    ];
    return { comparison, parts, rest };
  });
  const nameRest = restNamer(leftovers, comparables.length);
  return {
    line,
    finding,
    comparables,
    segments: leftovers.map(({ comparison, parts, rest }) => ({
      comparison,
      parts: [...parts, ...(rest === undefined ? [] : [{ cause: nameRest(comparison, rest), amount: rest }])].filter(
        ({ amount }) => amount !== 0n,
      ),
    })),
  };
}

const sumOf = (parts: readonly SettledPart[]): Money => parts.reduce((sum, { amount }) => sum + amount, 0n);

interface First {
  readonly parts: readonly SettledPart[];
  /** Whether any charged calls with a price remain. */
  readonly left: boolean;
  /** Whether some of the calls have no price. The remaining charge can then show none. */
  readonly isMixed: boolean;
}

const settled = (cause: LineCause, amount: Money): First => ({
  parts: [{ cause, amount }],
  left: false,
  isMixed: false,
});

/** The causes that a segment shows without a comparison with other segments. */
function settleFirst({ segment, charged, used, tolerance }: Comparison, discount: bigint): First {
  if (used.calls === 0n)
    return settled(isNear(charged, segment.entries === 0 ? 0n : tolerance) ? 'rounding' : 'no_calls', charged);
  const cost = multiplyRatio(used.cost, discount);
  if (charged === 0n && (segment.entries === 0 || used.cost > tolerance)) {
    return settled(isNear(used.cost, tolerance) ? 'rounding' : 'no_entry', -used.cost);
  }
  if (used.unpriced === 0n) return { parts: [], left: true, isMixed: false };
  if (used.unpriced === used.calls && used.cost === 0n) return settled('unpriced', charged);
  return {
    parts: [{ cause: 'unpriced', amount: estimateUnpriced(used, { charged, cost }) }],
    left: true,
    isMixed: true,
  };
}

/**
 * The charge for calls without a price. The estimate is their tokens at the invoice's average price of a token on the
 * same days. The result is the charge less the cost of the other calls, if it is between half and twice the estimate:
 * these calls then explain it. Otherwise it is the estimate.
 */
function estimateUnpriced(
  used: LineUsage,
  { charged, cost }: { readonly charged: Money; readonly cost: Money },
): Money {
  if (charged <= 0n) return 0n;
  const tokens = sumTokens(used);
  const estimate =
    tokens > 0n && used.unpricedTokens > 0n
      ? (charged * used.unpricedTokens) / tokens
      : (charged * used.unpriced) / used.calls;
  const difference = charged - cost;
  return 2n * difference >= estimate && difference <= 2n * estimate ? difference : estimate;
}

/** The days of a comparison for the search for a price, with their charge before the discount. */
function toComparable({ segment, charged, used, tolerance }: Comparison, discount: bigint): Comparable {
  return {
    from: segment.from,
    to: segment.to,
    charged: divideRatio(charged, discount),
    cost: used.cost,
    used,
    tolerance: divideRatio(tolerance, discount) + 1n,
  };
}

interface Leftover {
  readonly comparison: Comparison;
  readonly rest: Money | undefined;
}

/**
 * Names the cause of amounts that neither rounding nor a price explains. At least three comparisons would have shown a
 * constant price. So if all amounts have the same sign, the cause is calls that only one side has.
 */
function restNamer(
  leftovers: readonly Leftover[],
  compared: number,
): (comparison: Comparison, rest: Money) => LineCause {
  const isRounding = ({ used, tolerance }: Comparison, rest: Money) =>
    isNear(rest, looseTolerance({ tolerance }, used.cost));
  const unexplained = leftovers.flatMap(({ comparison, rest }) =>
    rest === undefined || isRounding(comparison, rest) ? [] : [rest],
  );
  const canTell = compared >= fewestSamples;
  const cause: LineCause =
    canTell && unexplained.every((rest) => rest > 0n)
      ? 'unexplained_calls'
      : canTell && unexplained.every((rest) => rest < 0n)
        ? 'fewer_charged'
        : 'unexplained';
  return (comparison, rest) => (isRounding(comparison, rest) ? 'rounding' : cause);
}
