import { DroppedKeys } from '../../lib/dropped-keys.ts';
import { isJsonObject, type JsonObject } from '../../lib/json-object.ts';
import { isWord, maxPlainLength, plainErrorType } from '../../lib/plain-texts.ts';
import { plainUsage } from '../../lib/plain-usage.ts';
import type { RecordOrigin } from './otlp/records.ts';
import { isWholeNumber, keepPlain } from './plain-attributes.ts';
import { isHex } from './span-ids.ts';
import { agentRecordNames, plainEvents } from './tables.ts';

/** An event of a span: its time, its name if a table has it, and what the tables allow. */
function keepEvent(event: unknown, dropped: DroppedKeys): JsonObject | undefined {
  if (!isJsonObject(event)) return undefined;
  const { name, timeUnixNano, attributes } = event;
  const isKnown = typeof name === 'string' && plainEvents.has(name);
  if (!isKnown) dropped.add('events.name');
  const kept = keepPlain(attributes, dropped, 'events.');
  return {
    ...(isWholeNumber(timeUnixNano) && { timeUnixNano }),
    ...(isKnown && { name }),
    ...(kept.length > 0 && { attributes: kept }),
  };
}

function keepLink(link: unknown, dropped: DroppedKeys): JsonObject | undefined {
  if (!isJsonObject(link)) return undefined;
  for (const { key } of listOf(link.attributes)) if (typeof key === 'string') dropped.add(`links.${key}`);
  return idsOf(link, ['traceId', 'spanId']);
}

const listOf = (list: unknown): JsonObject[] =>
  Array.isArray(list) ? (list as readonly unknown[]).filter(isJsonObject) : [];

const idsOf = (record: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.filter((name) => isHex(record[name])).map((name) => [name, record[name]]));

const statusCode = /^STATUS_CODE_[A-Z]{1,8}$/;
const isCode = (code: unknown, name: RegExp): boolean =>
  typeof code === 'number' || (typeof code === 'string' && name.test(code));

