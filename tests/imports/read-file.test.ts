import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { IdSet } from '../../src/ingest/imports/id-set.ts';
import { type ReadValue, readObjects } from '../../src/ingest/imports/json-values.ts';
import { readFile } from '../../src/ingest/imports/read-file.ts';
import { usualOrLong } from '../support/effort.ts';

const folder = mkdtempSync(join(tmpdir(), 'farthing-read-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function collect(values: AsyncIterable<ReadValue>): Promise<ReadValue[]> {
  const all: ReadValue[] = [];
  for await (const value of values) all.push(value);
  return all;
}

const read = async (text: string | Uint8Array) => {
  const path = join(folder, 'file');
  writeFileSync(path, text);
  return await collect(readFile(path, () => undefined));
};

test('D16.2: JSON, JSONL and CSV are told apart, also compressed and with a byte order mark', async () => {
  const values = [
    { line: 1, value: { id: 'a', n: 1 } },
    { line: 2, value: { id: 'b', n: 2 } },
  ];
  const jsonl = '{"id":"a","n":1}\n{"id":"b","n":2}\n';
  expect(await read(jsonl)).toEqual(values);
  expect(await read(gzipSync(`\ufeff${jsonl}`))).toEqual(values);
  expect(await read('[{"id":"a","n":1},\n{"id":"b","n":2}]')).toEqual(values);
  expect(await read('[\n {\n  "id": "a", "n": 1\n }\n {\n  "id": "b", "n": 2\n }\n]')).toEqual([
    { ...values[0], line: 2 },
    { ...values[1], line: 5 },
  ]);
  const rows = await read('\ufeffid,n\n"a",1\r\n"b\n""c""",\nonly');
  expect(rows.toSorted((a, b) => a.line - b.line)).toEqual([
    { line: 2, value: { id: 'a', n: '1' } },
    { line: 4, value: { id: 'b\n"c"' } },
    { line: 5, fault: 'does not have as many cells as the first line has names' },
  ]);
  expect(await read('')).toEqual([]);
});

test('D16.2: what is broken is named by its line, and the rest is read', async () => {
  expect(await read('{"id":"a"}\n{"id":\n"b"\n{"id":"c"}')).toEqual([
    { line: 1, value: { id: 'a' } },
    { line: 2, fault: 'is not JSON' },
    { line: 3, value: 'b' },
    { line: 4, value: { id: 'c' } },
  ]);
  expect(await read('[{"id":1},\nnull,\n{"id":,},\n{"id":2},\n{"id":')).toEqual([
    { line: 1, value: { id: 1 } },
    { line: 2, fault: 'is not JSON' },
    { line: 3, fault: 'is not JSON' },
    { line: 4, value: { id: 2 } },
    { line: 5, fault: 'is not complete: the file ends in it' },
  ]);
  await expect(read(gzipSync('{"id":"a"}\n').subarray(0, 20))).rejects.toThrow('unexpected end of file');
});

test('D16.2: objects are read whole, however the text is cut into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 8 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      async (objects, isPretty, size) => {
        const bytes = Buffer.from(JSON.stringify(objects, null, isPretty ? 2 : 0));
        async function* chunks() {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
        }
        const values = (await collect(readObjects(chunks()))).map((one) => ('value' in one ? one.value : one.fault));
        expect(values).toEqual(JSON.parse(bytes.toString()));
      },
    ),
    { numRuns: usualOrLong(80, 5_000) },
  );
});

test('D16.2: a set of ids says what a set of their texts would', () => {
  const id = fc.oneof(
    fc.uuid(),
    fc.integer({ min: 0, max: 300 }).map((n) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`),
  );
  fc.assert(
    fc.property(fc.array(id, { maxLength: 5_000, size: 'max' }), (ids) => {
      const [set, model] = [new IdSet(), new Set<string>()];
      for (const one of ids) {
        expect(set.add(one)).toBe(!model.has(one));
        model.add(one);
      }
      expect(set.size).toBe(model.size);
      expect(ids.every((one) => set.has(one))).toBe(true);
      expect(set.has('ffffffff-ffff-4fff-8fff-ffffffffffff')).toBe(false);
    }),
    { numRuns: usualOrLong(10, 100) },
  );
});
