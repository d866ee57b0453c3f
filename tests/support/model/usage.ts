// What the usage route must answer (D2, D26).
import type { Json } from '../client.ts';
import { dollars } from '../decimal.ts';
import { type ModelCall, modelCalls } from './calls.ts';
import { type CostsQuery, rowsOf } from './costs.ts';
import { grossOf } from './credits.ts';
import { withShares } from './shared.ts';
import type { ModelStore } from './store.ts';

/** Every row of the answer, in its order, with the fields that the histories of the tests can fill. */
export function modelUsage(store: ModelStore, query: CostsQuery): Json[] {
  const { calls, sharedOf } = withShares(store, query, modelCalls(store), grossOf);
  return rowsOf(calls, query, store.customerTags, (ofRow) => ({
    ...usageOf(ofRow.filter(({ id }) => id !== '')),
    ...(query.include_shared && { shared_cost: dollars(sharedOf(ofRow)) }),
  }));
}

function usageOf(calls: readonly ModelCall[]): Json {
  const tokens = { input: 0, cache_read: 0, output: 0 };
  const units: Record<string, bigint> = {};
  for (const { usage } of calls) {
    if (usage === undefined) continue;
    tokens.input += usage.uncached;
    tokens.cache_read += usage.cached;
    tokens.output += usage.output;
    for (const [name, count] of usage.units) units[name] = (units[name] ?? 0n) + count;
  }
  return {
    calls: calls.length,
    unpriced_calls: calls.filter(({ unpriced }) => unpriced === 'whole').length,
    partly_priced_calls: calls.filter(({ unpriced }) => unpriced === 'units').length,
    tokens,
    units: Object.fromEntries(Object.entries(units).map(([name, count]) => [name, dollars(count)])),
  };
}
