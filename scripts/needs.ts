// Finds the programs that the tests need beside npm's packages, and installs missing ones where it can.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findChromium } from '../tests/support/chromium.ts';
import { findPostgresPrograms } from '../tests/support/postgres.ts';

export interface Need {
  readonly name: string;
  readonly isThere: () => boolean;
  /** Debian's packages that bring it. */
  readonly packages: readonly string[];
  /** How to install it by hand. */
  readonly advice: string;
}

/** Programs that the tests run and that npm does not bring. */
export const needs: readonly Need[] = [
  {
    name: 'PostgreSQL (its programs initdb and postgres)',
    isThere: () => findPostgresPrograms() !== undefined,
    packages: ['postgresql'],
    advice: '"sudo apt-get install postgresql" on Debian and Ubuntu, "brew install postgresql" on macOS',
  },
  {
    name: 'Python 3.9 or newer (python3)',
    isThere: () => spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0,
    packages: ['python3'],
    advice: '"sudo apt-get install python3" on Debian and Ubuntu, "brew install python" on macOS',
  },
  {
    name: 'Chromium',
    isThere: () => findChromium() !== undefined,
    packages: ['chromium-headless-shell'],
    advice:
      '"sudo apt-get install chromium-headless-shell" on Debian; elsewhere, set CHROMIUM to the path of a Chromium',
  },
];

export const compiler: Need = {
  name: 'a C compiler (cc)',
  isThere: () => (process.env.PATH ?? '').split(delimiter).some((place) => existsSync(join(place, 'cc'))),
  packages: ['gcc', 'libc6-dev'],
  advice: '"sudo apt-get install gcc libc6-dev" on Debian and Ubuntu',
};

/** Installs what is missing; ends this process, with a count of one failure, where that fails. */
export function provide({ name, isThere, packages, advice }: Need): void {
  if (isThere()) return;
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
