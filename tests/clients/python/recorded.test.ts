// What real packages of Python send now is read as what they sent when they were recorded (D35.4).
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { allCalls } from '../../support/calls.ts';
import { expectStatus, sharedFarthing, wholeRange } from '../../support/client.ts';
import {
  type Expectation,
  faultsOf,
  type PackageRecording,
  packageRecordings,
  postRecording,
} from '../../support/otlp/package-recordings.ts';

const farthing = sharedFarthing();
const folder = mkdtempSync(join(tmpdir(), 'farthing-recorded-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('D35.4: every set-up of Python packages gives the calls that were made, each once', async () => {
  const out = join(folder, 'recordings');
  const script = fileURLToPath(new URL('record.py', import.meta.url));
  await promisify(execFile)('python3', [script, '--out', out, '--environments', join(folder, 'environments')], {
    maxBuffer: 2 ** 24,
  });
  const read = (name: string): unknown => JSON.parse(readFileSync(join(out, `${name}.json`), 'utf8'));
  const expected = read('expected') as Record<string, Expectation>;
  const names = readdirSync(out).flatMap((file) => (file === 'expected.json' ? [] : file.replace('.json', '')));
  expect(names.toSorted()).toEqual(packageRecordings.filter((name) => name.startsWith('python-')));
  const faults: string[] = [];
  for (const name of names) {
    const project = await farthing.createProject();
    for (const answer of await postRecording(project, read(name) as PackageRecording)) expectStatus(answer, 200);
    const calls = await allCalls(project, wholeRange);
    faults.push(...faultsOf(calls, expected[name] ?? { calls: 0, cost: 0 }).map((fault) => `${name}: ${fault}`));
  }
  expect(faults).toEqual([]);
});
