import { z } from 'zod';
import { sharedCostField } from '../../../lib/http/row-fields.ts';
import {
  divideToNumber,
  dollar,
  formatDecimal,
  toJsonNumber,
  type WideMoney,
  widen,
  wideToJsonNumber,
} from '../../../lib/money.ts';
import { calcMargin } from '../../margin/calc-margin.ts';
import type { SimulationResult } from './run.ts';
import { addUpSimulated, type Simulated, type SimulatedPlan } from './simulate.ts';
import { baseReasons, includedReasons } from './targets.ts';

const money = (description: string) => z.number().describe(description);
const count = z.number().int();

const sums = {
  revenue: money('USD: what was earned.'),
  cost: money('USD; less free AI credits when `apply_credits` is true.'),
  shared_cost: sharedCostField,
  margin: money('USD: `revenue` − `cost`.'),
  simulated_revenue: money('USD: what the plan would have earned.'),
  simulated_margin: money('USD: `simulated_revenue` − `cost`.'),
};
const percentages = {
  margin_pct: z.number().describe('100 × `margin` / `revenue`; without revenue 0 when `margin` is 0, else −100.'),
  simulated_margin_pct: z.number().describe('The same of the simulated revenue and margin.'),
};

export const simulationAnswer = z.object({
  date_from: z.string().meta({ format: 'date' }),
  date_to: z.string().meta({ format: 'date' }),
  target_margin_pct: z.number().nullable(),
  plans: z
    .array(
      z.object({
        name: z.string(),
        customers: count.describe('Customers of the plan with a call or revenue in the range.'),
        ...sums,
        ...percentages,
        simulated_base: money('USD: the part of `simulated_revenue` that the base earns; usage earns the rest.'),
        pay_more: count.describe('Customers that would pay more than they did.'),
        pay_less: count,
        below_zero: count.describe('Customers that cost more than they paid.'),
        simulated_below_zero: count.describe('Customers that would still cost more than they pay.'),
        target_base: z
          .object({
            base_per_month: z.number().nullable().describe('USD.'),
            reason: z.enum(baseReasons).nullable().describe('Why there is none.'),
          })
          .describe('The base at which the plan reaches the target margin, all else unchanged.'),
        target_included: z
          .object({
            unit: z.string().nullable(),
            amount: z.number().nullable(),
            reason: z.enum(includedReasons).nullable().describe('Why there is none.'),
          })
          .describe('The included amount at which the plan reaches the target margin, all else unchanged.'),
        rows: z
          .array(z.object({ customer: z.string(), ...sums }))
          .describe('The customers whose revenue would change most, at most `limit`.'),
        other_customers: count.describe('How many customers `rows` leaves out.'),
      }),
    )
    .describe('In the order of the question.'),
  others: z
    .object({
      customers: count,
      revenue: sums.revenue,
      cost: sums.cost,
      shared_cost: sums.shared_cost,
      margin: sums.margin,
    })
    .describe('Customers that no plan selects, who pay what they paid.'),
  total: z.object({ ...sums, ...percentages }).describe('All customers.'),
});

export type SimulationAnswer = z.output<typeof simulationAnswer>;

/** Lists at most `limit` customers of each plan. */
export function toSimulationAnswer(
  { range, target, plans, others, includeShared }: SimulationResult,
  limit: number,
): SimulationAnswer {
  const total = addUpSimulated([...plans, { ...others, simulatedRevenue: others.revenue }]);
  return {
    date_from: range.dateFrom,
    date_to: range.dateTo,
    target_margin_pct: target ? Number(formatDecimal(target)) : null,
    plans: plans.map((plan) => ({ name: plan.name, ...toPlanAnswer(plan, { limit, includeShared }) })),
    others: {
      customers: others.customers,
      revenue: wideToJsonNumber(others.revenue),
      cost: wideToJsonNumber(others.cost),
      ...(includeShared && { shared_cost: toJsonNumber(others.shared) }),
      margin: wideToJsonNumber(others.revenue - others.cost),
    },
    total: { ...toSums(total, includeShared), ...toPercentages(total) },
  };
}

function toPlanAnswer(
  plan: SimulatedPlan,
  { limit, includeShared }: { readonly limit: number; readonly includeShared: boolean },
): Omit<SimulationAnswer['plans'][number], 'name'> {
  const { customers, simulatedBase, targetBase, targetIncluded } = plan;
  const countOf = (is: (one: Simulated) => boolean) => customers.filter(is).length;
  return {
    customers: customers.length,
    ...toSums(plan, includeShared),
    ...toPercentages(plan),
    simulated_base: wideToJsonNumber(simulatedBase),
    pay_more: countOf(({ revenue, simulatedRevenue }) => simulatedRevenue > revenue),
    pay_less: countOf(({ revenue, simulatedRevenue }) => simulatedRevenue < revenue),
    below_zero: countOf(({ revenue, cost }) => revenue < cost),
    simulated_below_zero: countOf(({ cost, simulatedRevenue }) => simulatedRevenue < cost),
    target_base: {
      base_per_month: targetBase.value === undefined ? null : toJsonNumber(targetBase.value),
      reason: targetBase.reason ?? null,
    },
    target_included: {
      unit: targetIncluded.unit ?? null,
      amount: targetIncluded.value === undefined ? null : toAmount(targetIncluded.value),
      reason: targetIncluded.reason ?? null,
    },
    rows: customers.slice(0, limit).map((one) => ({ customer: one.customer, ...toSums(one, includeShared) })),
    other_customers: Math.max(0, customers.length - limit),
  };
}

const toAmount = (amount: WideMoney): number => divideToNumber(amount, widen(dollar));

const toSums = ({ revenue, cost, shared, simulatedRevenue }: Simulated, includeShared: boolean) => ({
  revenue: wideToJsonNumber(revenue),
  cost: wideToJsonNumber(cost),
  ...(includeShared && { shared_cost: toJsonNumber(shared) }),
  margin: wideToJsonNumber(revenue - cost),
  simulated_revenue: wideToJsonNumber(simulatedRevenue),
  simulated_margin: wideToJsonNumber(simulatedRevenue - cost),
});

const toPercentages = ({ revenue, cost, simulatedRevenue }: Simulated) => ({
  margin_pct: calcMargin(revenue, cost, null).marginPct,
  simulated_margin_pct: calcMargin(simulatedRevenue, cost, null).marginPct,
});
