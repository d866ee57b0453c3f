// What the costs route must answer, computed by brute force over plain arrays, straight from the decisions.
// It shares no code with the service and is written to be read beside the specification, not to be quick.
import type { CostRow, Dimension, Json } from './client.ts';
import { dollars, dollarsEach, picos } from './decimal.ts';

export interface ReceivedEvent {
  event: Json;
  /** Milliseconds; only its day counts, and only when the event has no usable `timestamp`. */
  receivedAt: number;
}

/** USD per million tokens, as decimal text. */
export interface ModelPrice {
  model: string;
  input: string;
  output: string;
  cacheRead: string;
}

export interface ModelStore {
  /** In the order of receipt. */
  events: readonly ReceivedEvent[];
  prices: readonly ModelPrice[];
  customerTags: ReadonlyMap<string, ReadonlyMap<string, string>>;
  timezone: string;
}

export type Aggregate = 'day' | 'week' | 'month' | 'quarter' | 'year' | 'all';
export type TagFilter = Record<string, string | string[]>;

export interface ModelQuery {
  date_from: string;
  date_to: string;
  aggregate?: Aggregate;
  group_by?: Dimension;
  customers?: string[];
  features?: string[];
  models?: string[];
  providers?: string[];
  customer_tags?: TagFilter;
  run_tags?: TagFilter;
}

interface ModelCall {
  day: string;
  customer: string;
  feature: string;
  model: string;
  provider: string;
  run: string;
  tags: Map<string, string>;
  cost: bigint;
}

/** Every row of the answer, in the answer's order (D6.3). */
export function modelCosts(store: ModelStore, query: ModelQuery): CostRow[] {
  const calls = filterCalls(modelCalls(store), query, store.customerTags);
  const dimension = query.group_by;
  return periodsOf(query.date_from, query.date_to, query.aggregate ?? 'day').flatMap((period) => {
    const inPeriod = calls.filter((call) => call.day >= period.date_from && call.day <= period.date_to);
    if (dimension === undefined) return [{ ...period, ...costsOf(inPeriod) }];
    const values = [...new Set(inPeriod.map((call) => call[dimension]))].sort(byCodePoint);
    return values.map((value) => ({
      ...period,
      [dimension]: value,
      ...costsOf(inPeriod.filter((call) => call[dimension] === value)),
    }));
  });
}

// D5.1 and D6.7: the sums of a row.
function costsOf(calls: readonly ModelCall[]): Pick<CostRow, 'cost' | 'avg_feature_run_cost' | 'max_feature_run_cost'> {
  const featureRuns = new Map<string, bigint>();
  for (const call of calls) {
    if (call.feature === '') continue;
    const key = JSON.stringify([call.run, call.feature]);
    featureRuns.set(key, (featureRuns.get(key) ?? 0n) + call.cost);
  }
  const runCosts = [...featureRuns.values()];
  return {
    cost: dollars(sum(calls.map((call) => call.cost))),
    avg_feature_run_cost: dollarsEach(sum(runCosts), runCosts.length),
    max_feature_run_cost: dollars(largest(runCosts)),
  };
}

// D6.6: filters select calls; run tags are judged over all calls of the dates, before any other filter.
function filterCalls(
  calls: readonly ModelCall[],
  query: ModelQuery,
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
      if (!carries(customer_tags, (key) => (tags?.has(key) ? [tags.get(key)] : []))) return false;
    }
    if (run_tags) {
      const run = inRange.filter((other) => other.run === call.run);
      if (!carries(run_tags, (key) => run.map((other) => other.tags.get(key)))) return false;
    }
    return true;
  });
}

// AND across the keys, OR within the values of one.
function carries(filter: TagFilter, valuesOf: (key: string) => (string | undefined)[]): boolean {
  return Object.entries(filter).every(([key, wanted]) => {
    const values = valuesOf(key);
    return [wanted].flat().some((value) => values.includes(value));
  });
}

// D4.1 and D4.2: one call for each event id that has an outcome.
function modelCalls(store: ModelStore): ModelCall[] {
  const byId = new Map<string, ReceivedEvent[]>();
  for (const received of store.events) {
    if (phaseOf(received.event) === undefined) continue;
    const id = String(received.event.event_id).toLowerCase();
    byId.set(id, [...(byId.get(id) ?? []), received]);
  }
  return [...byId].flatMap(([id, events]) => {
    const outcome = events.find(({ event }) => phaseOf(event) !== 'before');
    return outcome === undefined ? [] : [modelCall(id, events, outcome, store)];
  });
}

function modelCall(id: string, received: ReceivedEvent[], outcome: ReceivedEvent, store: ModelStore): ModelCall {
  // The strongest first: `after`, then `error`, then `before`; within one phase the later received.
  const events = (['after', 'error', 'before'] as const).flatMap((phase) =>
    received.flatMap(({ event }) => (phaseOf(event) === phase ? [event] : [])).reverse(),
  );
  const field = (name: string): string => events.map((event) => textOf(event[name])).find((text) => text !== '') ?? '';
  const tags = mergedTags(events);
  const tag = (name: string): string => tags.get(name) ?? '';
  const model = field('model');
  return {
    // D4.3: the time of the outcome that was received first.
    day: dayOf(timeOf(outcome), store.timezone),
    // D4.4
    customer:
      tag('customer') || tag('customer_id') || field('customer') || field('customer_id') || field('customer_name'),
    feature: tag('feature') || field('feature'),
    run: tag('run_id') || tag('run') || field('run_id') || field('trace_id') || field('session_id') || `the call ${id}`,
    model,
    provider: field('provider'),
    tags,
    cost: costOf(events, model, store.prices),
  };
}

