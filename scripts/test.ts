/*
 * The command behind `npm test`: installs what the tests need, runs them, and ends with "N passed, N failed".
 *
 *   node bin/runtime.js scripts/test.ts [--long] [vitest's options and files]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findChromium } from '../tests/support/chromium.ts';
import { findPostgresPrograms } from '../tests/support/postgres.ts';
import type { Tally } from '../tests/support/tally-reporter.ts';

/** Programs that the tests run and that npm does not bring. */
const needs = [
  {
    name: 'PostgreSQL (its programs initdb and postgres)',
    isThere: () => findPostgresPrograms() !== undefined,
    packages: ['postgresql'],
    advice: '"sudo apt-get install postgresql" on Debian and Ubuntu, "brew install postgresql" on macOS',
  },
  {
    name: 'Chromium',
    isThere: () => findChromium() !== undefined,
    packages: ['chromium'],
    advice: '"sudo apt-get install chromium" on Debian and Ubuntu; elsewhere, set CHROMIUM to the path of a Chromium',
  },
];

/** How long the long form takes (`--long`), on two cores that have nothing else to do. */
const longMinutes = 90;

const root = fileURLToPath(new URL('..', import.meta.url));

for (const { name, isThere, packages, advice } of needs) {
  if (!isThere()) install(name, isThere, { packages, advice });
}
const { long = false } = parseArgs({ options: { long: { type: 'boolean' } }, strict: false }).values;
if (long) console.log(`The long form takes about ${longMinutes} minutes on two cores.`);
const { tally, exitCode } = runVitest(
  process.argv.slice(2).filter((arg) => arg !== '--long'),
  long ? { TEST_EFFORT: 'long' } : {},
);
// Whatever broke vitest itself must not look like a run in which nothing failed.
const failed = tally.failed === 0 && (exitCode !== 0 || tally.passed === 0) ? 1 : tally.failed;
console.log(`${tally.passed} passed, ${failed} failed`);
process.exit(failed > 0 ? exitCode || 1 : 0);

function runVitest(args: readonly string[], effort: Record<string, string>): { tally: Tally; exitCode: number } {
  const directory = mkdtempSync(join(tmpdir(), 'farthing-tally-'));
  const file = join(directory, 'tally.json');
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const run = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', vitest, 'run', ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...effort, TALLY_FILE: file },
  });
  if (run.signal !== null) console.error(`vitest was ended by ${run.signal}.`);
  try {
    return { tally: readTally(file), exitCode: run.status ?? 1 };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function readTally(file: string): Tally {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // vitest ended before it could report anything.
    return { passed: 0, failed: 0 };
  }
}

interface Installation {
  readonly packages: readonly string[];
  /** How to install it by hand. */
  readonly advice: string;
}

function install(name: string, isThere: () => boolean, { packages, advice }: Installation): void {
  console.log(
    `The tests need ${name}, which is not on this machine. Installing it: apt-get install ${packages.join(' ')}`,
  );
  const commands = [
    ['update', '-q'],
    ['install', '-q', '-y', '--no-install-recommends', ...packages],
  ];
  const installed =
    process.getuid?.() === 0 &&
    commands.every((args) => {
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      return spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0;
    });
  if (installed && isThere()) return;
  console.error(`${name} is missing and could not be installed from here.\nInstall it and try again: ${advice}.`);
  console.log('0 passed, 1 failed');
  process.exit(1);
}
