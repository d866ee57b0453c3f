import { compareCodePoints } from '../../../lib/code-points.ts';
import { type Decimal, type Money, type WideMoney, widen } from '../../../lib/money.ts';
import type { Slices } from '../../../lib/slices.ts';
import { compareAmounts, type Sums } from '../calc-plan.ts';
import { type CustomerMonth, calcBase, calcUsage } from './bill.ts';
import type { Paid } from './paid-days.ts';
import type { PlanPrices, Quantity, Unit } from './plan.ts';
import { type BaseReason, findBase, findIncluded, type IncludedReason, revenueFor, type Target } from './targets.ts';

/** What was earned and spent, and what the plan would have earned. */
export interface Simulated extends Sums {
  /** The part of the cost that is of shared costs. */
  readonly shared: Money;
  readonly simulatedRevenue: WideMoney;
}

export interface SimulatedCustomer extends Simulated {
  readonly customer: string;
}

export interface SimulatedPlan extends Simulated {
  /** The largest differences between simulated and real revenue first. */
  readonly customers: readonly SimulatedCustomer[];
  /** The part of the simulated revenue that the base earns. */
  readonly simulatedBase: WideMoney;
  /** The base a month, in USD, at which the plan reaches the target. */
  readonly targetBase: Target<Money, BaseReason>;
  /** The included amount at which it does, of the unit that is included or else charged. */
  readonly targetIncluded: Target<Quantity, IncludedReason> & { readonly unit: Unit | undefined };
}

/** What a plan would have earned of its customers' months. Pure. */
export function* simulatePlan(
  { base, charges }: PlanPrices,
  included: Unit | undefined,
  months: readonly CustomerMonth[],
  target: Decimal | undefined,
): Slices<SimulatedPlan> {
  const customers = new Map<string, { revenue: Money; cost: WideMoney; shared: Money; simulated: Money }>();
  const payers = new Map<Paid, number>();
  const place = charges.findIndex(({ unit }) => unit === included);
  const charge = charges[Math.max(place, 0)];
  let [ofBase, ofUsage, ofCharge] = [0n, 0n, 0n];
  for (const one of months) {
    yield;
    const own = customers.get(one.customer) ?? { revenue: 0n, cost: 0n, shared: 0n, simulated: 0n };
    customers.set(one.customer, own);
    const paid = calcBase(base, one.paid);
    ofBase += paid;
    own.revenue += one.revenue;
    own.cost += one.cost;
    own.shared += one.shared;
    const used = calcUsage(charges, one);
    ofUsage += used;
    ofCharge += charge && charges.length > 1 ? calcUsage([charge], one) : used;
    own.simulated += paid + used;
    payers.set(one.paid, (payers.get(one.paid) ?? 0) + 1);
  }
  const simulated = Array.from(customers, ([customer, { revenue, cost, shared, simulated }]) => ({
    customer,
    revenue: widen(revenue),
    cost,
    shared,
    simulatedRevenue: widen(simulated),
  }));
  yield;
  const total = addUpSimulated(simulated);
  const others = total.simulatedRevenue - widen(ofCharge);
  return {
    ...total,
    customers: simulated.sort(byDifference),
    simulatedBase: widen(ofBase),
    targetBase: target
      ? findBase(revenueFor(total.cost, target), widen(ofUsage), payers)
      : { value: undefined, reason: 'no_target' },
    targetIncluded: {
      unit: charge?.unit,
      ...(target
        ? yield* findIncluded(revenueFor(total.cost, target), others, charge, months)
        : ({ value: undefined, reason: 'no_target' } as const)),
    },
  };
}

export const addUpSimulated = (all: readonly Simulated[]): Simulated => ({
  revenue: all.reduce((sum, { revenue }) => sum + revenue, 0n),
  cost: all.reduce((sum, { cost }) => sum + cost, 0n),
  shared: all.reduce((sum, { shared }) => sum + shared, 0n),
  simulatedRevenue: all.reduce((sum, { simulatedRevenue }) => sum + simulatedRevenue, 0n),
});

const differenceOf = ({ revenue, simulatedRevenue }: Simulated): bigint =>
  simulatedRevenue > revenue ? simulatedRevenue - revenue : revenue - simulatedRevenue;

const byDifference = (a: SimulatedCustomer, b: SimulatedCustomer): number =>
  compareAmounts(differenceOf(b), differenceOf(a)) || compareCodePoints(a.customer, b.customer);
