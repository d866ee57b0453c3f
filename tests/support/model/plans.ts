// How plans pay (D29.1): the customers of a period by a tag that they carry now.
import { expect } from 'vitest';
import type { Json } from '../client.ts';
import { quotient } from '../decimal.ts';
import { type ModelCall, modelCalls } from './calls.ts';
import { burnDown, grossOf } from './credits.ts';
import { byCodePoint, periodsOf } from './days.ts';
import type { MarginQuery } from './margin.ts';
import { type Earning, earningsOf } from './revenue.ts';
import { type Amount, type ModelRow, nearQuotient, shown, unit, unitsInPico } from './rows.ts';
import type { ModelStore } from './store.ts';

export interface PlansQuery extends Omit<MarginQuery, 'group_by'> {
  plan_tag?: string;
  target_margin_pct?: number;
}

interface Member {
  customer: string;
  revenue: bigint;
  cost: Amount;
}

/** Every row of the answer, in its order. With credits, only the sums are exact enough to expect. */
export function modelPlans(store: ModelStore, query: PlansQuery): ModelRow[] {
  const calls = modelCalls(store);
  const earnings = earningsOf(store.revenue ?? []);
  const costOf = query.apply_credits ? burnDown(store.grants ?? [], calls).netOf : grossOf;
  const planOf = (customer: string) => store.customerTags.get(customer)?.get(query.plan_tag ?? 'plan') ?? '';
  const target = query.target_margin_pct ?? store.atRiskBelowPct ?? null;
  return periodsOf(query.date_from, query.date_to, query.aggregate ?? 'day').flatMap((period) => {
    const isIn = ({ day }: { day: string }) => period.date_from <= day && day <= period.date_to;
    const members = membersOf(calls.filter(isIn), earnings.filter(isIn), query, costOf);
    const plans = [...new Set(members.map(({ customer }) => planOf(customer)))].sort(byCodePoint);
    return plans.map((plan) => {
      const ofPlan = members.filter(({ customer }) => planOf(customer) === plan);
      const names = new Set(ofPlan.map(({ customer }) => customer));
      const ofCalls = calls.filter(isIn).filter(({ customer }) => names.has(customer));
      return {
        row: { ...period, plan, ...planRow(ofPlan, target), ...featuresOf(ofCalls, costOf) },
        certain: true,
      };
    });
  });
}

function membersOf(
  calls: readonly ModelCall[],
  earnings: readonly Earning[],
  { customers, filter_customers_based_on_features: features }: PlansQuery,
  costOf: (some: readonly ModelCall[]) => Amount,
): Member[] {
  const names = [...new Set([...calls, ...earnings].map(({ customer }) => customer))]
    .filter((name) => customers?.includes(name) ?? true)
    .filter((name) => !features || calls.some((call) => call.customer === name && features.includes(call.feature)));
  return names.map((customer) => {
    const own = calls.filter((call) => call.customer === customer);
    const earned = earnings.filter((earning) => earning.customer === customer);
    return {
      customer,
      revenue: earned.reduce((sum, { picos }) => sum + picos, 0n) * unitsInPico,
      cost: costOf(own),
    };
  });
}

function planRow(all: readonly Member[], target: number | null): Json {
  const sums = sumsOf(all);
  const slack = all.reduce((sum, { cost }) => sum + cost.slack, 0n);
  const members = all.filter(({ customer }) => customer !== '');
  const rising = [...members].sort((a, b) =>
    a.cost.exact === b.cost.exact ? byCodePoint(b.customer, a.customer) : a.cost.exact < b.cost.exact ? -1 : 1,
  );
  const tenth = rising.slice(members.length - Math.ceil(members.length / 10));
  // The smallest cost that at least this share of the customers do not exceed.
  const at = (percent: number) => {
    const found = rising.find((_member, index) => 100 * (index + 1) >= percent * members.length);
    return shown({ exact: found?.cost.exact ?? 0n, slack });
  };
  const below = (percent: number) => members.filter((member) => isBelow(member, percent)).length;
  const lossMaking = members.filter(({ revenue, cost }) => revenue < cost.exact).length;
  const exact = (value: unknown) => (slack === 0n ? value : expect.anything());
  const margin = sums.revenue - sums.cost.exact;
  return {
    customers: members.length,
    ...shownSums(sums),
    margin_pct: exact(
      sums.revenue > 0n ? nearQuotient(quotient(100n * margin, sums.revenue)) : margin === 0n ? 0 : -100,
    ),
    cost_per_customer: { p10: at(10), p50: at(50), p90: at(90), p99: at(99), most: at(100) },
    below_zero: exact(lossMaking),
    below_zero_share: exact(members.length === 0 ? 0 : nearQuotient(lossMaking / members.length)),
    below_target: target === null ? null : exact(below(target)),
    below_target_share:
      target === null ? null : exact(members.length === 0 ? 0 : nearQuotient(below(target) / members.length)),
    dearest_tenth: exact({ customers: tenth.length, ...shownSums(sumsOf(tenth)) }),
  };
}

function isBelow({ revenue, cost }: Member, percent: number): boolean {
  const margin = revenue - cost.exact;
  if (margin < 0n) return true;
  return revenue > 0n && 100n * margin * 10n ** 6n < BigInt(Math.round(percent * 1e6)) * revenue;
}

function sumsOf(members: readonly Member[]) {
  return {
    revenue: members.reduce((sum, { revenue }) => sum + revenue, 0n),
    cost: members.reduce<Amount>(
      (sum, { cost }) => ({ exact: sum.exact + cost.exact, slack: sum.slack + cost.slack }),
      { exact: 0n, slack: 0n },
    ),
  };
}

const shownSums = ({ revenue, cost }: ReturnType<typeof sumsOf>): Json => ({
  revenue: quotient(revenue, unit),
  cost: shown(cost),
  margin: shown({ exact: revenue - cost.exact, slack: cost.slack }),
});

/** At most twenty features: histories have fewer. */
function featuresOf(calls: readonly ModelCall[], costOf: (some: readonly ModelCall[]) => Amount): Json {
  const names = [...new Set(calls.map(({ feature }) => feature))];
  const costs = names.map((feature) => ({ feature, cost: costOf(calls.filter((call) => call.feature === feature)) }));
  costs.sort((a, b) =>
    a.cost.exact === b.cost.exact ? byCodePoint(a.feature, b.feature) : a.cost.exact > b.cost.exact ? -1 : 1,
  );
  const slack = costs.reduce((sum, { cost }) => sum + cost.slack, 0n);
  // Where the last digits of costs are open, so is their order.
  return {
    features: slack === 0n ? costs.map(({ feature, cost }) => ({ feature, cost: shown(cost) })) : expect.any(Array),
    other_features_cost: shown({ exact: 0n, slack }),
  };
}
