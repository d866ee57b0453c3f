import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { JsonObject } from '../../../lib/json-object.ts';
import type { Slices } from '../../../lib/slices.ts';
import { type FieldType, logRecord, type MessageType, path, place, resource, scope, span } from './messages.ts';
import { type DecodeOptions, NotOtlp, PartCount, type RecordOrigin, type SentRecord } from './records.ts';

/** Values with deeper nesting are refused, so that a small body can't exhaust the stack. */
const maxDepth = 64;

/** The most fields of a span, log record, resource or scope, with those of its values. */
const maxFields = 100_000;

const notProtobuf = 'The body is no protobuf message of OTLP.';

/** The spans or log records of a protobuf body, in its order. @throws NotOtlp */
export function* decodeProtobuf(body: Buffer, options: DecodeOptions): Slices<SentRecord[]> {
  const records: SentRecord[] = [];
  try {
    const parts = new PartCount();
    for (const group of yield* childrenOf(body, path.groups, parts)) yield* readGroup(group, options, parts, records);
  } catch (cause) {
    throw cause instanceof NotOtlp ? cause : new NotOtlp(notProtobuf, { cause });
  }
  return records;
}

/** Checks that a body is a protobuf message, which is not read. @throws NotOtlp */
export function* checkProtobuf(body: Buffer): Slices<void> {
  try {
    yield* childrenOf(body, path.groups, new PartCount());
  } catch (cause) {
    throw cause instanceof NotOtlp ? cause : new NotOtlp(notProtobuf, { cause });
  }
}

function* readGroup(
  group: Buffer,
  { record, isTelling }: DecodeOptions,
  parts: PartCount,
  records: SentRecord[],
): Slices<void> {
  const { head: resourceBytes, items: scopeGroups } = yield* split(group, parts);
  let decodedResource: JsonObject | undefined;
  for (const scopeGroup of scopeGroups) {
    const { head: scopeBytes, items } = yield* split(scopeGroup, parts);
    let origin: RecordOrigin | undefined;
    const readOrigin = (): RecordOrigin => {
      // One that can't be read counts as empty, and is not read again for each record.
      decodedResource ??= (resourceBytes && decodeRecord(resource, resourceBytes)) ?? {};
      origin ??= { resource: decodedResource, scope: scopeBytes && decodeRecord(scope, scopeBytes) };
      return origin;
    };
    let read = 0;
    for (const bytes of items) {
      records.push(
        isTelling === undefined ? toRecord(record, bytes, readOrigin) : toSpan(bytes, readOrigin, isTelling),
      );
      read += 1;
      if (read % recordsBetweenYields === 0) yield;
    }
  }
}

const recordsBetweenYields = 64;

/** The bytes of a group's resource or scope, and of the messages in the group. */
interface Group {
  readonly head: Buffer | undefined;
  readonly items: readonly Buffer[];
}

function* split(bytes: Buffer, parts: PartCount): Slices<Group> {
  let head: Buffer | undefined;
  const items: Buffer[] = [];
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    if (parts.take()) yield;
    const [field, wireType] = reader.tag();
    if (wireType !== WireType.LengthDelimited) reader.skip(wireType, field);
    else if (field === path.items) items.push(reader.bytes() as Buffer);
    else if (field === path.head) head = reader.bytes() as Buffer;
    else reader.skip(wireType, field);
  }
  return { head, items };
}

const types = { span, logRecord };

const toRecord = (record: DecodeOptions['record'], bytes: Buffer, origin: () => RecordOrigin): SentRecord => ({
  origin,
  decode: () => decodeRecord(types[record], bytes),
  mayTell: true,
  place: () => decodeRecord(place, bytes),
});

/** Reads only the names of a span's attributes, without decoding the span. */
function toSpan(bytes: Buffer, origin: () => RecordOrigin, isTelling: IsTelling): SentRecord {
  const reader = new BinaryReader(bytes);
  let mayTell = false;
  for (let fields = 0; reader.pos < reader.len; fields += 1) {
    // It is not decoded either, and so it is counted.
    if (fields > maxFields) return toRecord('span', bytes, origin);
    const [field, wireType] = reader.tag();
    const mayName =
      field === path.spanAttributes ? mayAttributeTell : field === path.spanEvents ? mayEventTell : undefined;
    if (mayName !== undefined && wireType === WireType.LengthDelimited && !mayTell) {
      const end = reader.uint32() + reader.pos;
      mayTell = mayName(bytes, reader.pos, isTelling);
      reader.pos = end;
    } else {
      reader.skip(wireType, field);
    }
  }
  if (reader.pos > reader.len) throw new RangeError('A span ends too early');
  return { origin, decode: () => decodeRecord(span, bytes), mayTell, place: () => decodeRecord(place, bytes) };
}

