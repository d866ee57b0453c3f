import { agreesWith, type BesideKind, hasTokens } from '../calls/counts-beside.ts';
import { readNamedCounts } from '../calls/named-counts.ts';
import { countFields, countNames } from './ecosystem.ts';
import { type Attributes, asNumber, isJson, type Json, parseObject } from './otlp/attributes.ts';
import { cacheLifetimes, exceptions, type Lookup } from './tables.ts';

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
  const unread = {
    ...(isJson(fields.unread_usage) ? fields.unread_usage : {}),
    ...readUnread(attributes, lookup, fields),
  };
  if (Object.keys(unread).length > 0) fields.unread_usage = unread;
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
  const { input_tokens: input, cached_tokens: read = 0, cache_write_tokens: written = 0 } = fields;
  if (typeof input !== 'number' || typeof read !== 'number' || typeof written !== 'number') return fields;
  const cached = read + written;
  // The total shows it too.
  const isShown = cached > 0 && fields.total_tokens === input + cached + Number(fields.output_tokens ?? 0);
  if (isShown || isCacheExcluded(attributes, emitter)) fields.input_tokens = input + cached;
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
    if (!isJson(found)) continue;
    if (typeof found.output_tokens !== 'number') {
      if (hasTokens(found)) return found;
      continue;
    }
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

/** Counts by names such as Langfuse's, which say what they count. */
function readAdded(attributes: Attributes, { addedCounts }: Lookup): Json | undefined {
  for (const name of addedCounts) {
    const value = attributes.get(name);
    const details = typeof value === 'string' ? parseObject(value) : value;
    const fields = isJson(details) ? readNamedCounts(details, name) : {};
    if (Object.keys(fields).length > 0) return fields;
  }
  return undefined;
}

/** The beginnings of names of numbers that belong to a call's usage. */
const usageName = /^(?:gen_ai|llm|ai|anthropic)\.(?:usage|token_count)\./;

/** Names that repeat a count, and what they count: a side without its parts, or the provider's own count. */
const repeating: readonly (readonly [name: RegExp, kind: BesideKind])[] = [
  [/noCacheTokens$|details\.(?:input_tokens|text_prompt_tokens)$/, 'input'],
  [/textTokens$|details\.(?:output_tokens|text_candidates_tokens)$/, 'output'],
  [/details\.(?:thoughts_tokens|thinking_tokens)$/, 'reasoning'],
  [/details\.(?:cache_read_input_tokens|cached_content_tokens|cached_tokens)$/, 'cacheRead'],
  [/details\.cache_creation_input_tokens$/, 'cacheWrite'],
];

/**
 * Numbers of a span's usage that no table has, or that contradict the counts that are charged (D27.5), by their
 * attributes. A total is in the event's own counts, which are checked like those of every event.
 */
function readUnread(attributes: Attributes, lookup: Lookup, fields: Json): Json {
  let agrees: ReturnType<typeof agreesWith> | undefined;
  const unread: Record<string, number> = {};
  for (const [name, value] of attributes) {
    if (!usageName.test(name)) continue;
    const count = asNumber(value);
    if (count === undefined || count === 0 || lookup.cost.includes(name) || isLifetime(name)) continue;
    const known = countNames.find((one) => lookup.counts[one].includes(name));
    const kind = known === undefined ? repeating.find(([pattern]) => pattern.test(name))?.[1] : known;
    if (known !== undefined && count === firstOf(attributes, lookup.counts[known]) && fields.usage === undefined)
      continue;
    agrees ??= agreesWith(isJson(fields.usage) ? fields.usage : usageOfFields(fields));
    if (kind === undefined || !agrees(kind, count)) unread[name] = count;
  }
  return unread;
}

const isLifetime = (name: string): boolean =>
  cacheLifetimes.some(({ fiveMinutes, hour }) => name === fiveMinutes || name === hour);

/** Flat counts as a usage object of OpenAI's chat completions, which has the same convention. */
const usageOfFields = (fields: Json): Json => ({
  prompt_tokens: fields.input_tokens ?? fields.prompt_tokens ?? 0,
  completion_tokens: fields.output_tokens ?? fields.completion_tokens ?? 0,
  prompt_tokens_details: {
    cached_tokens: fields.cached_tokens,
    cache_write_tokens: fields.cache_write_tokens,
    audio_tokens: fields.input_audio_tokens,
  },
  completion_tokens_details: { reasoning_tokens: fields.reasoning_tokens, audio_tokens: fields.output_audio_tokens },
});