const dimensionTags = ['customer', 'customer_id', 'user', 'user_id', 'feature', 'run_id', 'run'];

/** All tags, merged per key (D4.1). */
function mergedTags(events: readonly Json[]): Map<string, string> {
  const merged = new Map<string, string>();
  for (const event of [...events].reverse()) {
    for (const [key, value] of tagsOf(event)) merged.set(key, value);
  }
  return merged;
}

// D3.4: numbers and booleans become strings, null is dropped, and so is an empty value of a dimension.
function tagsOf(event: Json): [string, string][] {
  const { tags } = event;
  if (typeof tags !== 'object' || tags === null) return [];
  return Object.entries(tags).flatMap(([key, value]): [string, string][] =>
    value === null || (value === '' && dimensionTags.includes(key)) ? [] : [[key, String(value)]],
  );
}

// D3.8
function phaseOf(event: Json): 'before' | 'after' | 'error' | undefined {
  const last = String(event.event_type).split('.').at(-1);
  return last === 'before' || last === 'after' || last === 'error' ? last : undefined;
}

// D3.9
function timeOf({ event, receivedAt }: ReceivedEvent): number {
  return typeof event.timestamp === 'string' ? Date.parse(event.timestamp) : receivedAt;
}

// D3.10, D3.11 and D5.3: a reported cost, else whole usage of one event times the price of the model.
function costOf(events: readonly Json[], model: string, prices: readonly ModelPrice[]): bigint {
  const reported = events.map((event) => event.cost).find((cost) => isCount(cost, 100_000));
  if (typeof reported === 'number') return picos(reported);

  const usage = events.map(usageOf).find((found) => found !== undefined);
  const price = prices.find((candidate) => candidate.model === model);
  if (usage === undefined || price === undefined) return 0n;
  // A rate in picodollars per million tokens is a whole multiple of a million (at most 6 fractional digits).
  const rate = (perMillion: string): bigint => picos(perMillion) / 1_000_000n;
  return (
    BigInt(usage.uncached) * rate(price.input) +
    BigInt(usage.cached) * rate(price.cacheRead) +
    BigInt(usage.output) * rate(price.output)
  );
}

interface FlatUsage {
  uncached: number;
  cached: number;
  output: number;
}

function usageOf(event: Json): FlatUsage | undefined {
  const count = (...names: string[]): number | undefined => {
    const found = names.map((name) => event[name]).find((value) => isCount(value, 1e9));
    return typeof found === 'number' ? found : undefined;
  };
  const prompt = count('prompt_tokens', 'input_tokens');
  const output = count('completion_tokens', 'output_tokens');
  const cached = count('cached_tokens', 'cache_read_tokens');
  if (prompt === undefined && output === undefined && cached === undefined) return undefined;
  const [all = 0, fromCache = 0] = [prompt, cached];
  // Counts that can't include the cached tokens are read as excluding them.
  return { uncached: fromCache > all ? all : all - fromCache, cached: fromCache, output: output ?? 0 };
}

function isCount(value: unknown, most: number): value is number {
  return typeof value === 'number' && value >= 0 && value <= most;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function largest(amounts: readonly bigint[]): bigint {
  return [0n, ...amounts].sort((a, b) => (a < b ? -1 : 1)).at(-1) ?? 0n;
}

/** The calendar day of an instant, from the runtime's own time zone data. */
export function dayOf(instant: number, timezone: string): string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    calendar: 'gregory',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
}

export interface ModelPeriod {
  date_from: string;
  date_to: string;
}

// D6.1: walks over the days and starts a period wherever the calendar does, so the edges clip themselves.
export function periodsOf(from: string, to: string, aggregate: Aggregate): ModelPeriod[] {
  const periods: ModelPeriod[] = [];
  let name: string | undefined;
  for (let day = from; day <= to; day = addDays(day, 1)) {
    const last = periods.at(-1);
    if (last !== undefined && periodName(day, aggregate) === name) last.date_to = day;
    else periods.push({ date_from: day, date_to: day });
    name = periodName(day, aggregate);
  }
  return periods;
}

function periodName(day: string, aggregate: Aggregate): string {
  switch (aggregate) {
    case 'day':
      return day;
    case 'week': {
      // The Monday of its week.
      const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
      return addDays(day, -weekday);
    }
    case 'month':
      return day.slice(0, 7);
    case 'quarter':
      return `${day.slice(0, 4)}-${Math.ceil(Number(day.slice(5, 7)) / 3)}`;
    case 'year':
      return day.slice(0, 4);
    case 'all':
      return 'all';
  }
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Code points, not UTF-16 units: they differ above U+FFFF. */
export function byCodePoint(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    const difference = (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
