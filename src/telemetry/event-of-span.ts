import { uuidOf } from '../lib/uuid-of.ts';
import { withoutContent, withoutLong } from './content.ts';
import { type Attributes, firstText, isJson, type Json, readAttributes } from './otlp/attributes.ts';
import type { Origin } from './otlp/records.ts';
import { plainProvider } from './providers.ts';
import { type Emitter, readUsageFields } from './read-usage.ts';
import { recogniseSpan } from './recognise.ts';
import type { Lookup } from './tables.ts';
import { readTags } from './tags.ts';

export interface EventOptions {
  /** Whether prompts and answers are stored (D14.5). */
  readonly keepsContent: boolean;
  /** The most tags of an event (D3.5). */
  readonly maxTags: number;
}

/** A span as its event (D14.4). */
export interface SpanEvent {
  readonly event: Json;
  readonly eventId: string;
  /** The trace id and span id of the parent; undefined without one. */
  readonly parent: SpanIds | undefined;
}

/** A trace id and a span id, in lower case. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** A span that can't be read: what is wrong with it. */
export interface Rejected {
  readonly reason: string;
}

/** A span that is no call, by its ids, if it has any. */
export interface NoCall {
  readonly noCall: SpanIds | undefined;
}

/** Reads a span in the form of OTLP JSON. */
export function readSpan(span: unknown, origin: Origin, options: EventOptions): SpanEvent | Rejected | NoCall {
  if (!isJson(span)) return { reason: 'it is no object, or nested too deeply' };
  const attributes = readAttributes(span.attributes);
  if (attributes === undefined) return { reason: 'its attributes are no list' };
  const lookup = recogniseSpan(attributes);
  const ids = toIds(span.traceId, span.spanId);
  if (lookup === undefined) return { noCall: ids };
  if (ids === undefined) return { reason: 'it has no trace id and span id' };
  const eventId = eventIdOfSpan(ids);
  const named = firstText(attributes, lookup.provider) ?? '';
  const emitter: Emitter = { scope: textOf(origin.scope?.name), provider: named };
  const resource = readAttributes(origin.resource?.attributes) ?? new Map<string, unknown>();
  const event = {
    event_id: eventId,
    ...outcomeOf(span, attributes, lookup),
    ...timesOf(span),
    ...dimension('model', firstText(attributes, lookup.model)),
    ...dimension('provider', named === '' ? undefined : plainProvider(named)),
    ...readUsageFields(attributes, lookup, emitter),
    trace_id: ids.traceId,
    tags: readTags(attributes, resource, options.maxTags),
    ...asReceived('span', span, origin, options),
  };
  return { event, eventId, parent: toIds(span.traceId, span.parentSpanId) };
}

/** The event id of a span (D14.3): the same however often it is exported. */
export const eventIdOfSpan = ({ traceId, spanId }: SpanIds): string => uuidOf('otel span', traceId, spanId);

const toIds = (traceId: unknown, spanId: unknown): SpanIds | undefined =>
  isId(traceId, 32) && isId(spanId, 16) ? { traceId: traceId.toLowerCase(), spanId: spanId.toLowerCase() } : undefined;

/** Whether a value is an id of so many hexadecimal digits that are not all 0. */
const isId = (value: unknown, digits: number): value is string =>
  typeof value === 'string' && value.length === digits && /^[\da-f]+$/i.test(value) && /[^0]/.test(value);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What a longer name of a model or provider is cut to (D3.4). */
const maxDimensionLength = 1_024;

/** A dimension of the event, if it is named. */
export const dimension = (name: 'model' | 'provider', value: string | undefined): Json =>
  value === undefined ? {} : { [name]: cut(value, maxDimensionLength) };

/** The first characters of a text, without half of a pair. */
export const cut = (text: string, length: number): string =>
  text.length <= length ? text : text.slice(0, length).toWellFormed();

const maxNameLength = 180;
const maxMessageLength = 500;
/** `STATUS_CODE_ERROR`. Some exporters write the name of an enum. */
const errorCodes: readonly unknown[] = [2, 'STATUS_CODE_ERROR'];

function outcomeOf({ name, status, events }: Json, attributes: Attributes, { failure }: Lookup): Json {
  const type = typeof name === 'string' && name !== '' ? cut(name, maxNameLength) : 'span';
  const isMarked = failure !== undefined && attributes.get(failure.name) === failure.value;
  const hasFailed = isJson(status) && errorCodes.includes(status.code);
  if (!hasFailed && !isMarked) return { event_type: `${type}.after` };
  const message = (hasFailed && textOf(status.message)) || textOf(failure && attributes.get(failure.message));
  return {
    event_type: `${type}.error`,
    error_type: cut(firstText(attributes, ['error.type']) ?? exceptionOf(events) ?? 'error', maxMessageLength),
    ...(message !== '' && { error_message: cut(message, maxMessageLength) }),
  };
}

/** The type of the exception that a span recorded last. */
function exceptionOf(events: unknown): string | undefined {
  if (!Array.isArray(events)) return undefined;
  const types = (events as readonly unknown[]).flatMap((event) => {
    const attributes = isJson(event) ? readAttributes(event.attributes) : undefined;
    return (attributes && firstText(attributes, ['exception.type'])) ?? [];
  });
  return types.at(-1);
}

const nanosecondsPerMs = 1_000_000n;
/** The last time that JavaScript has, in nanoseconds. */
const latest = 8_640_000_000_000_000n * nanosecondsPerMs;

/** A time in nanoseconds; undefined if it is missing or 0, which stands for unknown. */
export function nanoseconds(value: unknown): bigint | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || !/^\d{1,20}$/.test(text)) return undefined;
  const time = BigInt(text);
  return time === 0n || time > latest ? undefined : time;
}

/** A time as the event names it: its milliseconds. */
export const toTimestamp = (time: bigint): string => new Date(Number(time / nanosecondsPerMs)).toISOString();

/** The time of a call is its end. One before 2000 or far ahead is kept as sent, and the time of receipt counts (D3.9). */
function timesOf({ startTimeUnixNano, endTimeUnixNano }: Json): Json {
  const [start, end] = [nanoseconds(startTimeUnixNano), nanoseconds(endTimeUnixNano)];
  return {
    ...(end !== undefined && { timestamp: toTimestamp(end) }),
    ...(start !== undefined && end !== undefined && end >= start && { elapsed_ms: Number(end - start) / 1e6 }),
  };
}

/** The record as it was received, without its content unless the project keeps it, and what was dropped (D14.5). */
export function asReceived(name: 'span' | 'log', sent: Json, { resource, scope }: Origin, options: EventOptions): Json {
  const { record, dropped } = options.keepsContent ? { record: sent, dropped: [] } : withoutContent(sent);
  const otel = {
    resource: { attributes: withoutLong(resource?.attributes) },
    ...(scope && { scope: { ...textField('name', scope.name), ...textField('version', scope.version) } }),
    [name]: record,
  };
  return { otel, ...(dropped.length > 0 && { content_dropped: dropped }) };
}

const textField = (name: string, value: unknown): Json =>
  typeof value === 'string' && value !== '' ? { [name]: cut(value, maxDimensionLength) } : {};
