// What the costs route must answer (4.2, D5.1, D6).
import type { Dimension, Json } from '../client.ts';
import { dollars, dollarsEach } from '../decimal.ts';
import { type ModelCall, modelCalls } from './calls.ts';
import { burnDown, grossOf } from './credits.ts';
import { byCodePoint, periodsOf } from './days.ts';
import { type Amount, near, shown } from './rows.ts';
import { withShares } from './shared.ts';
import { carries, type ModelQuery, type ModelStore, type TagFilter } from './store.ts';

export interface CostsQuery extends ModelQuery {
  /** A dimension, `tag:KEY` or `customer_tag:KEY`. */
  group_by?: Dimension | `${'tag' | 'customer_tag'}:${string}`;
  customers?: string[];
  features?: string[];
  models?: string[];
  providers?: string[];
  customer_tags?: TagFilter;
  run_tags?: TagFilter;
}

/** Every row of the answer, in its order (D6.3). */
export function modelCosts(store: ModelStore, query: CostsQuery): Json[] {
  const allCalls = modelCalls(store);
  const ownOf = query.apply_credits ? burnDown(store.grants ?? [], allCalls).netOf : grossOf;
  const { calls, costOf, sharedOf } = withShares(store, query, allCalls, ownOf);
  return rowsOf(calls, query, store.customerTags, (ofRow) => ({
    ...costsOf(ofRow, costOf),
    ...(query.include_shared && { shared_cost: dollars(sharedOf(ofRow)) }),
  }));
}

/** A row per period and value, with the fields that its calls give; an ungrouped answer has every period. */
export function rowsOf(
  allCalls: readonly ModelCall[],
  query: CostsQuery,
  customerTags: ModelStore['customerTags'],
  fieldsOf: (calls: readonly ModelCall[]) => Json,
): Json[] {
  const calls = filterCalls(allCalls, query, customerTags);
  const [field, valueOfCall] = groupOf(query.group_by, customerTags);
  return periodsOf(query.date_from, query.date_to, query.aggregate ?? 'day').flatMap((period) => {
    const inPeriod = calls.filter((call) => call.day >= period.date_from && call.day <= period.date_to);
    if (field === undefined) return [{ ...period, ...fieldsOf(inPeriod) }];
    const values = [...new Set(inPeriod.map(valueOfCall))].sort(byCodePoint);
    return values.map((value) => ({
      ...period,
      [field]: value,
      ...fieldsOf(inPeriod.filter((call) => valueOfCall(call) === value)),
    }));
  });
}

/** The field of the rows and the value of a call (D28.1). */
function groupOf(
  group: CostsQuery['group_by'],
  customerTags: ModelStore['customerTags'],
): [field: string | undefined, valueOfCall: (call: ModelCall) => string] {
  if (group === undefined) return [undefined, () => ''];
  if (group.startsWith('tag:')) return ['tag', ({ tags }) => tags.get(group.slice('tag:'.length)) ?? ''];
  if (group.startsWith('customer_tag:')) {
    const key = group.slice('customer_tag:'.length);
    return ['tag', ({ customer }) => customerTags.get(customer)?.get(key) ?? ''];
  }
  return [group, (call) => call[group as Dimension]];
}

// D5.1 and D6.7: the sums of a row. Credits change only the first.
function costsOf(calls: readonly ModelCall[], costOf: (calls: readonly ModelCall[]) => Amount): Json {
  const featureRuns = new Map<string, bigint>();
  for (const call of calls) {
    if (call.feature === '') continue;
    const key = JSON.stringify([call.run, call.feature]);
    featureRuns.set(key, (featureRuns.get(key) ?? 0n) + call.cost);
  }
  const runCosts = [...featureRuns.values()];
  const average = dollarsEach(sum(runCosts), runCosts.length);
  return {
    cost: shown(costOf(calls)),
    // A quotient: its last digits are not specified.
    avg_feature_run_cost: near(average, 1e-12 + average * 1e-14),
    max_feature_run_cost: dollars(largest(runCosts)),
  };
}

// D6.6: filters select calls. Run tags are judged over all calls of the dates, before any other filter.
function filterCalls(
  calls: readonly ModelCall[],
  query: CostsQuery,
  customerTags: ModelStore['customerTags'],
): ModelCall[] {
  const inRange = calls.filter((call) => call.day >= query.date_from && call.day <= query.date_to);
  const { customers, features, models, providers, customer_tags, run_tags } = query;
  return inRange.filter((call) => {
    if (customers && !customers.includes(call.customer)) return false;
    if (features && !features.includes(call.feature)) return false;
    if (models && !models.includes(call.model)) return false;
    if (providers && !providers.includes(call.provider)) return false;
    if (customer_tags) {
      const tags = customerTags.get(call.customer);
      if (!carries(customer_tags, (key) => [tags?.get(key) ?? ''])) return false;
    }
    if (run_tags) {
      const run = inRange.filter((other) => other.run === call.run);
      if (!carries(run_tags, (key) => run.map((other) => other.tags.get(key)))) return false;
    }
    return true;
  });
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function largest(amounts: readonly bigint[]): bigint {
  return [0n, ...amounts].sort((a, b) => (a < b ? -1 : 1)).at(-1) ?? 0n;
}
