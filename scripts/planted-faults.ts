/*
 * Puts mistakes into the product by hand, one at a time, and sees whether the tests that should notice do (docs/testing.md):
 *
 *   npm run test:planted [-- ID …]
 *
 * Works on a copy of the repository in the temporary folder of the system, which is gone with this process. Ends with 1 when a
 * fault is missed.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import Table from 'cli-table3';
import { whenThisProcessEnds } from '../tests/support/leash.ts';
import { countPlaces, plant, plantedFaults } from '../tests/support/planted-faults/index.ts';
import type { PlantedFault } from '../tests/support/planted-faults/planted-fault.ts';

const root = resolve(import.meta.dirname, '..');
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
/** A run that takes longer, in milliseconds, hangs. A hang counts as noticed. */
const longestMs = 15 * 60_000;

/** The part of vitest's report in JSON that is needed. */
interface Report {
  readonly testResults: readonly {
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly title: string }[];
  }[];
}

interface Outcome {
  readonly state: 'noticed' | 'missed' | 'did not run';
  readonly seconds: number;
  /** The test that failed first, or why none ran. */
  readonly by: string;
}

/** Copies the repository's files with their uncommitted changes. */
function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'farthing-planted-'));
  whenThisProcessEnds('rm -rf -- "$0"', copy);
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (listed.status !== 0) throw new Error(`The files of the repository cannot be listed: ${listed.stderr}`);
  for (const path of listed.stdout.split('\0').filter((name) => name !== '' && existsSync(join(root, name)))) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    copyFileSync(join(root, path), join(copy, path));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Runs the tests of a fault in a copy that has it. */
function runTests(copy: string, { tests }: PlantedFault): Outcome {
  const reportFile = join(copy, 'planted-report.json');
  rmSync(reportFile, { force: true });
  const projects = Object.keys(tests).flatMap((project) => ['--project', project]);
  // The report in JSON has no errors outside of the tests; the other one has.
  const args = ['--bail', '1', '--reporter', 'default', '--reporter', 'json', `--outputFile.json=${reportFile}`];
  const startedAt = performance.now();
  const run = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', vitest, 'run', ...projects, ...args, ...Object.values(tests).flat()],
    { cwd: copy, encoding: 'utf8', timeout: longestMs, killSignal: 'SIGKILL', maxBuffer: 1 << 28 },
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  if (run.signal !== null) return { state: 'noticed', seconds, by: `ended by ${run.signal}` };
  const results = readReport(reportFile);
  const failed = results.find(({ status }) => status === 'failed');
  const title = failed?.assertionResults.find(({ status }) => status === 'failed')?.title;
  if (failed) return { state: 'noticed', seconds, by: title ?? firstLine(failed.message) };
  const hasPassed = results.some(({ assertionResults }) => assertionResults.some(({ status }) => status === 'passed'));
  if (run.status === 0 && hasPassed) return { state: 'missed', seconds, by: '' };
  // Any other failure beside tests that pass may be of the machine, and shows nothing.
  if (hasPassed && /\bUnhandled Errors?\b/.test(run.stdout + run.stderr))
    return { state: 'noticed', seconds, by: 'an error outside of the tests' };
  return { state: 'did not run', seconds, by: firstLine(run.stderr) };
}

function readReport(file: string): Report['testResults'] {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as Report).testResults;
  } catch {
    // vitest ended before it could report anything.
    return [];
  }
}

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? '';

/** Puts the fault into the copy, runs its tests, and takes it out again. */
function tryFault(copy: string, fault: PlantedFault): Outcome {
  const path = join(copy, fault.file);
  const text = readFileSync(path, 'utf8');
  if (countPlaces(fault, text) !== 1) throw new Error(`The list is stale: ${fault.id} fits ${fault.file} no longer.`);
  writeFileSync(path, plant(fault, text));
  try {
    return runTests(copy, fault);
  } finally {
    writeFileSync(path, text);
  }
}

const asked = process.argv.slice(2);
const unknown = asked.filter((id) => !plantedFaults.some((fault) => fault.id === id));
if (unknown.length > 0) throw new Error(`There is no fault ${unknown.join(', ')}.`);
const chosen = plantedFaults.filter(({ id }) => asked.length === 0 || asked.includes(id));
const copy = copyRepository();
const table = new Table({ head: ['fault', 'kind', 'outcome', 'seconds', 'by'], style: { head: [], border: [] } });
let noticed = 0;
for (const fault of chosen) {
  const { state, seconds, by } = tryFault(copy, fault);
  if (state === 'noticed') noticed += 1;
  const kind = Object.keys(fault.tests).join(', ');
  console.log(`${fault.id}: ${state} in ${seconds.toFixed(1)} s${by && ` (${by})`}`);
  table.push([fault.id, kind, state, seconds.toFixed(1), by.slice(0, 80)]);
}
console.log(table.toString());
const missed = chosen.length - noticed;
console.log(`${noticed} noticed, ${missed} missed`);
process.exit(missed > 0 ? 1 : 0);
