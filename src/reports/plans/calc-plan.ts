import { compareCodePoints } from '../../lib/code-points.ts';
import { type Money, type WideMoney, widen } from '../../lib/money.ts';
import { calcMargin } from '../margin/calc-margin.ts';

/** What a customer of a plan paid and cost in a period, exact. */
export interface CustomerSums {
  readonly customer: string;
  readonly revenue: Money;
  readonly cost: WideMoney;
}

export interface Sums {
  readonly revenue: WideMoney;
  readonly cost: WideMoney;
}

export const costPercentiles = [10, 50, 90, 99] as const;
export type CostPercentile = (typeof costPercentiles)[number];

/** How a plan paid in a period. */
export interface Plan extends Sums {
  readonly customers: number;
  /** The cost of a customer below or at which this percentage of customers are; 0 without customers. */
  readonly costAt: ReadonlyMap<CostPercentile, WideMoney>;
  readonly mostCost: WideMoney;
  readonly belowZero: number;
  /** Customers whose margin is below zero or the target; undefined without a target. */
  readonly belowTarget: number | undefined;
  /** The most expensive tenth of the customers, rounded up to whole customers. */
  readonly dearestTenth: Sums & { readonly customers: number };
}

/**
 * Adds up the customers of a plan. They add up to the margin of the period with the calls that name no customer, which are
 * none themselves.
 */
export function calcPlan(all: readonly CustomerSums[], targetPct: number | null): Plan {
  const customers = all.filter(({ customer }) => customer !== '');
  const byCost = customers.toSorted(
    (a, b) => compareAmounts(a.cost, b.cost) || compareCodePoints(b.customer, a.customer),
  );
  const dearest = byCost.slice(byCost.length - Math.ceil(byCost.length / 10));
  const isBelow = (percent: number | null) => (one: CustomerSums) =>
    calcMargin(widen(one.revenue), one.cost, percent).riskStatus !== 'healthy';
  return {
    ...addUp(all),
    customers: customers.length,
    costAt: new Map(costPercentiles.map((percent) => [percent, nearestRank(byCost, percent)?.cost ?? 0n])),
    mostCost: byCost.at(-1)?.cost ?? 0n,
    belowZero: customers.filter(isBelow(null)).length,
    belowTarget: targetPct === null ? undefined : customers.filter(isBelow(targetPct)).length,
    dearestTenth: { ...addUp(dearest), customers: dearest.length },
  };
}

/** The value of the nearest rank: of n sorted values the one at ⌈n · percent / 100⌉, which is one of them (docs/api/plans.md). */
const nearestRank = <Value>(sorted: readonly Value[], percent: number): Value | undefined =>
  sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)];

const addUp = (all: readonly { readonly revenue: Money; readonly cost: WideMoney }[]): Sums => ({
  revenue: widen(all.reduce((sum, { revenue }) => sum + revenue, 0n)),
  cost: all.reduce((sum, { cost }) => sum + cost, 0n),
});

export const compareAmounts = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