/** What is kept of each field of a span or log record; undefined for nothing. */
const fields: Readonly<Record<string, (value: unknown, dropped: DroppedKeys) => unknown>> = {
  ...namesOf(['traceId', 'spanId', 'parentSpanId'], (value) => (isHex(value) ? value : undefined)),
  ...namesOf(['startTimeUnixNano', 'endTimeUnixNano', 'timeUnixNano', 'observedTimeUnixNano'], keepNumber),
  ...namesOf(['flags', 'droppedAttributesCount', 'droppedEventsCount'], keepNumber),
  severityNumber: (value) => (isCode(value, /^SEVERITY_NUMBER_[A-Z]{4,11}\d?$/) ? value : undefined),
  droppedLinksCount: keepNumber,
  kind: (value) => (isCode(value, /^SPAN_KIND_[A-Z]{1,12}$/) ? value : undefined),
  severityText: (value) =>
    typeof value === 'string' && /^(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\d?$/i.test(value) ? value : undefined,
  eventName: (value) => (typeof value === 'string' && agentRecordNames.has(value) ? value : undefined),
  status: (value, dropped) => {
    if (!isJsonObject(value)) return undefined;
    const { code, message } = value;
    if (message !== undefined && message !== '') dropped.add('status.message');
    return isCode(code, statusCode) ? { code } : {};
  },
  attributes: (value, dropped) => keepPlain(value, dropped),
  events: (value, dropped) => listOf(value).map((event) => keepEvent(event, dropped)),
  links: (value, dropped) => listOf(value).map((link) => keepLink(link, dropped)),
};

function namesOf<Rule>(names: readonly string[], rule: Rule): Record<string, Rule> {
  return Object.fromEntries(names.map((name) => [name, rule]));
}

function keepNumber(value: unknown): unknown {
  return isWholeNumber(value) ? value : undefined;
}

/** A span or log record in the form of OTLP JSON without content. `name` is what is kept of a span's name. */
function keepRecord(record: JsonObject, name: string | undefined, dropped: DroppedKeys): JsonObject {
  const kept: Record<string, unknown> = {};
  for (const field in record) {
    const value = record[field];
    if (value === undefined || value === null || value === '') continue;
    const plain = field === 'name' ? name : Object.hasOwn(fields, field) ? fields[field]?.(value, dropped) : undefined;
    if (plain === undefined) dropped.add(field);
    else kept[field] = plain;
  }
  return kept;
}

/** What was read from a span or log record, with all its content, and the record itself. */
export interface ReadRecord {
  readonly kind: 'span' | 'log';
  /** In the form of OTLP JSON. */
  readonly record: JsonObject;
  readonly origin: RecordOrigin;
  /** What is kept of a span's name. */
  readonly name: string | undefined;
  readonly fields: JsonObject;
  readonly usage: JsonObject;
}

/**
 * The event to store: what was read, and the record as received. Unless the project keeps content, nothing is left of
 * it from here on, and the names of what was dropped are told (D14.5).
 */
export function toStored({ kind, record, origin, name, fields, usage }: ReadRecord, keepsContent: boolean): JsonObject {
  if (keepsContent) return { ...fields, ...usage, otel: { ...wholeOrigin(origin), [kind]: record } };
  const dropped = new DroppedKeys();
  const { resource, scope, dropped: droppedOfOrigin } = keepOrigin(origin);
  const otel = { resource, ...(scope && { scope }), [kind]: keepRecord(record, name, dropped) };
  dropped.addAll(droppedOfOrigin);
  const { error_type: type, error_message: _, ...others } = fields;
  const counted = plainUsage(usage, dropped) as JsonObject;
  return {
    ...others,
    ...(type !== undefined && { error_type: plainErrorType(String(type)) ?? 'error' }),
    ...counted,
    otel,
    ...dropped.toFields('content_dropped'),
  };
}

/** Longer values of a resource are left out even so, because they are stored with each call. */
const isShort = (value: unknown): boolean => JSON.stringify(value ?? null).length <= maxPlainLength;

function wholeOrigin({ resource, scope }: RecordOrigin): JsonObject {
  const attributes = listOf(resource?.attributes).filter(({ key, value }) => typeof key === 'string' && isShort(value));
  return {
    resource: { attributes },
    ...(scope && { scope: { ...textIn(scope, 'name'), ...textIn(scope, 'version') } }),
  };
}

function textIn(scope: JsonObject, name: string): JsonObject {
  const text = scope[name];
  return typeof text === 'string' && text !== '' ? { [name]: text.slice(0, maxPlainLength).toWellFormed() } : {};
}

/** The resource and scope of a record, kept once for all records of a group. */
interface KeptOrigin {
  readonly resource: JsonObject;
  readonly scope: JsonObject | undefined;
  readonly dropped: DroppedKeys;
}

const keptOrigins = new WeakMap<RecordOrigin, KeptOrigin>();

function keepOrigin(origin: RecordOrigin): KeptOrigin {
  const known = keptOrigins.get(origin);
  if (known !== undefined) return known;
  const dropped = new DroppedKeys();
  const { resource, scope } = origin;
  const kept = {
    resource: { attributes: keepPlain(resource?.attributes, dropped, 'resource.') },
    scope: scope && keepScope(scope, dropped),
    dropped,
  };
  keptOrigins.set(origin, kept);
  return kept;
}

/** The name of a library, and its version. */
function keepScope(scope: JsonObject, dropped: DroppedKeys): JsonObject {
  const kept: Record<string, unknown> = {};
  for (const field of ['name', 'version']) {
    const value = scope[field];
    if (typeof value !== 'string' || value === '') continue;
    if (isWord(value)) kept[field] = value;
    else dropped.add(`scope.${field}`);
  }
  for (const { key } of listOf(scope.attributes)) if (typeof key === 'string') dropped.add(`scope.${key}`);
  return kept;
}
