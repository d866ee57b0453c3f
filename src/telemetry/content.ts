import { isJson, type Json } from './otlp/attributes.ts';
import { contentAttributes, contentPrefixes, metadataPrefixes } from './tables.ts';

/** A longer value is treated as content, whatever its name. */
const maxValueLength = 1_024;

/** A record without prompts and answers, and the names of the attributes that were dropped (D14.5). */
export interface WithoutContent {
  readonly record: Json;
  readonly dropped: readonly string[];
}

/**
 * The name of the content that an attribute carries, or the part of the name that many attributes share; undefined if
 * it carries none.
 */
export function contentOf(name: string): string | undefined {
  if (contentAttributes.has(name)) return name;
  const prefix = contentPrefixes.find((start) => name.startsWith(start));
  return prefix === undefined ? contentInMetadata(name) : prefix.slice(0, -1);
}

/**
 * Some exporters copy attributes that they don't know into the metadata. Names of other metadata are chosen by the
 * app.
 */
function contentInMetadata(name: string): string | undefined {
  const found = metadataPrefixes.find(({ prefix }) => name.startsWith(prefix));
  const copied = found === undefined ? '' : name.slice(found.prefix.length);
  const content = copied.includes('.') ? contentOf(copied) : undefined;
  return content === undefined ? undefined : `${found?.prefix}${content}`;
}

/** Whether a value is neither text, number or boolean, nor a short list of them. */
function isLong(value: unknown): boolean {
  if (!isJson(value)) return true;
  if (value.kvlistValue !== undefined || value.bytesValue !== undefined) return true;
  if (typeof value.stringValue === 'string') return value.stringValue.length > maxValueLength;
  return value.arrayValue !== undefined && JSON.stringify(value.arrayValue).length > maxValueLength;
}

const isNumber = (value: unknown): boolean =>
  isJson(value) && ['intValue', 'doubleValue', 'boolValue'].some((name) => value[name] !== undefined);

/** A list of attributes without those that carry content. Names of dropped attributes are added to `dropped`. */
function keepPlain(list: unknown, dropped: Set<string>): readonly unknown[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return (list as readonly unknown[]).filter((pair) => {
    if (!isJson(pair) || typeof pair.key !== 'string') return false;
    const content = contentOf(pair.key) ?? (isLong(pair.value) ? pair.key : undefined);
    if (content !== undefined) dropped.add(content);
    return content === undefined;
  });
}

/** Only numbers and the type of an exception are certainly no content among the attributes of events. */
function keepEvent(event: unknown, dropped: Set<string>): Json | undefined {
  if (!isJson(event)) return undefined;
  const { attributes, ...rest } = event;
  const kept: unknown[] = [];
  for (const pair of Array.isArray(attributes) ? (attributes as readonly unknown[]) : []) {
    if (!isJson(pair) || typeof pair.key !== 'string') continue;
    if ((pair.key === 'exception.type' && !isLong(pair.value)) || isNumber(pair.value)) kept.push(pair);
    else dropped.add(`events.${pair.key}`);
  }
  return kept.length === 0 ? rest : { ...rest, attributes: kept };
}

/** The fields of a record that never carry content. */
const plainFields = [
  'traceId',
  'spanId',
  'parentSpanId',
  'traceState',
  'flags',
  'name',
  'eventName',
  'kind',
  'startTimeUnixNano',
  'endTimeUnixNano',
  'timeUnixNano',
  'observedTimeUnixNano',
  'severityNumber',
  'severityText',
  'status',
  'droppedAttributesCount',
  'droppedEventsCount',
  'droppedLinksCount',
] as const;

/** Removes content from a span or log record in the form of OTLP JSON. */
export function withoutContent(record: Json): WithoutContent {
  const dropped = new Set<string>();
  const kept: Record<string, unknown> = {};
  for (const field of plainFields) {
    const value = record[field];
    if (value !== undefined && (!isJson(value) || field === 'status')) kept[field] = value;
  }
  const attributes = keepPlain(record.attributes, dropped);
  if (attributes !== undefined) kept.attributes = attributes;
  if (Array.isArray(record.events)) {
    kept.events = (record.events as readonly unknown[]).flatMap((event) => keepEvent(event, dropped) ?? []);
  }
  if (Array.isArray(record.links)) {
    kept.links = (record.links as readonly unknown[])
      .filter(isJson)
      .map(({ traceId, spanId }) => ({ traceId, spanId }));
  }
  if (record.body !== undefined) dropped.add('body');
  return { record: kept, dropped: [...dropped].sort() };
}

/** The attributes of a resource or scope without long values, because they are stored with each call. */
export function withoutLong(attributes: unknown): readonly unknown[] {
  if (!Array.isArray(attributes)) return [];
  return (attributes as readonly unknown[]).filter(
    (pair) => isJson(pair) && typeof pair.key === 'string' && contentOf(pair.key) === undefined && !isLong(pair.value),
  );
}
