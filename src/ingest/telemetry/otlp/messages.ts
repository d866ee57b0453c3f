/**
 * The messages of OTLP as data: the number, the JSON name and the type of every field.
 *
 * Source: https://github.com/open-telemetry/opentelemetry-proto, v1.9.0: `opentelemetry/proto/common/v1/common.proto`,
 * `resource/v1/resource.proto`, `trace/v1/trace.proto`, `logs/v1/logs.proto` and `collector/…/v1/…_service.proto`.
 */

/** How the value of a field is written, and its form in OTLP JSON. */
export type FieldType =
  | 'string'
  /** Bytes that are hexadecimal in JSON: ids. */
  | 'hex'
  /** Bytes that are base64 in JSON. */
  | 'bytes'
  /** Whole numbers of 64 bits, which are text in JSON. */
  | 'int64'
  | 'fixed64'
  /** Numbers of 32 bits and enums, which are numbers in JSON. */
  | 'uint32'
  | 'fixed32'
  | 'double'
  | 'bool'
  | MessageType;

export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly isList: boolean;
}

/** A message: its fields by number. */
export interface MessageType {
  readonly fields: readonly (Field | undefined)[];
}

type Fields = Readonly<Record<number, readonly [name: string, type: FieldType, list?: 'list']>>;

function message(fields: Fields): MessageType {
  const byNumber: (Field | undefined)[] = [];
  for (const [number, [name, type, list]] of Object.entries(fields)) {
    byNumber[Number(number)] = { name, type, isList: list !== undefined };
  }
  return { fields: byNumber };
}

/** Values hold values, so the message is made before its fields. */
const anyFields: (Field | undefined)[] = [];
const anyValue: MessageType = { fields: anyFields };
const keyValue = message({ 1: ['key', 'string'], 2: ['value', anyValue] });
const arrayValue = message({ 1: ['values', anyValue, 'list'] });
const keyValueList = message({ 1: ['values', keyValue, 'list'] });
anyFields.push(
  ...message({
    1: ['stringValue', 'string'],
    2: ['boolValue', 'bool'],
    3: ['intValue', 'int64'],
    4: ['doubleValue', 'double'],
    5: ['arrayValue', arrayValue],
    6: ['kvlistValue', keyValueList],
    7: ['bytesValue', 'bytes'],
  }).fields,
);

export const resource = message({ 1: ['attributes', keyValue, 'list'], 2: ['droppedAttributesCount', 'uint32'] });

export const scope = message({
  1: ['name', 'string'],
  2: ['version', 'string'],
  3: ['attributes', keyValue, 'list'],
  4: ['droppedAttributesCount', 'uint32'],
});

const status = message({ 2: ['message', 'string'], 3: ['code', 'uint32'] });

const spanEvent = message({
  1: ['timeUnixNano', 'fixed64'],
  2: ['name', 'string'],
  3: ['attributes', keyValue, 'list'],
  4: ['droppedAttributesCount', 'uint32'],
});

const link = message({
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  3: ['traceState', 'string'],
  4: ['attributes', keyValue, 'list'],
  5: ['droppedAttributesCount', 'uint32'],
  6: ['flags', 'fixed32'],
});

export const span = message({
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  3: ['traceState', 'string'],
  4: ['parentSpanId', 'hex'],
  5: ['name', 'string'],
  6: ['kind', 'uint32'],
  7: ['startTimeUnixNano', 'fixed64'],
  8: ['endTimeUnixNano', 'fixed64'],
  9: ['attributes', keyValue, 'list'],
  10: ['droppedAttributesCount', 'uint32'],
  11: ['events', spanEvent, 'list'],
  12: ['droppedEventsCount', 'uint32'],
  13: ['links', link, 'list'],
  14: ['droppedLinksCount', 'uint32'],
  15: ['status', status],
  16: ['flags', 'fixed32'],
});

/** Of a span, where it is in its trace, and when, with the names of its attributes. */
export const place = message({
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  4: ['parentSpanId', 'hex'],
  6: ['kind', 'uint32'],
  7: ['startTimeUnixNano', 'fixed64'],
  8: ['endTimeUnixNano', 'fixed64'],
  9: ['attributes', message({ 1: ['key', 'string'] }), 'list'],
});

export const logRecord = message({
  1: ['timeUnixNano', 'fixed64'],
  2: ['severityNumber', 'uint32'],
  3: ['severityText', 'string'],
  5: ['body', anyValue],
  6: ['attributes', keyValue, 'list'],
  7: ['droppedAttributesCount', 'uint32'],
  8: ['flags', 'fixed32'],
  9: ['traceId', 'hex'],
  10: ['spanId', 'hex'],
  11: ['observedTimeUnixNano', 'fixed64'],
  12: ['eventName', 'string'],
});

/** The numbers of the fields that lead to the records of a request; spans and log records have the same ones. */
export const path = {
  /** `ExportTraceServiceRequest.resource_spans`, `ExportLogsServiceRequest.resource_logs`. */
  groups: 1,
  /** `ResourceSpans.resource`, `ResourceLogs.resource`, `ScopeSpans.scope`, `ScopeLogs.scope`. */
  head: 1,
  /** `ResourceSpans.scope_spans`, `ResourceLogs.scope_logs`, `ScopeSpans.spans`, `ScopeLogs.log_records`. */
  items: 2,
  /** `Span.attributes`. */
  spanAttributes: 9,
  /** `Span.events`, and `Event.time_unix_nano` and `Event.name` in it. */
  spanEvents: 11,
  eventTime: 1,
  eventName: 2,
  /** `KeyValue.key`. */
  key: 1,
} as const;