type IsTelling = NonNullable<DecodeOptions['isTelling']>;

/** The tag of `KeyValue.key`, which every writer puts first. */
const keyTag = (path.key << 3) | WireType.LengthDelimited;

/** The longest name whose length takes one byte. */
const maxShortName = 127;

/** Whether the attribute at a place may tell: also one that does not begin with its name, or whose name is long. */
function mayAttributeTell(bytes: Buffer, at: number, isTelling: IsTelling): boolean {
  const length = bytes[at + 1] ?? 0;
  if (bytes[at] !== keyTag || length > maxShortName) return true;
  return isTelling(bytes.toString('latin1', at + 2, at + 2 + length));
}

/** The tag of `Event.time_unix_nano`, which comes before its name, and the bytes of both. */
const timeTag = (path.eventTime << 3) | WireType.Bit64;
const timeLength = 9;
const nameTag = (path.eventName << 3) | WireType.LengthDelimited;

/** The same of an event: also of one that does not begin with its time and its name. */
function mayEventTell(bytes: Buffer, at: number, isTelling: IsTelling): boolean {
  const nameAt = bytes[at] === timeTag ? at + timeLength : at;
  const length = bytes[nameAt + 1] ?? 0;
  if (bytes[nameAt] !== nameTag || length > maxShortName) return true;
  return isTelling(bytes.toString('latin1', nameAt + 2, nameAt + 2 + length));
}

/** The bytes of all fields with this number in a message, without decoding them. */
function* childrenOf(bytes: Buffer, number: number, parts: PartCount): Slices<Buffer[]> {
  const found: Buffer[] = [];
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    if (parts.take()) yield;
    const [field, wireType] = reader.tag();
    if (field === number && wireType === WireType.LengthDelimited) found.push(reader.bytes() as Buffer);
    else reader.skip(wireType, field);
  }
  return found;
}

/** A record in the form of OTLP JSON; undefined if its bytes are not such a message. */
function decodeRecord(type: MessageType, bytes: Buffer): JsonObject | undefined {
  try {
    return decode(type, bytes);
  } catch {
    return undefined;
  }
}

function decode(type: MessageType, bytes: Buffer, depth = 0, fields = { left: maxFields }): JsonObject {
  if (depth > maxDepth) throw new RangeError('Values are nested too deeply');
  const decoded: Record<string, unknown> = {};
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    fields.left -= 1;
    if (fields.left < 0) throw new RangeError('There are too many values');
    const [number, wireType] = reader.tag();
    const field = type.fields[number];
    if (field === undefined || wireType !== wireTypeOf(field.type)) {
      reader.skip(wireType, number);
      continue;
    }
    const value = decodeValue(field.type, reader, depth, fields);
    const known = decoded[field.name];
    if (!field.isList) decoded[field.name] = value;
    else if (Array.isArray(known)) known.push(value);
    else decoded[field.name] = [value];
  }
  return decoded;
}

function wireTypeOf(type: FieldType): WireType {
  switch (type) {
    case 'int64':
    case 'uint32':
    case 'bool':
      return WireType.Varint;
    case 'fixed64':
    case 'double':
      return WireType.Bit64;
    case 'fixed32':
      return WireType.Bit32;
    default:
      return WireType.LengthDelimited;
  }
}

function decodeValue(type: FieldType, reader: BinaryReader, depth: number, fields: { left: number }): unknown {
  switch (type) {
    case 'string':
      return (reader.bytes() as Buffer).toString();
    case 'hex':
      return (reader.bytes() as Buffer).toString('hex');
    case 'bytes':
      return (reader.bytes() as Buffer).toString('base64');
    case 'int64':
      return String(reader.int64());
    case 'fixed64':
      return String(reader.fixed64());
    case 'uint32':
      return reader.uint32();
    case 'fixed32':
      return reader.fixed32();
    case 'double':
      return reader.double();
    case 'bool':
      return reader.bool();
    default:
      return decode(type, reader.bytes() as Buffer, depth + 1, fields);
  }
}
