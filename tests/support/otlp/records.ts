// Spans and log records in the form of OTLP JSON.
import { randomBytes } from 'node:crypto';
import type { Json } from '../client.ts';

export type Value = string | number | boolean | readonly Value[] | { readonly [name: string]: Value };

export interface KeyValue {
  readonly key: string;
  readonly value: Json;
}

const toAny = (value: Value): Json => {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(toAny) } };
  return { kvlistValue: { values: toAttributes(value as Readonly<Record<string, Value>>) } };
};

export const toAttributes = (attributes: Readonly<Record<string, Value>>): KeyValue[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: toAny(value) }));

export const newTraceId = (): string => randomBytes(16).toString('hex');
export const newSpanId = (): string => randomBytes(8).toString('hex');

/** Nanoseconds of a time. */
export const nanos = (time: string, addedMs = 0): string => `${BigInt(Date.parse(time) + addedMs) * 1_000_000n}`;

export interface SpanFields {
  readonly traceId?: string;
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly name?: string;
  readonly attributes?: Readonly<Record<string, Value>>;
  /** Fields that replace those of the span, or are added to them, unchanged. */
  readonly as?: Json;
}

/** A span that ends at noon of 15 May 2024 after 840 ms. */
export const span = ({ attributes = {}, as = {}, ...fields }: SpanFields = {}): Json => ({
  traceId: newTraceId(),
  spanId: newSpanId(),
  name: 'chat m1',
  kind: 3,
  startTimeUnixNano: nanos('2024-05-15T12:00:00Z', -840),
  endTimeUnixNano: nanos('2024-05-15T12:00:00Z'),
  ...fields,
  attributes: toAttributes(attributes),
  ...as,
});

/** A span of a request to the model `m1`, with usage. */
export const callSpan = (fields: SpanFields = {}, [input, output] = [1000, 200]): Json =>
  span({
    ...fields,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'm1',
      'gen_ai.usage.input_tokens': input ?? 0,
      'gen_ai.usage.output_tokens': output ?? 0,
      ...fields.attributes,
    },
  });

export interface Group {
  readonly resource?: Readonly<Record<string, Value>>;
  readonly scope?: string;
}

/** A request of spans, as OTLP JSON. */
export const traces = (spans: readonly unknown[], { resource = {}, scope = 'a-test' }: Group = {}): Json => ({
  resourceSpans: [
    {
      resource: { attributes: toAttributes({ 'service.name': 'shop', ...resource }) },
      scopeSpans: [{ scope: { name: scope, version: '1.0.0' }, spans }],
    },
  ],
});

/** A request of log records, as OTLP JSON. */
export const logs = (logRecords: readonly unknown[], { resource = {}, scope = 'a-test' }: Group = {}): Json => ({
  resourceLogs: [
    {
      resource: { attributes: toAttributes({ 'service.name': 'agent', ...resource }) },
      scopeLogs: [{ scope: { name: scope }, logRecords }],
    },
  ],
});

/** A log record of noon of 15 May 2024. */
export const logRecord = (body: string, attributes: Readonly<Record<string, Value>>, as: Json = {}): Json => ({
  timeUnixNano: nanos('2024-05-15T12:00:00Z'),
  observedTimeUnixNano: nanos('2024-05-15T12:00:01Z'),
  severityNumber: 9,
  body: { stringValue: body },
  attributes: toAttributes(attributes),
  ...as,
});
