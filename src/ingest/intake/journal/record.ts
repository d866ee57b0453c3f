import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The form of the journal's files. A segment has a header, then records, then an end mark; a record has the events of
 * the requests that shared one `fdatasync`. All numbers are little-endian.
 *
 * - Header: the magic, a random marker of 16 bytes, the length and the text of the writer's id, a CRC-32 of all that. A
 *   copy begins at byte 4,096, in another block of the disk.
 * - Record: the marker, the length of the body, a CRC-32 of the body, the body.
 * - End mark: a record with an empty body. It is written with each record, and the next record is written over it: a
 *   file without it was cut off, or its last write was.
 * - Body: the first sequence, the number of requests; for each request its project, its client, when it was read and
 *   received, the number of its events and their lengths; then the texts of all events.
 *
 * The marker is in no event, since no client can know it: a record is found by it even behind damaged bytes, and bytes
 * of an event are never taken for a record.
 */
const magic = Buffer.from('fartjrn1', 'latin1');
const copyAt = 4_096;
const markerBytes = 16;
const prefixBytes = markerBytes + 8;
const crcBytes = 4;
const maxHeaderBytes = copyAt + magic.length + markerBytes + 1 + 255 + crcBytes;

/** The events of one request, as the journal has them. */
export interface JournaledRequest {
  readonly projectId: string;
  readonly clientId: string;
  /** When its body was read: the time by which the columns of its events are read. Milliseconds since 1970. */
  readonly readAtMs: number;
  /** Milliseconds since 1970. */
  readonly receivedAtMs: number;
  /** The events as received, in UTF-8. */
  readonly texts: readonly Uint8Array[];
}

/** Requests whose events have consecutive sequences. */
export interface JournalRecord {
  readonly firstSeq: number;
  readonly requests: readonly JournaledRequest[];
}

export interface SegmentHeader {
  readonly writer: string;
  readonly marker: Buffer;
}

export const lastSeqOf = ({ firstSeq, requests }: JournalRecord): number =>
  requests.reduce((seq, { texts }) => seq + texts.length, firstSeq - 1);

export const newHeader = (writer: string): SegmentHeader => ({ writer, marker: randomBytes(markerBytes) });

/** The header and its copy. Records follow it. */
export function encodeHeader({ writer, marker }: SegmentHeader): Buffer {
  const id = Buffer.from(writer, 'latin1');
  const header = Buffer.concat([magic, marker, Buffer.from([id.length]), id, Buffer.alloc(crcBytes)]);
  header.writeUInt32LE(crc32(header.subarray(0, -crcBytes)), header.length - crcBytes);
  return Buffer.concat([header, Buffer.alloc(copyAt - header.length), header]);
}

interface DecodedHeader extends SegmentHeader {
  readonly end: number;
}

/** The header, or copy, that begins there; undefined when it is torn or damaged. */
function decodeHeaderAt(bytes: Buffer, at: number): DecodedHeader | undefined {
  const markerAt = at + magic.length;
  const idAt = markerAt + markerBytes + 1;
  const idLength = bytes[idAt - 1];
  if (idLength === undefined || !bytes.subarray(at, markerAt).equals(magic)) return undefined;
  const end = idAt + idLength;
  if (bytes.length < end + crcBytes || bytes.readUInt32LE(end) !== crc32(bytes.subarray(at, end))) return undefined;
  return {
    writer: bytes.toString('latin1', idAt, end),
    marker: Buffer.from(bytes.subarray(markerAt, idAt - 1)),
    end: end + crcBytes,
  };
}

const requestBytes = ({ projectId, clientId, texts }: JournaledRequest): number =>
  2 + projectId.length + clientId.length + 20 + 4 * texts.length;

export function encodeRecord(marker: Buffer, { firstSeq, requests }: JournalRecord): Buffer {
  let length = prefixBytes + 12;
  for (const request of requests) {
    length += requestBytes(request);
    for (const text of request.texts) length += text.length;
  }
  const bytes = Buffer.allocUnsafe(length);
  bytes.set(marker, 0);
  let at = prefixBytes;
  at = bytes.writeDoubleLE(firstSeq, at);
  at = bytes.writeUInt32LE(requests.length, at);
  for (const { projectId, clientId, readAtMs, receivedAtMs, texts } of requests) {
    for (const id of [projectId, clientId]) {
      at = bytes.writeUInt8(id.length, at);
      at += bytes.write(id, at, 'latin1');
    }
    at = bytes.writeDoubleLE(readAtMs, at);
    at = bytes.writeDoubleLE(receivedAtMs, at);
    at = bytes.writeUInt32LE(texts.length, at);
    for (const text of texts) at = bytes.writeUInt32LE(text.length, at);
  }
  for (const { texts } of requests) {
    for (const text of texts) {
      bytes.set(text, at);
      at += text.length;
    }
  }
  bytes.writeUInt32LE(length - prefixBytes, markerBytes);
  bytes.writeUInt32LE(crc32(bytes.subarray(prefixBytes)), markerBytes + 4);
  return bytes;
}

