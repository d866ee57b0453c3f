import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { isWord } from '../../lib/plain-texts.ts';
import { shortHash } from '../../lib/short-hash.ts';
import { uuidOf } from '../../lib/uuid-of.ts';
import { answerIdsOf } from './answer-ids.ts';
import { toStored } from './content.ts';
import type { Emitter } from './ecosystem.ts';
import { lookalikeName } from './lookalikes.ts';
import { modelOf, withGroup } from './model-of.ts';
import { type Attributes, answerEvent, attributesOfResource, firstText, readAttributes } from './otlp/attributes.ts';
import type { RecordOrigin } from './otlp/records.ts';
import { processOf } from './process-of.ts';
import { providerOf } from './providers.ts';
import { readUsageFields } from './read-usage.ts';
import { recogniseSpan } from './recognise.ts';
import { placeAt, type SpanIds, type SpanPlace, toIds } from './span-ids.ts';
import { plainSpanName } from './span-name.ts';
import {
  answerEvents,
  beginningScopes,
  clientScopes,
  estimatingScopes,
  failures,
  followers,
  instrumentationNames,
  isOfModel,
  servedScopes,
} from './tables.ts';
import { readSaid, type SpanTags, toTagFields } from './tags.ts';

export interface EventOptions {
  /** Whether prompts and answers are stored (D14.5). */
  readonly keepsContent: boolean;
  /** The most tags of an event (D3.5). */
  readonly maxTags: number;
}

/** A span as its event (D14.4). */
export interface SpanEvent {
  readonly event: JsonObject;
  readonly place: SpanPlace;
}

/** The reason why a span can't be read. */
export interface Rejected {
  readonly reason: string;
}

/** A span that is not a call, with what it says of calls inside it. */
export interface NoCall {
  readonly said: SpanTags | undefined;
  /** How coverage names it if it looks like a call. */
  readonly lookalike: string | undefined;
}

/** Reads a span in the form of OTLP JSON. */
export function readSpan(span: unknown, origin: RecordOrigin, options: EventOptions): SpanEvent | Rejected | NoCall {
  if (!isJsonObject(span)) return { reason: 'it is no object, or nested too deeply' };
  const attributes = readSpanAttributes(span);
  if (attributes === undefined) return { reason: 'its attributes are no list' };
  const emitter = emitterOf(span, origin);
  const lookup = recogniseSpan(attributes, emitter);
  if (lookup === undefined)
    return { said: readSaid(attributes, options.maxTags), lookalike: lookalikeName(attributes, emitter) };
  const ids = toIds(span.traceId, span.spanId);
  if (ids === undefined) return { reason: 'it has no trace id and span id' };
  const parent = toIds(span.traceId, span.parentSpanId);
  const provider = providerOf(attributes, lookup.provider, emitter.scope);
  const { model, alias, geo } = modelOf(attributes, lookup, provider);
  const resource = attributesOfResource(origin.resource);
  const name = options.keepsContent ? textOf(span.name) : plainSpanName(span.name, attributes);
  const times = timesOf(span);
  const usage = {
    ...(geo !== undefined && { geo }),
    ...readUsageFields(attributes, lookup, { ...emitter, provider: provider ?? '', model: model ?? '' }),
  };
  const outcome = outcomeOf(span, attributes, name, usage);
  const fault = outcome.error_type === undefined ? undefined : textOf(isJsonObject(span.status) && span.status.message);
  const fields = {
    event_id: eventIdOfSpan(ids),
    ...outcome,
    ...times,
    ...streamTimeOf(attributes),
    ...dimension('model', model),
    ...dimension('provider', provider),
    trace_id: ids.traceId,
    ...toTagFields(
      readSaid(alias === undefined ? attributes : withGroup(attributes, alias), options.maxTags, resource),
    ),
    origin: originOf(attributes, origin, { ids, parent, ...(fault !== undefined && { fault }) }),
  };
  const event = toStored({ kind: 'span', record: span, origin, name, fields, usage }, options.keepsContent);
  return { event, place: placeAt(ids, parent, times) };
}

