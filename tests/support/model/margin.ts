// What the margin route must answer (4.3, 2.3, D8).
import type { Json } from '../client.ts';
import { dollars, picos, quotient } from '../decimal.ts';
import { modelCalls } from './calls.ts';
import { burnDown, grossOf } from './credits.ts';
import { byCodePoint, periodsOf } from './days.ts';
import { earningsOf } from './revenue.ts';
import { type Amount, type ModelRow, nearQuotient, oneOf, shown, unit, unitsInPico } from './rows.ts';
import { withShares } from './shared.ts';
import { groupOfNames, type ModelQuery, type ModelStore } from './store.ts';

export interface MarginQuery extends ModelQuery {
  group_by?: 'customer' | `customer_tag:${string}`;
  customers?: string[];
  filter_customers_based_on_features?: string[];
}

/** Every row of the answer, in its order (D6.3). */
export function modelMargin(store: ModelStore, query: MarginQuery): ModelRow[] {
  const real = modelCalls(store);
  const earnings = earningsOf(store.revenue ?? []).filter(({ day }) => query.date_from <= day && day <= query.date_to);
  const ownOf = query.apply_credits ? burnDown(store.grants ?? [], real).netOf : grossOf;
  const { calls, costOf, sharedOf } = withShares(store, query, real, ownOf);
  const { customers, filter_customers_based_on_features: features, group_by } = query;

  return periodsOf(query.date_from, query.date_to, query.aggregate ?? 'day').flatMap((period) => {
    const isInPeriod = ({ day }: { day: string }) => period.date_from <= day && day <= period.date_to;
    const allCalls = calls.filter(isInPeriod);
    const isKept = ({ customer }: { customer: string }): boolean => {
      if (customers && !customers.includes(customer)) return false;
      // D8.5: one call in the row's period is enough.
      return (
        !features ||
        allCalls.some((call) => call.id !== '' && call.customer === customer && features.includes(call.feature))
      );
    };
    const keptCalls = allCalls.filter(isKept);
    const keptEarnings = earnings.filter(isInPeriod).filter(isKept);

    const rowOf = (isInGroup: (of: { customer: string }) => boolean, name: Json): ModelRow => {
      const [groupCalls, groupEarnings] = [keptCalls.filter(isInGroup), keptEarnings.filter(isInGroup)];
      const revenue = groupEarnings.reduce((total, earning) => total + earning.picos, 0n);
      return {
        row: {
          ...{ ...period, ...name, ...marginOf(revenue, costOf(groupCalls), store.atRiskBelowPct ?? null) },
          ...(query.include_shared && { shared_cost: dollars(sharedOf(groupCalls)) }),
        },
        certain:
          group_by === undefined || groupCalls.length > 0 || groupEarnings.some((earning) => earning.picos !== 0n),
      };
    };
    if (group_by === undefined) return [rowOf(() => true, {})];
    const [field, groupOf] = groupOfNames(group_by, store.customerTags);
    const values = new Set([...keptCalls, ...keptEarnings].map(({ customer }) => groupOf(customer)));
    return [...values]
      .sort(byCodePoint)
      .map((value) => rowOf((of) => groupOf(of.customer) === value, { [field]: value }));
  });
}

/** D8.2 and D8.3, with the revenue in picodollars. */
export function marginOf(revenuePicos: bigint, cost: Amount, atRiskBelowPct: number | null): Json {
  const revenue = revenuePicos * unitsInPico;
  const { exact, slack } = { exact: revenue - cost.exact, slack: cost.slack };
  // If the last digit of the cost is open, so are those of the margin and the percentage, and the risk status.
  const margins = [...new Set([exact - slack, exact, exact + slack])];
  const percentages = margins.map((margin) => marginPct(margin, revenue));
  const pct = marginPct(exact, revenue);
  const statuses = margins.map((margin) => riskStatus(margin, revenue, atRiskBelowPct));
  return {
    revenue: shown({ exact: revenue, slack: 0n }),
    cost: shown(cost),
    margin: shown({ exact, slack }),
    margin_pct: nearQuotient(pct, Math.max(...percentages) - Math.min(...percentages)),
    risk_status: oneOf(...new Set(statuses)),
  };
}

function marginPct(margin: bigint, revenue: bigint): number {
  if (revenue > 0n) return quotient(100n * margin, revenue);
  return margin === 0n ? 0 : -100;
}

function riskStatus(margin: bigint, revenue: bigint, atRiskBelowPct: number | null): string {
  if (margin < 0n) return 'unprofitable';
  if (revenue <= 0n || atRiskBelowPct === null) return 'healthy';
  const threshold = picos(atRiskBelowPct);
  // margin / revenue × 100 < threshold, without a division.
  return 100n * margin * unit < threshold * unitsInPico * revenue ? 'at_risk' : 'healthy';
}
