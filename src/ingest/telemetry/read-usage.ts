import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { agreesWith, type BesideKind, hasTokens } from '../../usage/counts-beside.ts';
import { withoutLiteLlmCost } from '../../usage/litellm-cost.ts';
import { readNamedCounts } from '../../usage/named-counts.ts';
import { Answerer } from '../../usage/readers/answerer.ts';
import {
  type CountName,
  countFields,
  countNames,
  countPaths,
  type Emitter,
  type Exception,
  type FlatCount,
} from './ecosystem.ts';
import { type Attributes, asNumber, firstAt, objectAt, parseObject, parseText, readFirst } from './otlp/attributes.ts';
import { byNames } from './otlp/by-names.ts';
import { findContradicting } from './repeated-usage.ts';
import { excludesCache, excludesReasoning, type Lookup, summingScopes } from './tables.ts';

/** The origin of a span: its instrumentation scope, and the provider and model that it names. */
export interface UsageOrigin extends Emitter {
  readonly provider: string;
  readonly model: string;
}

/**
 * The usage of a call as fields of its event: flat counts by OpenAI's convention, where totals include their parts,
 * or the provider's own usage object; with terms, and a cost that another tool computed.
 */
export function readUsageFields(attributes: Attributes, lookup: Lookup, origin: UsageOrigin): JsonObject {
  const reported = readOwnUsage(attributes, lookup, origin) ?? readAdded(attributes, lookup);
  const fields: Record<string, unknown> = { ...(reported ?? toFields(readCounts(attributes, lookup, origin))) };
  const isReported = Object.keys(fields).length > 0;
  for (const [term, names] of lookup.terms) {
    const value = firstAt(attributes, names);
    if (value !== undefined) fields[term] = value;
  }
  const unread = {
    ...(isJsonObject(fields.unread_usage) ? fields.unread_usage : {}),
    ...readUnread(attributes, lookup, fields, reported === undefined),
    ...(isReported && findContradicting(attributes, lookup, () => chargedUsage(fields))),
    ...countEarlier(attributes),
  };
  if (Object.keys(unread).length > 0) fields.unread_usage = unread;
  else if (!isReported) fields.usage_not_reported = true;
  if (summingScopes.has(origin.scope)) fields.may_be_sum = true;
  const cost = readCost(firstAt(attributes, lookup.cost));
  if (cost !== undefined) Object.assign(fields, notCounted(cost));
  return fields;
}

const earlierTurns = ['output.value#automatic_function_calling_history'];

/** Google's client asks again after each function that it calls; a span of it has the usage of the last answer alone. */
function countEarlier(attributes: Attributes): JsonObject {
  const turns = firstAt(attributes, earlierTurns);
  const answers = Array.isArray(turns) ? turns.filter((turn) => isJsonObject(turn) && turn.role === 'model').length : 0;
  return answers === 0 ? {} : { automatic_function_calling_history: answers };
}

/** A cost that a library or an agent computed. It is shown beside the computed cost and never replaces it (D14.6). */
export const notCounted = (cost: number): JsonObject => ({ reported_cost: cost, reported_cost_counts: false });

const readCost = (value: unknown): number | undefined =>
  asNumber(value) ?? (typeof value === 'string' ? asNumber(parseObject(value)?.total) : undefined);

type Counts = Partial<Record<CountName, unknown>>;

/** An invalid count is passed on unchanged: the intake ignores it, and coverage counts the event. */
function readCounts(attributes: Attributes, lookup: Lookup, origin: UsageOrigin): Counts {
  const counts: Counts = {};
  for (const count of countNames) {
    const value = firstAt(attributes, lookup.counts[count]);
    if (value !== undefined) counts[count] = asNumber(value) ?? value;
  }
  const { cacheWrite5m: short, cacheWrite1h: long } = counts;
  if (typeof short === 'number' || typeof long === 'number')
    counts.cacheWrite ??= Number(short ?? 0) + Number(long ?? 0);
  const { input, output, cacheRead: read = 0, cacheWrite: written = 0, reasoning } = counts;
  if (typeof output === 'number' && typeof reasoning === 'number') {
    // Emitters pass on what xAI says, if the total does not show that they have added it.
    const isOfXAi = counts.total !== Number(input ?? 0) + output && new Answerer({ ...origin }).isXAi;
    if (isOfXAi || isExcluded(excludesReasoning, attributes, origin)) counts.output = output + reasoning;
  }
  if (typeof input !== 'number' || typeof read !== 'number' || typeof written !== 'number') return counts;
  const cached = read + written;
  // The total shows it too.
  const isShown = cached > 0 && counts.total === input + cached + Number(output ?? 0);
  if (isShown || isExcluded(excludesCache, attributes, origin)) counts.input = input + cached;
  return counts;
}

const isExcluded = (exceptions: readonly Exception[], attributes: Attributes, origin: UsageOrigin): boolean =>
  exceptions.some(
    ({ scope, exceptScope, before, spanName, has, provider, unless }) =>
      (scope === undefined || origin.scope.startsWith(scope)) &&
      (exceptScope === undefined || origin.scope !== exceptScope) &&
      (before === undefined || isOlder(origin.version, before)) &&
      (spanName === undefined || origin.spanName.startsWith(spanName)) &&
      (has === undefined || attributes.has(has)) &&
      (provider === undefined || provider.some((part) => `${origin.provider} ${origin.model}`.includes(part))) &&
      (unless === undefined || !attributes.has(unless)),
  );

