import { isJsonObject, type JsonObject, ownObjects, ownValue } from '../../lib/json-object.ts';
import { isUnspaced } from '../../lib/plain-texts.ts';
import { Problem } from '../../lib/problem.ts';
import type { Slices } from '../../lib/slices.ts';
import { hasTooManyValues } from '../../lib/unwieldy.ts';
import { uuidOf } from '../../lib/uuid-of.ts';
import { type Form, formOf } from '../telemetry/plain-attributes.ts';
import { plainSpanName } from '../telemetry/span-name.ts';
import { as, type KeptForm, type KeptParts, keep } from './kept-parts.ts';
import { type Outcome, type Tag, tagsOfTexts } from './outcome-event.ts';
import { asList, asNumber, asText, metadataText, type Place } from './places.ts';

/** Spans as OpenRouter broadcasts them to a webhook: OTLP in JSON. */
const webhook = 'https://openrouter.ai/docs/guides/features/broadcast/webhook';
/** A payload of OpenRouter's test button; later ones have its own attributes under `trace.metadata`. */
const captured =
  'https://github.com/hra42/openrouter-go/blob/3d4791eeb2e0715d589a07164d19f9e4f826eacf/broadcast_test.go';
const later = 'https://openrouter.ai/docs/guides/features/broadcast/otel-collector';

/** Attributes of a span, in falling precedence. Their names contain dots. */
const attributes = (source: string, ...names: readonly string[]): readonly Place[] =>
  names.map((name) => ({ source, path: [name] }));

const at = {
  model: attributes(captured, 'gen_ai.response.model', 'gen_ai.request.model'),
  operation: attributes(captured, 'gen_ai.operation.name'),
  spanType: attributes(captured, 'span.type'),
  input: [...attributes(captured, 'gen_ai.usage.input_tokens'), ...attributes(webhook, 'gen_ai.usage.prompt_tokens')],
  output: [
    ...attributes(captured, 'gen_ai.usage.output_tokens'),
    ...attributes(webhook, 'gen_ai.usage.completion_tokens'),
  ],
  cacheRead: attributes(captured, 'gen_ai.usage.input_tokens.cached'),
  cacheWrite: attributes(later, 'gen_ai.usage.input_tokens.cache_creation', 'gen_ai.usage.input_tokens.cache_write'),
  inputAudio: attributes(captured, 'gen_ai.usage.input_tokens.audio'),
  inputVideo: attributes(captured, 'gen_ai.usage.input_tokens.video'),
  reasoning: attributes(captured, 'gen_ai.usage.output_tokens.reasoning'),
  outputImage: attributes(captured, 'gen_ai.usage.output_tokens.image'),
  total: attributes(webhook, 'gen_ai.usage.total_tokens'),
  cost: [...attributes(captured, 'gen_ai.usage.total_cost'), ...attributes(webhook, 'gen_ai.usage.cost')],
  customer: attributes(webhook, 'trace.metadata.customer', 'trace.metadata.customer_id'),
  user: [
    ...attributes(webhook, 'trace.metadata.user', 'user.id'),
    ...attributes(captured, 'openrouter.user_id'),
    ...attributes(later, 'trace.metadata.openrouter.user_id', 'trace.metadata.openrouter.creator_user_id'),
  ],
  feature: attributes(webhook, 'trace.metadata.feature'),
  run: attributes(webhook, 'trace.metadata.run_id', 'trace.metadata.run'),
  session: attributes(webhook, 'session.id'),
  key: [
    ...attributes(captured, 'openrouter.api_key_name'),
    ...attributes(later, 'trace.metadata.openrouter.api_key_name'),
  ],
  host: [
    ...attributes(captured, 'openrouter.provider_slug'),
    ...attributes(later, 'trace.metadata.openrouter.provider_slug'),
  ],
  tags: attributes(captured, 'trace.tags'),
  errorType: attributes(webhook, 'error.type'),
  /** `gen-…`, which is the id of the answer that the caller sees. */
  answerIds: attributes(
    later,
    ...['gen_ai.response.id', 'openrouter.generation_id', 'openrouter.request_id'],
    ...['trace.metadata.openrouter.generation_id', 'span.metadata.openrouter.generation_id'],
  ),
} as const;

const callerPrefix = 'trace.metadata.';
const ownPrefix = `${callerPrefix}openrouter.`;

/** The types of spans that are no calls. Not every span has a type. */
const otherTypes: ReadonlySet<string> = new Set(['span', 'trace', 'tool', 'agent', 'event']);