/** What a segment ends with, after its last record. */
export function encodeEndMark(marker: Buffer): Buffer {
  const bytes = Buffer.alloc(prefixBytes);
  bytes.set(marker, 0);
  bytes.writeUInt32LE(crc32(Buffer.alloc(0)), markerBytes + 4);
  return bytes;
}

/** The record that begins there, or undefined for an end mark, and where it ends; undefined when there is none, or it is torn or damaged. */
function decodeRecord(
  bytes: Buffer,
  at: number,
  marker: Buffer,
): { readonly record: JournalRecord | undefined; readonly end: number } | undefined {
  const bodyAt = at + prefixBytes;
  if (bytes.length < bodyAt || !bytes.subarray(at, at + markerBytes).equals(marker)) return undefined;
  const end = bodyAt + bytes.readUInt32LE(at + markerBytes);
  if (end > bytes.length || bytes.readUInt32LE(at + markerBytes + 4) !== crc32(bytes.subarray(bodyAt, end))) {
    return undefined;
  }
  return { record: end === bodyAt ? undefined : decodeBody(bytes.subarray(bodyAt, end)), end };
}

/** A body whose checksum is right. */
function decodeBody(body: Buffer): JournalRecord {
  const firstSeq = body.readDoubleLE(0);
  const count = body.readUInt32LE(8);
  let at = 12;
  const readId = () => {
    const end = at + 1 + body.readUInt8(at);
    const id = body.toString('latin1', at + 1, end);
    at = end;
    return id;
  };
  const heads = Array.from({ length: count }, () => {
    const [projectId, clientId] = [readId(), readId()];
    const [readAtMs, receivedAtMs] = [body.readDoubleLE(at), body.readDoubleLE(at + 8)];
    const lengths = Array.from({ length: body.readUInt32LE(at + 16) }, (_, index) =>
      body.readUInt32LE(at + 20 + 4 * index),
    );
    at += 20 + 4 * lengths.length;
    return { projectId, clientId, readAtMs, receivedAtMs, lengths };
  });
  const requests = heads.map(({ lengths, ...head }) => ({
    ...head,
    texts: lengths.map((length) => {
      at += length;
      return body.subarray(at - length, at);
    }),
  }));
  return { firstSeq, requests };
}

export interface SegmentContent {
  /** Undefined when neither the header nor its copy is whole; then no record can be found. */
  readonly writer: string | undefined;
  readonly records: readonly JournalRecord[];
  /** Bytes between records that belong to none. A torn tail does not count, because nothing whole follows it. */
  readonly damagedBytes: number;
  /** Records may have followed the last whole one: the file was cut off, or what was last written to it. */
  readonly isCutOff: boolean;
  /** The header or its copy is damaged; the other one was read. */
  readonly hasDamagedHeader: boolean;
}

/** Reads all whole records of a segment. */
export function decodeSegment(bytes: Buffer): SegmentContent {
  const first = decodeHeaderAt(bytes, 0);
  const copy = decodeHeaderAt(bytes, copyAt);
  const header = copy ?? first;
  if (!header) {
    // Headers are durable before the first record is written. So either a crash cut the creation of a short file off, or the
    // disk has lost its rest; nothing tells which.
    const damagedBytes = bytes.length > maxHeaderBytes ? bytes.length : 0;
    return { writer: undefined, records: [], damagedBytes, isCutOff: damagedBytes === 0, hasDamagedHeader: false };
  }
  const { writer, marker } = header;
  const recordsAt = copy ? header.end : copyAt + header.end;
  const records: JournalRecord[] = [];
  let damagedBytes = 0;
  let endsInMark = false;
  /** The end of the last whole record, and where the next one may begin. */
  let [end, at] = [recordsAt, recordsAt];
  while (at !== -1) {
    const decoded = decodeRecord(bytes, at, marker);
    if (decoded) {
      if (decoded.record) records.push(decoded.record);
      endsInMark = !decoded.record;
      damagedBytes += at - end;
      end = decoded.end;
      at = end;
    } else {
      at = bytes.indexOf(marker, at + 1);
    }
  }
  return {
    writer,
    records,
    damagedBytes,
    isCutOff: !endsInMark,
    hasDamagedHeader: !(first && copy),
  };
}

/** Reads one record. @throws Error when it is damaged */
export function readRecord(bytes: Buffer, marker: Buffer): JournalRecord {
  const decoded = decodeRecord(bytes, 0, marker);
  if (!decoded?.record) throw new Error('A record of the journal is damaged');
  return decoded.record;
}
