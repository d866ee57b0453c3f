// The form of the journal's files: whatever a crash or a disk does to one, no whole record is lost, changed or made up.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeHeader,
  decodeRecords,
  encodeHeader,
  encodeRecord,
  type JournalRecord,
  newHeader,
  readRecord,
  type SegmentHeader,
} from '../../../src/intake/journal/record.ts';
import { usualOrLong } from '../../support/effort.ts';

const time = fc.integer({ min: 0, max: 4e12 });
const id = fc.stringMatching(/^[a-z0-9_-]{0,40}$/);
const requestArbitrary = fc.record({
  projectId: id,
  clientId: id,
  readAtMs: time,
  receivedAtMs: time,
  texts: fc.array(fc.uint8Array({ maxLength: 60 }).map(Buffer.from), { minLength: 1, maxLength: 4 }),
});
const recordArbitrary: fc.Arbitrary<JournalRecord> = fc.record({
  firstSeq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  requests: fc.array(requestArbitrary, { minLength: 1, maxLength: 4 }),
});
const recordsArbitrary = fc.array(recordArbitrary, { minLength: 1, maxLength: 4 });

const encode = (header: SegmentHeader, records: readonly JournalRecord[]) => {
  const parts = [encodeHeader(header), ...records.map((record) => encodeRecord(header.marker, record))];
  let end = 0;
  const ends = parts.map((part) => (end += part.length));
  return { bytes: Buffer.concat(parts), ends };
};

/** Reads a segment as a start does. */
function decode(bytes: Buffer) {
  const decoded = decodeHeader(bytes);
  return decoded && { header: decoded.header, ...decodeRecords(bytes, decoded.header, decoded.length) };
}

test('a segment gives back its writer and its records', () => {
  fc.assert(
    fc.property(recordsArbitrary, (records) => {
      const header = newHeader('wrt_01');
      const { bytes } = encode(header, records);
      expect(decode(bytes)).toEqual({ header, records, damagedBytes: 0 });
      const [first] = records;
      if (first) expect(readRecord(encodeRecord(header.marker, first), header.marker)).toEqual(first);
    }),
    { numRuns: usualOrLong(40, 300) },
  );
});

test('a segment that is torn at any byte has the records before it, and is not damaged', () => {
  fc.assert(
    fc.property(recordsArbitrary, (records) => {
      const header = newHeader('wrt_01');
      const { bytes, ends } = encode(header, records);
      for (let length = 0; length <= bytes.length; length += 1) {
        const whole = ends.filter((end) => end <= length).length - 1;
        const decoded = decode(Buffer.from(bytes.subarray(0, length)));
        if (whole < 0) expect(decoded).toBeUndefined();
        else expect(decoded).toEqual({ header, records: records.slice(0, whole), damagedBytes: 0 });
      }
    }),
    { numRuns: usualOrLong(6, 40) },
  );
});

test('a file that a crash left longer than what was written, with zeros or other bytes, has the same records', () => {
  fc.assert(
    fc.property(recordsArbitrary, fc.uint8Array({ maxLength: 100 }), fc.nat(100), (records, tail, zeros) => {
      const header = newHeader('wrt_01');
      const { bytes } = encode(header, records);
      const longer = Buffer.concat([bytes, Buffer.alloc(zeros), tail]);
      expect(decode(longer)).toEqual({ header, records, damagedBytes: 0 });
    }),
    { numRuns: usualOrLong(40, 300) },
  );
});

test('a flipped bit costs the record that has it and no other, and shows unless it looks like a torn tail', () => {
  fc.assert(
    fc.property(recordsArbitrary, (records) => {
      const header = newHeader('wrt_01');
      const { bytes, ends } = encode(header, records);
      for (let at = 0; at < bytes.length; at += 1) {
        const flipped = Buffer.from(bytes);
        flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
        const hit = ends.findIndex((end) => at < end) - 1;
        const decoded = decode(flipped);
        if (hit < 0) {
          expect(decoded).toBeUndefined();
          continue;
        }
        expect(decoded?.records).toEqual(records.filter((_, index) => index !== hit));
        const isLast = hit === records.length - 1;
        expect(decoded?.damagedBytes).toBe(isLast ? 0 : (ends[hit + 1] ?? 0) - (ends[hit] ?? 0));
      }
    }),
    { numRuns: usualOrLong(4, 30) },
  );
});

test('the bytes of an event are never taken for a record, even behind damaged bytes', () => {
  const header = newHeader('wrt_01');
  const forged = encodeRecord(newHeader('wrt_01').marker, {
    firstSeq: 1,
    requests: [{ projectId: 'prj_other', clientId: 'c', readAtMs: 1, receivedAtMs: 1, texts: [Buffer.from('{}')] }],
  });
  const record = {
    firstSeq: 1,
    requests: [{ projectId: 'prj_own', clientId: 'c', readAtMs: 1, receivedAtMs: 1, texts: [forged] }],
  };
  const { bytes } = encode(header, [record, record]);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  expect(decode(bytes)?.records).toEqual([record]);
});