const keptNames: ReadonlySet<string> = new Set([
  ...['gen_ai.system', 'user.id', 'session.id', 'trace.name', 'trace.tags', 'span.type', 'span.level', 'error.type'],
]);
const keptPrefixes = [
  ...['gen_ai.request.', 'gen_ai.response.', 'gen_ai.usage.', 'gen_ai.operation.', 'gen_ai.provider.'],
  ...['openrouter.', 'span.metadata.', callerPrefix],
];
/** How attributes are kept without content, by how the tables of OpenTelemetry keep them. */
const forms: Readonly<Record<Form, KeptForm>> = {
  word: 'word',
  value: 'text',
  metadata: 'metadata',
  counts: 'counts',
  number: 'number',
  content: 'content',
};
/** A text that is longer counts as content, whatever its attribute's name. */
const maxKeptText = 1_024;

/** A span with its attributes as plain values. */
export interface Span {
  readonly pointer: string;
  readonly span: JsonObject;
  readonly attributes: JsonObject;
}

/** The most groups and spans of a payload, and the most calls (D3.3). */
const [maxParts, maxCalls] = [200_000, 10_000];

/** The spans that are a call each: with a model, and none such below. @throws Problem `invalid_body` for too many */
export function* findCalls(body: JsonObject): Slices<readonly Span[]> {
  const calls: Span[] = [];
  let parts = 0;
  const isTimeToYield = () => {
    parts += 1;
    if (parts > maxParts) throw tooMany(`${maxParts} spans`);
    return parts % partsBetweenYields === 0;
  };
  for (const [first, resource] of ownObjects(body, 'resourceSpans').entries()) {
    if (isTimeToYield()) yield;
    for (const [second, scope] of ownObjects(resource, 'scopeSpans').entries()) {
      if (isTimeToYield()) yield;
      for (const [third, span] of ownObjects(scope, 'spans').entries()) {
        if (isTimeToYield()) yield;
        const attributes = hasTooManyValues(span) ? {} : readAttributes(span);
        if (!isCall(attributes)) continue;
        calls.push({ pointer: `/resourceSpans/${first}/scopeSpans/${second}/spans/${third}`, span, attributes });
        if (calls.length > maxCalls) throw tooMany(`${maxCalls} calls`);
      }
    }
  }
  const parents = new Set(calls.map(({ span }) => idOf(span, 'parentSpanId')));
  return calls.filter(({ span }) => !parents.has(idOf(span, 'spanId') ?? ''));
}

const partsBetweenYields = 64;

const tooMany = (most: string): Problem =>
  new Problem('invalid_body', `A request holds at most ${most}. Nothing was stored.`);

/** A key for the span whose id is in the field `name`; undefined without an id. */
function idOf(span: JsonObject, name: string): string | undefined {
  const id = asText(ownValue(span, name));
  return id === undefined ? undefined : JSON.stringify([asText(ownValue(span, 'traceId')), id]);
}

function isCall(names: JsonObject): boolean {
  return first(names, at.model, asText) !== undefined && !otherTypes.has(first(names, at.spanType, asText) ?? '');
}

/** The outcome in a span; undefined if the span lacks its trace's id or its own. */
export function readOpenRouter({ span, attributes: names }: Span): Outcome | undefined {
  const [traceId, spanId] = [asText(ownValue(span, 'traceId')), asText(ownValue(span, 'spanId'))];
  if (traceId === undefined || spanId === undefined) return undefined;
  const status = ownValue(span, 'status');
  const [code, message] = isJsonObject(status) ? [ownValue(status, 'code'), asText(ownValue(status, 'message'))] : [];
  const failed = code === 2 || code === 'STATUS_CODE_ERROR';
  const dropped: string[] = [];
  const isKept = (name: string) =>
    (keptNames.has(name) || keptPrefixes.some((prefix) => name.startsWith(prefix))) &&
    (asText(names[name]) ?? '').length <= maxKeptText;
  const keptHere: KeptParts = new Map(
    Object.keys(names)
      .filter(isKept)
      .map((name) => [name, forms[formOf(name)]]),
  );
  const kept = keep(names, keptHere, 'attributes.', dropped);
  const name = asText(ownValue(span, 'name'));
  const isPlainName = plainSpanName(name, new Map(Object.entries(kept))) !== undefined;
  return {
    origin: 'openrouter',
    id: uuidOf('otel span', traceId.toLowerCase(), spanId.toLowerCase()),
    type: `openrouter.${first(names, at.operation, asText) ?? 'call'}`,
    failed,
    startMs: toMs(ownValue(span, 'startTimeUnixNano')),
    endMs: toMs(ownValue(span, 'endTimeUnixNano')),
    model: first(names, at.model, asText),
    answerIds: at.answerIds.map((place) => first(names, [place], asText)),
    provider: 'openrouter',
    tags: toTags(names, traceId),
    usage: usageOf(names),
    reportedCost: first(names, at.cost, asNumber),
    error: failed ? { type: first(names, at.errorType, asText), message } : undefined,
    kept: {
      traceId,
      spanId,
      parentSpanId: asText(ownValue(span, 'parentSpanId')),
      name,
      attributes: kept,
    },
    parts: new Map([
      ...as('word', 'traceId', 'spanId', 'parentSpanId'),
      ...(isPlainName ? as('text', 'name') : []),
      ...as(keptHere, 'attributes'),
    ]),
    dropped,
  };
}