export const emitterOf = ({ name }: JsonObject, { scope }: RecordOrigin): Emitter => ({
  scope: textOf(scope?.name),
  version: textOf(scope?.version),
  spanName: textOf(name),
});

/** Where events of a stream have each its piece: the last one may have the usage. */
const chunkNames: ReadonlySet<string> = new Set(['mlflow.chunk.value']);

/**
 * The attributes of a span, and those of its last event that tells of an answer, with the event's name. What it lacks
 * of usage is read from its other events.
 */
function readSpanAttributes({ attributes, events }: JsonObject): Attributes | undefined {
  const own = readAttributes(attributes);
  if (own === undefined || !Array.isArray(events)) return own;
  for (const event of events as readonly unknown[]) {
    if (!isJsonObject(event) || typeof event.name !== 'string') continue;
    const isAnswer = answerEvents.has(event.name);
    for (const [name, value] of readAttributes(event.attributes) ?? []) {
      if (isAnswer || chunkNames.has(name) || (isOfModel(name) && !own.has(name))) own.set(name, value);
    }
    if (isAnswer) own.set(answerEvent, event.name);
  }
  return own;
}

/** Where a report is from, and by what it is joined to others of its request (D27.6). */
function originOf(
  attributes: Attributes,
  { resource, scope }: RecordOrigin,
  { ids, parent, fault }: { readonly ids: SpanIds; readonly parent: SpanIds | undefined; readonly fault?: string },
): JsonObject {
  return {
    ...namesOf(scope, firstText(attributes, instrumentationNames)),
    process: processOf(resource),
    trace: ids.traceId,
    span: ids.spanId,
    ...(parent && { parent: parent.spanId }),
    ...answerIdsOf(attributes, fault),
    ...streamOf(attributes, textOf(scope?.name)),
    ...(servedScopes.has(textOf(scope?.name)) && { served: true }),
    ...(estimatingScopes.has(textOf(scope?.name)) && { estimates: true }),
    ...(clientScopes.some((begin) => textOf(scope?.name).startsWith(begin)) && { client: true }),
  };
}

/** By which reports of one scope, or one instrumentation of it, are known, and how explanations call it (D27.6). */
export function namesOf(scope: RecordOrigin['scope'], instrumentation?: string): JsonObject {
  if (instrumentation !== undefined) return toNames(`${textOf(scope?.name)}.${instrumentation}`);
  const known = scope && names.get(scope);
  if (known !== undefined) return known;
  const found = toNames(textOf(scope?.name));
  if (scope) names.set(scope, found);
  return found;
}

const toNames = (name: string): JsonObject => ({ scope: shortHash(name), ...(isWord(name) && { emitter: name }) });

/** Of scopes that were seen: one is that of many spans. */
const names = new WeakMap<JsonObject, JsonObject>();

/** How long a stream took whose usage the span tells. */
function streamTimeOf(attributes: Attributes): JsonObject {
  const seconds = followers.flatMap(({ name, value, duration }) =>
    attributes.get(name) === value ? (attributes.get(duration) ?? []) : [],
  )[0];
  return typeof seconds === 'number' && seconds >= 0 ? { elapsed_ms: seconds * 1_000 } : {};
}

/** Whether the span may be that of a stream's request, which ends when the stream begins, or tells its usage after it. */
function streamOf(attributes: Attributes, scope: string): JsonObject {
  const follower = followers.find(({ name }) => attributes.has(name));
  if (follower === undefined) return beginningScopes.has(scope) ? { begins: true } : {};
  return attributes.get(follower.name) === follower.value ? { follows: true } : { begins: true };
}

/** The event id of a span (D14.3): the same each time it is exported. */
export const eventIdOfSpan = ({ traceId, spanId }: SpanIds): string => uuidOf('otel span', traceId, spanId);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Longer names of models and providers are cut to this length (D3.4). */
const maxDimensionLength = 1_024;

/** A dimension of the event, if it is named. */
export const dimension = (name: 'model' | 'provider', value: string | undefined): JsonObject =>
  value === undefined ? {} : { [name]: cut(value, maxDimensionLength) };

