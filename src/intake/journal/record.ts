import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The form of the journal's files. A segment has a header and then records; a record has the events of the requests that
 * shared one `fdatasync`. All numbers are little-endian.
 *
 * - Header: the magic, a random marker of 16 bytes, the length and the text of the writer's id, a CRC-32 of all that.
 * - Record: the marker, the length of the body, a CRC-32 of the body, the body.
 * - Body: the first sequence, the number of requests; for each request its project, its client, when it was read and
 *   received, the number of its events and their lengths; then the texts of all events.
 *
 * The marker is in no event, since no client can know it: a record is found by it even behind damaged bytes, and bytes of
 * an event are never taken for a record.
 */
const magic = Buffer.from('fartjrn1', 'latin1');
const markerBytes = 16;
const prefixBytes = markerBytes + 8;
const crcBytes = 4;
export const maxHeaderBytes = magic.length + markerBytes + 1 + 255 + crcBytes;

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

export function encodeHeader({ writer, marker }: SegmentHeader): Buffer {
  const id = Buffer.from(writer, 'latin1');
  const bytes = Buffer.concat([magic, marker, Buffer.from([id.length]), id, Buffer.alloc(crcBytes)]);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -crcBytes)), bytes.length - crcBytes);
  return bytes;
}

/** The header of a segment and its length; undefined when the header is torn or damaged. */
export function decodeHeader(bytes: Buffer): { readonly header: SegmentHeader; readonly length: number } | undefined {
  const idAt = magic.length + markerBytes + 1;
  const idLength = bytes[idAt - 1];
  if (idLength === undefined || !bytes.subarray(0, magic.length).equals(magic)) return undefined;
  const end = idAt + idLength;
  if (bytes.length < end + crcBytes || bytes.readUInt32LE(end) !== crc32(bytes.subarray(0, end))) return undefined;
  return {
    header: {
      writer: bytes.toString('latin1', idAt, end),
      marker: Buffer.from(bytes.subarray(magic.length, idAt - 1)),
    },
    length: end + crcBytes,
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

/** The record that begins there and its end; undefined when there is none, or it is torn or damaged. */
function decodeRecord(
  bytes: Buffer,
  at: number,
  marker: Buffer,
): { readonly record: JournalRecord; readonly end: number } | undefined {
  const bodyAt = at + prefixBytes;
  if (bytes.length < bodyAt || !bytes.subarray(at, at + markerBytes).equals(marker)) return undefined;
  const end = bodyAt + bytes.readUInt32LE(at + markerBytes);
  if (end > bytes.length || bytes.readUInt32LE(at + markerBytes + 4) !== crc32(bytes.subarray(bodyAt, end))) {
    return undefined;
  }
  return { record: decodeBody(bytes.subarray(bodyAt, end)), end };
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

/** The content of a segment. */
export interface SegmentContent {
  readonly records: readonly JournalRecord[];
  /** Bytes between records that belong to none. A torn tail does not count, because no whole record follows it. */
  readonly damagedBytes: number;
}

/** Reads all whole records that come after the header. */
export function decodeRecords(bytes: Buffer, { marker }: SegmentHeader, from: number): SegmentContent {
  const records: JournalRecord[] = [];
  let damagedBytes = 0;
  /** The end of the last whole record, and where the next one may begin. */
  let [end, at] = [from, from];
  while (at !== -1) {
    const decoded = decodeRecord(bytes, at, marker);
    if (decoded) {
      records.push(decoded.record);
      damagedBytes += at - end;
      end = decoded.end;
      at = end;
    } else {
      at = bytes.indexOf(marker, at + 1);
    }
  }
  return { records, damagedBytes };
}

/** Reads one record. @throws Error when it is damaged */
export function readRecord(bytes: Buffer, marker: Buffer): JournalRecord {
  const decoded = decodeRecord(bytes, 0, marker);
  if (!decoded) throw new Error('A record of the journal is damaged');
  return decoded.record;
}