/** Whether a version such as `0.1.59` is below another. An unknown version is a new one. */
function isOlder(version: string, than: string): boolean {
  if (!/^\d/.test(version)) return false;
  const parts = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  for (const [index, part] of than.split('.').entries()) {
    const other = parts[index] ?? 0;
    if (other !== Number(part)) return other < Number(part);
  }
  return false;
}

const isFlat = (count: CountName | BesideKind): count is FlatCount => Object.hasOwn(countFields, count);

/** Counts as flat fields of an event, or as a usage object where one of them has no field. */
function toFields(counts: Counts): JsonObject {
  const named = Object.keys(counts) as CountName[];
  const fields: Record<string, unknown> = {};
  for (const count of named) {
    if (!isFlat(count)) return { usage: toUsage(counts) };
    fields[countFields[count]] = counts[count];
  }
  return fields;
}

/** Counts as a usage object of OpenAI's chat completions, which has the same convention. */
function toUsage(counts: Counts): JsonObject {
  const usage: Record<string, unknown> = {};
  for (const count of Object.keys(counts) as CountName[]) {
    const path = countPaths[count].split('.');
    const last = path.pop() ?? '';
    let at = usage;
    for (const part of path) {
      at[part] ??= {};
      at = at[part] as Record<string, unknown>;
    }
    at[last] = counts[count];
  }
  return usage;
}

/** The provider's own usage object, which the readers of calls parse (D26.4). */
const readOwnUsage = (
  attributes: Attributes,
  { name: ecosystem, ownUsage, ownInput }: Lookup,
  { provider }: UsageOrigin,
): JsonObject | undefined =>
  readFirst(attributes, ownUsage, (found, name) => {
    const said = typeof found === 'string' ? (objectAt(attributes, name) ?? parseText(found)) : found;
    if (!isJsonObject(said)) return undefined;
    const usage = ecosystem === 'litellm' ? withoutLiteLlmCost(said, provider) : said;
    if (typeof usage.output_tokens !== 'number' || typeof usage.input_tokens === 'number') {
      // Transcriptions count seconds, or tokens.
      return hasTokens(usage) || usage.type === 'duration' ? { usage } : undefined;
    }
    const input = asNumber(firstAt(attributes, ownInput));
    return input === undefined ? undefined : { usage: { ...usage, input_tokens: input } };
  });

/** Counts by names such as Langfuse's, which say what they count. */
function readAdded(attributes: Attributes, { addedCounts }: Lookup): JsonObject | undefined {
  for (const name of addedCounts) {
    const details = objectAt(attributes, name);
    const fields = details === undefined ? {} : readNamedCounts(details, name);
    if (Object.keys(fields).length > 0) return fields;
  }
  return undefined;
}

/** The beginnings of names of numbers that belong to a call's usage. */
const usageName = /^(?:gen_ai|llm|ai|anthropic)\.(?:usage|token_count)\.|^gen_ai\.client\.token\.usage$/;

/** Names that repeat a count, and what they count: a side without its parts, or the provider's own count. */
const repeating: readonly (readonly [name: RegExp, kind: BesideKind])[] = [
  [/^gen_ai\.client\.token\.usage$/, 'total'],
  [/noCacheTokens$|details\.(?:input_tokens|text_prompt_tokens)$/, 'input'],
  [/textTokens$|details\.(?:output_tokens|text_candidates_tokens)$/, 'output'],
  [/details\.(?:thoughts_tokens|thinking_tokens)$/, 'reasoning'],
  [/details\.(?:cache_read_input_tokens|cached_content_tokens|cached_tokens|text_cache_tokens)$/, 'cacheRead'],
  [/details\.cache_creation_input_tokens$/, 'cacheWrite'],
];

/**
 * Numbers of a span's usage that no table has, or that contradict the counts that are charged (D27.5), by their
 * attributes. A total is in the event's own counts, which are checked like those of every event.
 */
function readUnread(attributes: Attributes, lookup: Lookup, fields: JsonObject, areCharged: boolean): JsonObject {
  let agrees: ReturnType<typeof agreesWith> | undefined;
  const unread: Record<string, number> = {};
  for (const name of byNames(attributes, usageName, () =>
    [...attributes.keys()].filter((name) => usageName.test(name)),
  )) {
    const count = asNumber(attributes.get(name));
    if (count === undefined || count === 0 || lookup.cost.includes(name)) continue;
    const known = lookup.countOf.get(name);
    if (known !== undefined && areCharged && count === asNumber(firstAt(attributes, lookup.counts[known]))) continue;
    const kind = known ?? repeating.find(([pattern]) => pattern.test(name))?.[1];
    // Nothing is kept of the other counts that these could be compared with.
    if (kind !== undefined && kind !== 'total' && !isFlat(kind)) continue;
    agrees ??= agreesWith(chargedUsage(fields));
    if (kind === undefined || !agrees(kind, count)) unread[name] = count;
  }
  return unread;
}

const chargedUsage = (fields: JsonObject): JsonObject =>
  isJsonObject(fields.usage) ? fields.usage : usageOfFields(fields);

/** The counts among the flat fields of an event, as a usage object. */
const usageOfFields = (fields: JsonObject): JsonObject =>
  toUsage({
    ...Object.fromEntries(Object.entries(countFields).map(([count, field]) => [count, fields[field]])),
    input: fields.input_tokens ?? fields.prompt_tokens ?? 0,
    output: fields.output_tokens ?? fields.completion_tokens ?? 0,
  });
