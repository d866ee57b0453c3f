// The form of the journal's files: whatever a crash or a disk does to one, no whole record is lost, changed or made up.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeSegment,
  encodeEndMark,
  encodeHeader,
  encodeRecord,
  type JournalRecord,
  newHeader,
  readRecord,
  type SegmentHeader,
} from '../../../src/ingest/intake/journal/record.ts';
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
  return { bytes: Buffer.concat([...parts, encodeEndMark(header.marker)]), ends };
};

const whole = { writer: 'wrt_01', damagedBytes: 0, isCutOff: false, hasDamagedHeader: false };
const unreadable = { writer: undefined, records: [], isCutOff: false, hasDamagedHeader: false };
/** The header, then zeros, then its copy. */
const headerBytes = encodeHeader(newHeader('wrt_01')).length;
const copyAt = 4_096;

const flip = (bytes: Buffer, at: number, bit = at % 8) => {
  const flipped = Buffer.from(bytes);
  flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
  return flipped;
};

test('a segment gives back its writer and its records', () => {
  fc.assert(
    fc.property(recordsArbitrary, (records) => {
      const header = newHeader('wrt_01');
      const { bytes } = encode(header, records);
      expect(decodeSegment(bytes)).toEqual({ ...whole, records });
      const [first] = records;
      if (first) expect(readRecord(encodeRecord(header.marker, first), header.marker)).toEqual(first);
    }),
    { numRuns: usualOrLong(40, 300) },
  );
});

test('a segment that is cut off at any byte has the records before it, and says that it is cut off', () => {
  fc.assert(
    fc.property(recordsArbitrary, (records) => {
      const header = newHeader('wrt_01');
      const { bytes, ends } = encode(header, records);
      for (let length = 0; length < bytes.length; length += length < copyAt ? 97 : 1) {
        const decoded = decodeSegment(Buffer.from(bytes.subarray(0, length)));
        const count = ends.filter((end) => end <= length).length - 1;
        if (length < headerBytes - copyAt) expect(decoded).toEqual({ ...unreadable, damagedBytes: 0, isCutOff: true });
        else {
          const kept = { records: records.slice(0, Math.max(0, count)), hasDamagedHeader: count < 0 };
          expect(decoded).toEqual({ ...whole, ...kept, isCutOff: true });
        }
      }
    }),
    { numRuns: usualOrLong(6, 40) },
  );
});

test('a file that a crash left longer than what was written, with zeros or other bytes, has the same records', () => {
  fc.assert(
    fc.property(recordsArbitrary, fc.uint8Array({ maxLength: 100 }), fc.nat(100), (records, tail, zeros) => {
      const { bytes } = encode(newHeader('wrt_01'), records);
      const longer = Buffer.concat([bytes, Buffer.alloc(zeros), tail]);
      expect(decodeSegment(longer)).toEqual({ ...whole, records });
    }),
    { numRuns: usualOrLong(40, 300) },
  );
});

test('a flipped bit costs the record that has it and no other, and shows', () => {
  fc.assert(
    fc.property(recordsArbitrary, (records) => {
      const header = newHeader('wrt_01');
      const { bytes, ends } = encode(header, records);
      for (let at = headerBytes; at < bytes.length; at += 1) {
        const hit = ends.findIndex((end) => at < end) - 1;
        const decoded = decodeSegment(flip(bytes, at));
        // The end mark is behind the last record.
        if (hit < 0) expect(decoded).toEqual({ ...whole, records, isCutOff: true });
        else {
          const damagedBytes = (ends[hit + 1] ?? 0) - (ends[hit] ?? 0);
          expect(decoded).toEqual({ ...whole, records: records.filter((_, index) => index !== hit), damagedBytes });
        }
      }
    }),
    { numRuns: usualOrLong(4, 30) },
  );
});

test('a damaged header costs no record: a flipped bit anywhere in it, or all of its block', () => {
  const record = {
    firstSeq: 1,
    requests: [
      { ...{ projectId: 'prj', clientId: 'c' }, ...{ readAtMs: 1, receivedAtMs: 1 }, texts: [Buffer.alloc(300, 'x')] },
    ],
  };
  const { bytes } = encode(newHeader('wrt_01'), [record, { ...record, firstSeq: 2 }]);
  const expected = { ...whole, records: [record, { ...record, firstSeq: 2 }] };
  const isZero = (at: number) => at >= headerBytes - copyAt && at < copyAt;
  for (let bit = 0; bit < 8 * headerBytes; bit += 1) {
    const at = bit >> 3;
    if (!isZero(at)) expect(decodeSegment(flip(bytes, at, bit % 8))).toEqual({ ...expected, hasDamagedHeader: true });
  }
  const withoutBlock = Buffer.from(bytes).fill(0, 0, copyAt);
  expect(decodeSegment(withoutBlock)).toEqual({ ...expected, hasDamagedHeader: true });
  const withoutBoth = flip(flip(bytes, 3), copyAt + 3);
  expect(decodeSegment(withoutBoth)).toEqual({ ...unreadable, damagedBytes: bytes.length });
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
  const inLast = bytes.length - encodeEndMark(header.marker).length - 1;
  expect(decodeSegment(flip(bytes, inLast)).records).toEqual([record]);
});
