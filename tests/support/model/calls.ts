// The calls of a project's events (D3, D4 and D5), computed by brute force from the decisions.
import type { Json } from '../client.ts';
import { picos } from '../decimal.ts';
import { dayOf } from './days.ts';

export interface ReceivedEvent {
  event: Json;
  /** Milliseconds. Only the day matters, and only if the event has no usable `timestamp`. */
  receivedAt: number;
}

/** USD per million tokens, as decimal text. */
export interface ModelPrice {
  model: string;
  input: string;
  output: string;
  cacheRead: string;
}

/** The input of the calls. */
export interface CallSources {
  /** In order of receipt. */
  events: readonly ReceivedEvent[];
  prices: readonly ModelPrice[];
  timezone: string;
}

export interface ModelCall {
  id: string;
  day: string;
  customer: string;
  user: string;
  feature: string;
  model: string;
  provider: string;
  run: string;
  tags: Map<string, string>;
  /** Gross, in picodollars. */
  cost: bigint;
  usage: ModelUsage | undefined;
  /** What of its cost is missing: all of it, or that of its units. */
  unpriced: 'whole' | 'units' | undefined;
  elapsedMs: number;
}

// D4.1 and D4.2: one call for each event id that has an outcome.
export function modelCalls(store: CallSources): ModelCall[] {
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

function modelCall(id: string, received: ReceivedEvent[], outcome: ReceivedEvent, store: CallSources): ModelCall {
  // Strongest first: `after`, `error`, `before`; within one phase the later received first.
  const events = (['after', 'error', 'before'] as const).flatMap((phase) =>
    received.flatMap(({ event }) => (phaseOf(event) === phase ? [event] : [])).reverse(),
  );
  const { field, tag, tags } = fieldsOf(events);
  const model = field('model');
  return {
    id,
    // D4.3: the time of the outcome that was received first.
    day: dayOf(timeOf(outcome), store.timezone),
    // D4.4
    user: userOf(events),
    customer:
      tag('customer') || tag('customer_id') || field('customer') || field('customer_id') || field('customer_name'),
    feature: tag('feature') || field('feature'),
    run: tag('run_id') || tag('run') || field('run_id') || field('trace_id') || field('session_id') || `the call ${id}`,
    model,
    provider: field('provider'),
    tags,
    usage: events.map(usageOf).find((found) => found !== undefined),
    elapsedMs: events.map(({ elapsed_ms: elapsed }) => elapsed).find((ms) => typeof ms === 'number') ?? 0,
    ...costOf(events, model, store.prices),
  };
}

/** D4.4, for the events of a call, strongest first, or for a single custom event. */
export function userOf(events: readonly Json[]): string {
  const { field, tag } = fieldsOf(events);
  return tag('user') || tag('user_id') || field('user') || field('user_id');
}

function fieldsOf(events: readonly Json[]) {
  const tags = mergedTags(events);
  return {
    tags,
    tag: (name: string): string => tags.get(name) ?? '',
    field: (name: string): string => events.map((event) => textOf(event[name])).find((text) => text !== '') ?? '',
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

// D3.4: numbers and booleans become strings; null and empty values of a dimension are dropped.
function tagsOf(event: Json): [string, string][] {
  const { tags } = event;
  if (typeof tags !== 'object' || tags === null) return [];
  return Object.entries(tags).flatMap(([key, value]): [string, string][] =>
    value === null || (value === '' && dimensionTags.includes(key)) ? [] : [[key, String(value)]],
  );
}

/** D3.8; undefined for a custom event. */
export function phaseOf(event: Json): 'before' | 'after' | 'error' | undefined {
  const last = String(event.event_type).split('.').at(-1);
  return last === 'before' || last === 'after' || last === 'error' ? last : undefined;
}

/** D3.9 */
export function timeOf({ event, receivedAt }: ReceivedEvent): number {
  return typeof event.timestamp === 'string' ? Date.parse(event.timestamp) : receivedAt;
}

// D3.8, D4.1: an `after` that carries `error_type` is a failure.
function isAnswered(events: readonly Json[]): boolean {
  const afters = events.filter((event) => phaseOf(event) === 'after');
  return afters.length > 0 && !afters.some((event) => textOf(event.error_type) !== '');
}

// D3.10, D3.11 and D5.3: the reported cost, else the usage of one event times the price of the model. D26.3: no unit of the
// histories has a price.
function costOf(
  events: readonly Json[],
  model: string,
  prices: readonly ModelPrice[],
): Pick<ModelCall, 'cost' | 'unpriced'> {
  const reported = events.map((event) => event.cost).find((cost) => isCount(cost, 100_000));
  if (typeof reported === 'number') return { cost: picos(reported), unpriced: undefined };

  const usage = events.map(usageOf).find((found) => found !== undefined);
  // D27.5: an answer whose usage nobody reports was paid.
  if (usage === undefined) return { cost: 0n, unpriced: isAnswered(events) ? 'whole' : undefined };
  const price = prices.find((candidate) => candidate.model === model);
  if (!usage.hasTokens || price === undefined) return { cost: 0n, unpriced: 'whole' };
  // A rate has at most 6 fractional digits, so in picodollars per million tokens it is a multiple of a million.
  const rate = (perMillion: string): bigint => picos(perMillion) / 1_000_000n;
  return {
    cost:
      BigInt(usage.uncached) * rate(price.input) +
      BigInt(usage.cached) * rate(price.cacheRead) +
      BigInt(usage.output) * rate(price.output),
    unpriced: usage.units.size > 0 ? 'units' : undefined,
  };
}

export interface ModelUsage {
  hasTokens: boolean;
  uncached: number;
  cached: number;
  output: number;
  /** In 1e-12 of one. */
  units: Map<string, bigint>;
}

/** D3.10: tokens and units of one event; undefined if it reports neither. */
function usageOf(event: Json): ModelUsage | undefined {
  const count = (...names: string[]): number | undefined => {
    const found = names.map((name) => event[name]).find((value) => isCount(value, 1e9));
    return typeof found === 'number' ? found : undefined;
  };
  const prompt = count('prompt_tokens', 'input_tokens');
  const output = count('completion_tokens', 'output_tokens');
  const cached = count('cached_tokens', 'cache_read_tokens');
  const units = new Map(
    ['web_searches', 'audio_seconds'].flatMap((name): [string, bigint][] => {
      const value = event[name];
      return isCount(value, 1e9) && value > 0 ? [[name, picos(value)]] : [];
    }),
  );
  const hasTokens = prompt !== undefined || output !== undefined || cached !== undefined;
  if (!hasTokens && units.size === 0) return undefined;
  const [all = 0, fromCache = 0] = [prompt, cached];
  // If there are more cached tokens than prompt tokens, the prompt count excludes them.
  return {
    hasTokens,
    units,
    uncached: fromCache > all ? all : all - fromCache,
    cached: fromCache,
    output: output ?? 0,
  };
}

function isCount(value: unknown, most: number): value is number {
  return typeof value === 'number' && value >= 0 && value <= most;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
