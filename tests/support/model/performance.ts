// What the performance route must answer (4.4, 2.4, D9).
import type { Json } from '../client.ts';
import { dollars, quotient } from '../decimal.ts';
import { type ModelCall, modelCalls } from './calls.ts';
import { burnDown, grossOf } from './credits.ts';
import { byCodePoint, periodsOf } from './days.ts';
import { type Feed, feedsOf, type KeyMetric, metricValue, sumUnit } from './key-metrics.ts';
import { type Amount, type ModelRow, nearQuotient, shown, unit } from './rows.ts';
import { withShares } from './shared.ts';
import { carries, groupOfNames, type ModelQuery, type ModelStore, type TagFilter } from './store.ts';

export interface PerformanceQuery extends ModelQuery {
  group_by?: 'user' | `user_tag:${string}`;
  users?: string[];
  filter_users_based_on_features?: string[];
  user_tags?: TagFilter;
}

/** Every row of the answer, in its order (D6.3). */
export function modelPerformance(store: ModelStore, query: PerformanceQuery): ModelRow[] {
  const real = modelCalls(store);
  const ownOf = query.apply_credits ? burnDown(store.grants ?? [], real).netOf : grossOf;
  const { calls, costOf, sharedOf } = withShares(store, query, real, ownOf);
  const metrics = (store.keyMetrics ?? []).map((metric) => ({
    metric,
    feeds: feedsOf(store.events, metric, store.timezone),
  }));
  const { users, user_tags, filter_users_based_on_features: features, group_by } = query;

  return periodsOf(query.date_from, query.date_to, query.aggregate ?? 'day').flatMap((period) => {
    const isInPeriod = ({ day }: { day: string }) => period.date_from <= day && day <= period.date_to;
    const allCalls = calls.filter(isInPeriod);
    const isKept = ({ user }: { user: string }): boolean => {
      if (users && !users.includes(user)) return false;
      if (user_tags && !carries(user_tags, (key) => [store.userTags?.get(user)?.get(key) ?? ''])) return false;
      // D9.3: one call in the row's period is enough.
      return (
        !features || allCalls.some((call) => call.id !== '' && call.user === user && features.includes(call.feature))
      );
    };
    const keptCalls = allCalls.filter(isKept);
    const kept = metrics.map(({ metric, feeds }) => ({ metric, feeds: feeds.filter(isInPeriod).filter(isKept) }));

    const rowOf = (isInGroup: (of: { user: string }) => boolean, name: Json): ModelRow => {
      const groupCalls = keptCalls.filter(isInGroup);
      const entries = kept.flatMap(({ metric, feeds }) => entryOf(metric, feeds.filter(isInGroup), groupCalls, costOf));
      return {
        row: {
          ...{ ...period, ...name, cost: shown(costOf(groupCalls)), key_metrics: Object.fromEntries(entries) },
          ...(query.include_shared && { shared_cost: dollars(sharedOf(groupCalls)) }),
        },
        certain: group_by === undefined || groupCalls.length > 0 || entries.length > 0,
      };
    };
    if (group_by === undefined) return [rowOf(() => true, {})];
    const [field, groupOf] = groupOfNames(group_by, store.userTags);
    const values = new Set([...keptCalls, ...kept.flatMap(({ feeds }) => feeds)].map(({ user }) => groupOf(user)));
    return [...values].sort(byCodePoint).map((value) => rowOf((of) => groupOf(of.user) === value, { [field]: value }));
  });
}

/** D9.2: an entry exists if an event feeds the metric and its value is not 0. */
function entryOf(
  metric: KeyMetric,
  feeds: readonly Feed[],
  calls: readonly ModelCall[],
  costOf: (calls: readonly ModelCall[]) => Amount,
): [string, Json][] {
  const value = metricValue(feeds, metric);
  if (value === 0n) return [];
  const { features } = metric;
  const total = costOf(calls.filter((call) => features === undefined || features.includes(call.feature)));
  const size = value < 0n ? -value : value;
  // `total` and `value` are in units of 10⁻³⁰.
  const [each, slack] = [quotient(total.exact * sumUnit, value * unit), quotient(total.slack * sumUnit, size * unit)];
  return [
    [
      metric.name,
      {
        value: quotient(value, sumUnit),
        total_cost: shown(total),
        cost_per_unit: nearQuotient(each, slack),
      },
    ],
  ];
}
