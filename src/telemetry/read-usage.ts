import { type CountName, countFields, countNames } from './ecosystem.ts';
import { type Attributes, asNumber, isJson, type Json } from './otlp/attributes.ts';
import { cacheLifetimes, exceptions, type Lookup } from './tables.ts';
import { parseObject } from './tags.ts';

/** The origin of a span: its instrumentation scope, and the provider that it names. */
export interface Emitter {
  readonly scope: string;
  readonly provider: string;
}

/**
 * The usage of a call as fields of its event: flat counts by OpenAI's convention, where totals include their parts,
 * or the provider's own usage object; with terms, and a cost that another tool computed.
 */
export function readUsageFields(attributes: Attributes, lookup: Lookup, emitter: Emitter): Json {
  const fields: Record<string, unknown> = {};
  const usage = readOwnUsage(attributes, lookup);
  if (usage !== undefined) fields.usage = usage;
  else {
    const counts = readAdded(attributes, lookup) ?? readCounts(attributes, lookup, emitter);
    Object.assign(fields, withLifetimes(counts, attributes) ?? counts);
  }
  for (const [term, names] of lookup.terms) take(fields, term, firstOf(attributes, names));
  for (const { name, path, term } of lookup.innerTerms) {
    if (fields[term] === undefined) take(fields, term, innerText(attributes.get(name), path));
  }
  const cost = readCost(firstOf(attributes, lookup.cost));
  if (cost !== undefined) Object.assign(fields, notCounted(cost));
  return fields;
}

/** A cost that a library or an agent computed. It is shown beside the computed cost and never replaces it (D14.6). */
export const notCounted = (cost: number): Json => ({ reported_cost: cost, reported_cost_counts: false });

function take(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined && value !== null) fields[name] = value;
}

function firstOf(attributes: Attributes, names: readonly string[]): unknown {
  for (const name of names) {
    const value = attributes.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

const readCost = (value: unknown): number | undefined =>
  asNumber(value) ?? (typeof value === 'string' ? asNumber(parseObject(value)?.total) : undefined);

/** An invalid count is passed on unchanged: the intake ignores it, and coverage counts the event. */
function readCounts(attributes: Attributes, lookup: Lookup, emitter: Emitter): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const count of countNames) {
    const value = firstOf(attributes, lookup.counts[count]);
    take(fields, countFields[count], asNumber(value) ?? value);
  }
  if (isCacheExcluded(attributes, emitter)) {
    const { input_tokens: input, cached_tokens: read = 0, cache_write_tokens: written = 0 } = fields;
    if (typeof input === 'number' && typeof read === 'number' && typeof written === 'number')
      fields.input_tokens = input + read + written;
  }
  return fields;
}

const isCacheExcluded = (attributes: Attributes, { scope, provider }: Emitter): boolean =>
  exceptions.some(
    (exception) =>
      (exception.scope === undefined || exception.scope === scope) &&
      (exception.has === undefined || attributes.has(exception.has)) &&
      (exception.provider === undefined || exception.provider.some((part) => provider.toLowerCase().includes(part))) &&
      (exception.unless === undefined || !attributes.has(exception.unless)),
  );

/** The provider's own usage object, which the readers of calls parse (D26.4). */
function readOwnUsage(attributes: Attributes, { ownUsage }: Lookup): Json | undefined {
  const text = ownUsage && attributes.get(ownUsage.name);
  const object = typeof text === 'string' ? parseObject(text) : undefined;
  if (object === undefined) return undefined;
  for (const path of ownUsage?.paths ?? []) {
    const found = path.reduce<unknown>((value, name) => (isJson(value) ? value[name] : undefined), object);
    if (!isJson(found) || typeof found.output_tokens !== 'number') continue;
    if (typeof found.input_tokens === 'number') return found;
    const input = asNumber(firstOf(attributes, ownUsage?.input ?? []));
    if (input !== undefined) return { ...found, input_tokens: input };
  }
  return undefined;
}

/** Counts with the lifetimes of cache writes, as Anthropic's own object; undefined where no lifetime is given. */
function withLifetimes(counts: Json, attributes: Attributes): Json | undefined {
  for (const { fiveMinutes, hour } of cacheLifetimes) {
    const [short, long] = [asNumber(attributes.get(fiveMinutes)), asNumber(attributes.get(hour))];
    if (short === undefined && long === undefined) continue;
    const {
      input_tokens: input,
      cached_tokens: read = 0,
      cache_write_tokens: written = 0,
      output_tokens: output,
    } = counts;
    if (typeof input !== 'number' || typeof read !== 'number' || typeof written !== 'number') return undefined;
    const lifetimes = { ephemeral_5m_input_tokens: short ?? 0, ephemeral_1h_input_tokens: long ?? 0 };
    return {
      usage: {
        input_tokens: Math.max(0, input - read - written),
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
        cache_creation: lifetimes,
        output_tokens: output ?? 0,
      },
    };
  }
  return undefined;
}

/** A text inside JSON text; undefined if there is none. */
function innerText(value: unknown, path: readonly string[]): string | undefined {
  const object = typeof value === 'string' ? parseObject(value) : undefined;
  const found = path.reduce<unknown>((inner, name) => (isJson(inner) ? inner[name] : undefined), object);
  return typeof found === 'string' ? found : undefined;
}

/** Disjoint counts, such as Langfuse's, whose names say what they count. */
function readAdded(attributes: Attributes, { addedCounts }: Lookup): Record<string, unknown> | undefined {
  for (const name of addedCounts) {
    const value = attributes.get(name);
    const details = typeof value === 'string' ? parseObject(value) : value;
    if (isJson(details)) return sumUp(details);
  }
  return undefined;
}

function sumUp(details: Json): Record<string, unknown> | undefined {
  const sums: Partial<Record<CountName, number>> = {};
  const addTo = (count: CountName, tokens: number) => {
    sums[count] = (sums[count] ?? 0) + tokens;
  };
  for (const [name, value] of Object.entries(details)) {
    const tokens = asNumber(value);
    const counts = countsNamed(name.toLowerCase());
    if (tokens !== undefined) for (const count of counts) addTo(count, tokens);
  }
  const fields: Record<string, unknown> = {};
  for (const count of countNames) take(fields, countFields[count], sums[count]);
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** The counts that a name such as `input_cached_tokens` adds to: its side, and the part of that side. */
function countsNamed(name: string): readonly CountName[] {
  if (name === 'total' || name === 'total_tokens') return [];
  if (/cache_?creation|cache_?write/.test(name)) return ['input', 'cacheWrite'];
  if (/cache/.test(name)) return ['input', 'cacheRead'];
  if (/^(?:input|prompt)/.test(name)) return /audio/.test(name) ? ['input', 'inputAudio'] : ['input'];
  if (/reasoning|thought/.test(name)) return ['output', 'reasoning'];
  if (/^(?:output|completion)/.test(name)) return /audio/.test(name) ? ['output', 'outputAudio'] : ['output'];
  return [];
}
