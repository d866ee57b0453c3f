// Runs vitest as `npm test` and `npm run test:clocks` do, and counts the tests.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tally } from '../tests/support/tally-reporter.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

export interface VitestRun extends Tally {
  readonly exitCode: number;
}

/** Runs vitest with these arguments, and with these variables beside those of this process. */
export function runVitest(args: readonly string[], env: NodeJS.ProcessEnv = {}): VitestRun {
  const directory = mkdtempSync(join(tmpdir(), 'farthing-tally-'));
  const file = join(directory, 'tally.json');
  const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
  const run = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', vitest, 'run', ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env, TALLY_FILE: file },
  });
  if (run.signal !== null) console.error(`vitest was ended by ${run.signal}.`);
  try {
    const exitCode = run.status ?? 1;
    const { passed, failed } = readTally(file);
    // A run in which vitest itself broke must not look like a run without failures.
    return { passed, failed: failed === 0 && (exitCode !== 0 || passed === 0) ? 1 : failed, exitCode };
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
