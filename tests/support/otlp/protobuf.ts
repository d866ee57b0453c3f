// Writes OTLP JSON as protobuf, with its own copy of the field numbers of opentelemetry-proto 1.9.0.
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Json } from '../client.ts';

type Write = (writer: BinaryWriter, value: unknown) => void;
type Message = Readonly<Record<string, readonly [number: number, type: WireType, write: Write]>>;

const text: Write = (writer, value) => writer.string(String(value));
const hex: Write = (writer, value) => writer.bytes(Buffer.from(String(value), 'hex'));
const fixed64: Write = (writer, value) => writer.fixed64(String(value));
/** The members of enums that exporters write by name, in JSON. */
const members: Readonly<Record<string, number>> = {
  ...{ SPAN_KIND_INTERNAL: 1, SPAN_KIND_SERVER: 2, SPAN_KIND_CLIENT: 3, SPAN_KIND_PRODUCER: 4, SPAN_KIND_CONSUMER: 5 },
  ...{ STATUS_CODE_UNSET: 0, STATUS_CODE_OK: 1, STATUS_CODE_ERROR: 2, SEVERITY_NUMBER_INFO: 9 },
};
const member: Write = (writer, value) => writer.uint32(members[String(value)] ?? Number(value));

const bytesOf = (message: Message, value: Json): Uint8Array => {
  const writer = new BinaryWriter();
  for (const [name, [number, type, write]] of Object.entries(message)) {
    const field = value[name];
    if (field === undefined) continue;
    for (const item of Array.isArray(field) ? (field as unknown[]) : [field]) write(writer.tag(number, type), item);
  }
  return writer.finish();
};

const messageOf =
  (message: () => Message): Write =>
  (writer, value) =>
    writer.bytes(bytesOf(message(), value as Json));

const { LengthDelimited, Varint, Bit64, Bit32 } = WireType;

const anyValue: Message = {
  stringValue: [1, LengthDelimited, text],
  boolValue: [2, Varint, (writer, value) => writer.bool(Boolean(value))],
  intValue: [3, Varint, (writer, value) => writer.int64(String(value))],
  doubleValue: [4, Bit64, (writer, value) => writer.double(Number(value))],
  arrayValue: [5, LengthDelimited, messageOf(() => ({ values: [1, LengthDelimited, messageOf(() => anyValue)] }))],
  kvlistValue: [6, LengthDelimited, messageOf(() => ({ values: [1, LengthDelimited, messageOf(() => keyValue)] }))],
  bytesValue: [7, LengthDelimited, (writer, value) => writer.bytes(Buffer.from(String(value), 'base64'))],
};
const keyValue: Message = {
  key: [1, LengthDelimited, text],
  value: [2, LengthDelimited, messageOf(() => anyValue)],
};
const attributesAt = (number: number): Message => ({
  attributes: [number, LengthDelimited, messageOf(() => keyValue)],
});
const resource = messageOf(() => attributesAt(1));
const scope = messageOf(() => ({
  name: [1, LengthDelimited, text],
  version: [2, LengthDelimited, text],
  ...attributesAt(3),
}));
const event = messageOf(() => ({
  timeUnixNano: [1, Bit64, fixed64],
  name: [2, LengthDelimited, text],
  ...attributesAt(3),
}));
const link = messageOf(() => ({
  traceId: [1, LengthDelimited, hex],
  spanId: [2, LengthDelimited, hex],
  traceState: [3, LengthDelimited, text],
  ...attributesAt(4),
}));
const status = messageOf(() => ({ message: [2, LengthDelimited, text], code: [3, Varint, member] }));

const span = messageOf(() => ({
  traceId: [1, LengthDelimited, hex],
  spanId: [2, LengthDelimited, hex],
  traceState: [3, LengthDelimited, text],
  parentSpanId: [4, LengthDelimited, hex],
  name: [5, LengthDelimited, text],
  kind: [6, Varint, member],
  startTimeUnixNano: [7, Bit64, fixed64],
  endTimeUnixNano: [8, Bit64, fixed64],
  ...attributesAt(9),
  events: [11, LengthDelimited, event],
  links: [13, LengthDelimited, link],
  status: [15, LengthDelimited, status],
  flags: [16, Bit32, (writer, value) => writer.fixed32(Number(value))],
}));
const logRecord = messageOf(() => ({
  timeUnixNano: [1, Bit64, fixed64],
  severityNumber: [2, Varint, member],
  severityText: [3, LengthDelimited, text],
  body: [5, LengthDelimited, messageOf(() => anyValue)],
  ...attributesAt(6),
  traceId: [9, LengthDelimited, hex],
  spanId: [10, LengthDelimited, hex],
  observedTimeUnixNano: [11, Bit64, fixed64],
  eventName: [12, LengthDelimited, text],
}));

const request = (groups: string, scopes: string, records: string, record: Write): Message => ({
  [groups]: [
    1,
    LengthDelimited,
    messageOf(() => ({
      resource: [1, LengthDelimited, resource],
      [scopes]: [
        2,
        LengthDelimited,
        messageOf(() => ({ scope: [1, LengthDelimited, scope], [records]: [2, LengthDelimited, record] })),
      ],
    })),
  ],
});

const requests: Message = {
  ...request('resourceSpans', 'scopeSpans', 'spans', span),
  ...request('resourceLogs', 'scopeLogs', 'logRecords', logRecord),
};

/** A request in the form of OTLP JSON, as protobuf. */
export const toProtobuf = (body: Json): Uint8Array<ArrayBuffer> => new Uint8Array(bytesOf(requests, body));

/** The fields of a message by number: numbers, and text or the bytes of messages. */
export function readProtobuf(bytes: Uint8Array): Map<number, number | string | Uint8Array> {
  const fields = new Map<number, number | string | Uint8Array>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    fields.set(number, type === Varint ? Number(reader.int64()) : reader.bytes());
  }
  return fields;
}
