// D31: what is paid whatever is called, as the calls of its days share it.
import { picos } from '../decimal.ts';
import type { ModelCall } from './calls.ts';
import { byCodePoint, daysBetween } from './days.ts';
import { type Amount, unitsInPico } from './rows.ts';
import type { ModelStore, TagFilter } from './store.ts';

export interface ModelSharedCost {
  external_id: string;
  name: string;
  amount: number | string;
  date_from: string;
  date_to?: string | undefined;
  allocate_by: 'cost' | 'calls' | 'tokens' | 'output_tokens' | 'elapsed';
  scope?: { providers?: string[]; models?: string[]; features?: string[]; tags?: TagFilter } | undefined;
}

type CostOf = (calls: readonly ModelCall[]) => Amount;

interface Shared {
  /** With a further one for each amount that no call shares: it is of nobody. */
  calls: ModelCall[];
  costOf: CostOf;
  /** In picodollars. */
  sharedOf: (calls: readonly ModelCall[]) => bigint;
}

/** Adds the shares of the calls to their costs, where a question includes them. */
export function withShares(
  { shared: entries = [] }: ModelStore,
  { include_shared }: { include_shared?: boolean },
  real: readonly ModelCall[],
  costOf: CostOf,
): Shared {
  if (!include_shared) return { calls: [...real], costOf, sharedOf: () => 0n };
  const shares = new Map<ModelCall, bigint>();
  const give = (call: ModelCall, amount: bigint) => shares.set(call, (shares.get(call) ?? 0n) + amount);
  const nobodys: ModelCall[] = [];
  for (const [day, alike] of poolsOf(entries)) {
    const [entry] = alike;
    if (!entry) continue;
    const amount = alike.reduce((sum, one) => sum + one.ofDay, 0n);
    if (amount === 0n) continue;
    const sharers = real.filter((call) => call.day === day && isInScope(call, entry.scope ?? {})).sort(inOrder);
    if (sharers.length === 0) {
      const call = nobodysCall(day);
      nobodys.push(call);
      give(call, amount);
    }
    const weights = sharers.map((call) => weightOf(call, entry.allocate_by));
    const isWeightless = weights.every((weight) => weight === 0n);
    const whole = isWeightless ? BigInt(sharers.length) : weights.reduce((sum, weight) => sum + weight, 0n);
    let [reached, given] = [0n, 0n];
    for (const [at, call] of sharers.entries()) {
      reached += isWeightless ? 1n : (weights[at] ?? 0n);
      // BigInt division truncates towards zero.
      const upToHere = (amount * reached) / whole;
      give(call, upToHere - given);
      given = upToHere;
    }
  }
  const sharedOf = (calls: readonly ModelCall[]) => calls.reduce((sum, call) => sum + (shares.get(call) ?? 0n), 0n);
  const isNobodys = new Set(nobodys);
  return {
    calls: [...real, ...nobodys],
    sharedOf,
    costOf: (calls) => {
      const { exact, slack } = costOf(calls.filter((call) => !isNobodys.has(call)));
      return { exact: exact + sharedOf(calls) * unitsInPico, slack };
    },
  };
}

type EntryOfDay = ModelSharedCost & { ofDay: bigint };

/** The entries of each day that the same calls share by the same weight. Of entries with the same id the last counts. */
function poolsOf(entries: readonly ModelSharedCost[]): [day: string, alike: EntryOfDay[]][] {
  const pools = new Map<string, [string, EntryOfDay[]]>();
  for (const entry of new Map(entries.map((one) => [one.external_id, one])).values()) {
    const { date_from, date_to = date_from, amount, allocate_by, scope = {} } = entry;
    const days = daysBetween(date_from, date_to);
    const upTo = (count: number) => (picos(amount) * BigInt(count)) / BigInt(days.length);
    for (const [at, day] of days.entries()) {
      const { providers, models, features, tags = {} } = scope;
      const ofTags = Object.entries(tags).map(([key, values]) => [key, spelled([values].flat())]);
      const filters = [...[providers, models, features].map((values) => values && spelled(values)), ofTags.sort()];
      const key = JSON.stringify([day, allocate_by, filters]);
      const pool = pools.get(key) ?? [day, []];
      pool[1].push({ ...entry, ofDay: upTo(at + 1) - upTo(at) });
      pools.set(key, pool);
    }
  }
  return [...pools.values()];
}

const spelled = (values: readonly string[]): string[] => [...new Set(values)].sort();

function isInScope(call: ModelCall, { providers, models, features, tags = {} }: ModelSharedCost['scope'] & object) {
  return (
    (providers?.includes(call.provider) ?? true) &&
    (models?.includes(call.model) ?? true) &&
    (features?.includes(call.feature) ?? true) &&
    Object.entries(tags).every(([key, values]) => [values].flat().includes(call.tags.get(key) ?? '\0'))
  );
}

function weightOf({ cost, usage, elapsedMs }: ModelCall, by: ModelSharedCost['allocate_by']): bigint {
  switch (by) {
    case 'cost':
      return cost;
    case 'calls':
      return 1n;
    case 'tokens':
      return usage ? BigInt(usage.uncached + usage.cached + usage.output) : 0n;
    case 'output_tokens':
      return BigInt(usage?.output ?? 0);
    case 'elapsed':
      return BigInt(Math.round(elapsedMs * 1_000_000));
  }
}

/** By customer, provider, model, feature and user, and then as ClickHouse orders UUIDs: by their second half first. */
function inOrder(a: ModelCall, b: ModelCall): number {
  const halves = ({ id }: ModelCall) => id.slice(19) + id.slice(0, 18);
  return (
    byCodePoint(a.customer, b.customer) ||
    byCodePoint(a.provider, b.provider) ||
    byCodePoint(a.model, b.model) ||
    byCodePoint(a.feature, b.feature) ||
    byCodePoint(a.user, b.user) ||
    (halves(a) < halves(b) ? -1 : 1)
  );
}

const nobodysCall = (day: string): ModelCall => ({
  ...{ id: '', day, customer: '', user: '', feature: '', model: '', provider: '', run: '' },
  ...{ tags: new Map(), cost: 0n, usage: undefined, unpriced: undefined, elapsedMs: 0 },
});