/** The first characters of a text, without half of a surrogate pair. */
export const cut = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).toWellFormed();

const maxNameLength = 180;
const maxMessageLength = 500;
/** `STATUS_CODE_ERROR`. Some exporters write the name of the enum's value. */
const errorCodes: readonly unknown[] = [2, 'STATUS_CODE_ERROR'];

const errorType = ['error.type'];
const exceptionType = ['exception.type'];
const exceptionMessage = ['exception.message'];

/** What Python raises in a stream that is closed before its end, as a type or at the beginning of a message. */
const leftStream = /^(?:[\w.]+\.)?GeneratorExit(?:$|\()/;

/** Exceptions by which a host leaves an answer. */
const leaving = /(?:^|\.)(?:GeneratorExit|CancelledError|KeyboardInterrupt|AbortError)$/;

/** The status says whether a request failed; where nothing tells usage, an exception does too, as LangSmith's status may not. */
function outcomeOf(
  { status, events }: JsonObject,
  attributes: Attributes,
  name: string | undefined,
  usage: JsonObject,
): JsonObject {
  const type = name === undefined || name === '' ? 'span' : cut(name, maxNameLength);
  const failure = failures.find(({ name: level, value }) => attributes.get(level) === value);
  const code = isJsonObject(status) ? status.code : undefined;
  const thrown = usage.usage_not_reported === true ? exceptionOf(events) : undefined;
  const isThrown = thrown !== undefined && !leaving.test(thrown);
  if (failure === undefined && !errorCodes.includes(code) && !isThrown) return { event_type: `${type}.after` };
  if (usage.usage_not_reported === true && isLeft(events)) return { event_type: `${type}.after`, aborted: true };
  const said = isJsonObject(status) ? textOf(status.message) : '';
  const message = said === '' && failure !== undefined ? textOf(attributes.get(failure.message)) : said;
  return {
    event_type: `${type}.error`,
    error_type: cut(firstText(attributes, errorType) ?? exceptionOf(events) ?? 'error', maxMessageLength),
    ...(message !== '' && { error_message: cut(message, maxMessageLength) }),
  };
}

/** Whether the exception that a span recorded last is that of a stream that the application left. */
const isLeft = (events: unknown): boolean =>
  leftStream.test(exceptionOf(events) ?? '') || leftStream.test(exceptionOf(events, exceptionMessage) ?? '');

/** The type, or the message, of the exception that a span recorded last. */
function exceptionOf(events: unknown, names: readonly string[] = exceptionType): string | undefined {
  if (!Array.isArray(events)) return undefined;
  const texts = (events as readonly unknown[]).flatMap((event) => {
    const attributes = isJsonObject(event) ? readAttributes(event.attributes) : undefined;
    return (attributes && firstText(attributes, names)) ?? [];
  });
  return texts.at(-1);
}

const nanosecondsPerMs = 1_000_000n;
/** The last time that JavaScript can represent, in nanoseconds. */
const latest = 8_640_000_000_000_000n * nanosecondsPerMs;

/** A time in nanoseconds; undefined if it is missing or 0, which means unknown. */
export function nanoseconds(value: unknown): bigint | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{1,20}$/.test(text)) return undefined;
  const time = BigInt(text);
  return time === 0n || time > latest ? undefined : time;
}

/** A time in milliseconds, as events have it. */
export const toTimestamp = (time: bigint): string => new Date(Number(time / nanosecondsPerMs)).toISOString();

/** A call's time is its end. One before 2000 or far ahead is kept as sent, and its receipt counts (D3.9). */
export function timesOf({ startTimeUnixNano, endTimeUnixNano }: JsonObject): JsonObject {
  const [start, end] = [nanoseconds(startTimeUnixNano), nanoseconds(endTimeUnixNano)];
  return {
    ...(end !== undefined && { timestamp: toTimestamp(end) }),
    ...(start !== undefined && end !== undefined && end >= start && { elapsed_ms: Number(end - start) / 1e6 }),
  };
}