function first<T>(names: JsonObject, list: readonly Place[], read: (value: unknown) => T | undefined): T | undefined {
  for (const { path } of list) {
    const value = read(ownValue(names, path[0] ?? ''));
    if (value !== undefined) return value;
  }
  return undefined;
}

function toTags(names: JsonObject, traceId: string): Tag[] {
  const said = Object.entries(names)
    .filter(([name]) => name.startsWith(callerPrefix) && !name.startsWith(ownPrefix))
    .map(([name, value]): Tag => [name.slice(callerPrefix.length), metadataText(value)]);
  return [
    ['customer', first(names, at.customer, metadataText)],
    ['user', first(names, at.user, metadataText)],
    ['feature', first(names, at.feature, metadataText)],
    ['run_id', first(names, at.run, metadataText) ?? (isUnspaced(traceId) ? traceId : undefined)],
    ...said,
    ...tagsOfTexts(first(names, at.tags, asList)),
    ['session', first(names, at.session, asText)],
    ['key', first(names, at.key, asText)],
    ['upstream', first(names, at.host, asText)],
  ];
}

/** Counts in the form of OpenAI's chat completions, which OpenRouter follows: totals include their parts. */
function usageOf(names: JsonObject): JsonObject {
  const count = (list: readonly Place[]) => first(names, list, asNumber);
  const [input, output] = [count(at.input), count(at.output)];
  const others = unreadOf(names);
  const unread = Object.keys(others).length === 0 ? {} : { unread_usage: others };
  if (input === undefined && output === undefined) return unread;
  return {
    ...unread,
    usage: {
      prompt_tokens: input ?? 0,
      completion_tokens: output ?? 0,
      total_tokens: count(at.total),
      prompt_tokens_details: given({
        cached_tokens: count(at.cacheRead),
        cache_write_tokens: count(at.cacheWrite),
        audio_tokens: count(at.inputAudio),
        video_tokens: count(at.inputVideo),
      }),
      completion_tokens_details: given({
        reasoning_tokens: count(at.reasoning),
        image_tokens: count(at.outputImage),
      }),
    },
  };
}

const usagePrefix = 'gen_ai.usage.';

/** The places of counts and costs, each with all its names. */
const countPlaces = [
  ...[at.input, at.output, at.cacheRead, at.cacheWrite, at.inputAudio, at.inputVideo, at.reasoning, at.outputImage],
  ...[at.total, at.cost],
];

/** Numbers of the usage that no place has, or that differ from the first of their place, by their names in the event. */
function unreadOf(names: JsonObject): JsonObject {
  const read = new Map<string, number | undefined>();
  for (const list of countPlaces) for (const { path } of list) read.set(path[0] ?? '', first(names, list, asNumber));
  const unread = Object.entries(names).filter(([name, value]) => {
    const number = name.startsWith(usagePrefix) ? asNumber(value) : undefined;
    return number !== undefined && number !== 0 && number !== read.get(name) && !isPartOfCost(name);
  });
  return Object.fromEntries(unread.map(([name, value]) => [name, asNumber(value)]));
}

/** Costs of one side are parts of the whole cost. */
const isPartOfCost = (name: string): boolean => /^gen_ai\.usage\.(?:input|output|prompt|completion)_cost$/.test(name);

const given = (counts: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));

/** The kinds of OTLP's values, but for bytes. */
const kinds: ReadonlySet<string> = new Set([
  ...['stringValue', 'boolValue', 'intValue', 'doubleValue', 'arrayValue', 'kvlistValue'],
]);

/** The attributes of a span by name. Lists and maps stay in OTLP's form. */
function readAttributes(span: JsonObject): JsonObject {
  const entries = ownObjects(span, 'attributes').flatMap((attribute): [string, unknown][] => {
    const [key, value] = [ownValue(attribute, 'key'), ownValue(attribute, 'value')];
    if (typeof key !== 'string' || !isJsonObject(value)) return [];
    const own = Object.entries(value).find(([kind]) => kinds.has(kind));
    return own === undefined ? [] : [[key, own[1]]];
  });
  return Object.fromEntries(entries);
}

/** Milliseconds since 1970, from nanoseconds as text, which JSON has; undefined for 0. */
function toMs(value: unknown): number | undefined {
  const text = asText(value) ?? '';
  if (!/^\d{16,20}$/.test(text)) return undefined;
  return Number(BigInt(text) / 1_000_000n);
}
