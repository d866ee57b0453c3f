/*
 * The command behind `npm run test:clocks`: runs the tests in which the day matters under other clocks, timezones and locales.
 *
 *   npm run test:clocks [-- NAME…]
 *
 * A NAME is that of a clock or a part. Without names, all clocks or parts run. Each part starts so that its clock
 * strikes while tests run. Every process reads the shifted clock except the embedded engine, which sets no stored time.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compiler, needs, provide } from './needs.ts';
import { runVitest } from './run-vitest.ts';

interface ClockSetting {
  readonly about: string;
  /** The instant that is to come while the tests of a part run. */
  readonly strikes: string;
  readonly timezone: string;
  readonly locale: string;
}

const clocks: Readonly<Record<string, ClockSetting>> = {
  year: {
    about: 'the end of a year',
    strikes: '2027-01-01T00:00:00Z',
    timezone: 'Asia/Kathmandu',
    locale: 'tr_TR.UTF-8',
  },
  month: {
    about: 'the end of a month',
    strikes: '2027-02-01T00:00:00Z',
    timezone: 'Pacific/Pago_Pago',
    locale: 'C',
  },
  'leap-begin': {
    about: 'the begin of 29 February',
    strikes: '2028-02-29T00:00:00Z',
    timezone: 'Pacific/Kiritimati',
    locale: 'de_DE.UTF-8',
  },
  'leap-day': {
    about: 'the midnight of the machine, on 29 February by UTC',
    strikes: '2028-02-29T10:00:00Z',
    timezone: 'Pacific/Kiritimati',
    locale: 'C',
  },
  'leap-end': {
    about: 'the end of 29 February',
    strikes: '2028-03-01T00:00:00Z',
    timezone: 'America/New_York',
    locale: 'tr_TR.UTF-8',
  },
  summer: {
    about: 'the hour that daylight saving takes from the machine',
    strikes: '2027-03-14T07:00:00Z',
    timezone: 'America/New_York',
    locale: 'de_DE.UTF-8',
  },
};

interface Part {
  /** How many seconds after its start the clock strikes: in the middle of its tests, on a machine with two cores. */
  readonly strikesAfter: number;
  readonly projects: readonly string[];
  readonly files: readonly string[];
}

const api = (...folders: string[]): string[] => folders.map((folder) => `tests/api/${folder}/`);
const answers = api('4.2-costs', '4.3-margin', '4.4-performance', 'D2-usage', 'D2-lists', 'D7-credits');
const today = [
  ...api('4.5-intake', 'D2-admin', 'D2-calls', 'D2-coverage', 'D2-events', 'D2-model-price', 'D2-runs', 'D2-session'),
  ...api('D2-timezone', 'D4-calls', 'D4.7-read-your-writes', 'D5-prices', 'D5.5-reprice', 'D5.6-explanation'),
];

const parts: Readonly<Record<string, Part>> = {
  unit: {
    strikesAfter: 40,
    projects: ['unit', 'cli'],
    files: [
      ...[
        'backup',
        'calls',
        'credits',
        'dashboard',
        'invoices/reconciliation',
        'key-metrics',
        'lib',
        'repair',
        'reports',
        'pricing/p',
        'projects',
        'revenue',
        'support',
      ],
      ...['assembly/look-back', 'assembly/outcomes', 'assembly/sealing', 'cli/demo', 'cli/export', 'cli/pr'],
    ].map((path) => `tests/${path}`),
  },
  api: { strikesAfter: 40, projects: ['api-sqlite'], files: today },
  sealed: { strikesAfter: 40, projects: ['sealed-sqlite'], files: [...answers, ...api('D2-retention')] },
  servers: { strikesAfter: 30, projects: ['sealed-servers'], files: ['tests/api/'] },
  page: {
    strikesAfter: 60,
    projects: ['browser'],
    files: ['actions', 'every-page', 'numbers', 'session'].map((name) => `tests/browser/${name}.test.ts`),
  },
  docs: { strikesAfter: 8, projects: ['crash'], files: ['tests/docs/'] },
};

const names = process.argv.slice(2);
const strangers = names.filter((name) => !(name in clocks) && !(name in parts));
if (strangers.length > 0) {
  console.error(`No clock and no part: ${strangers.join(', ')}. Clocks: ${list(clocks)}. Parts: ${list(parts)}.`);
  process.exit(2);
}
for (const need of [...needs, compiler]) provide(need);

const directory = mkdtempSync(join(tmpdir(), 'farthing-clock-'));
// PostgreSQL runs as another user, and loads it, too.
chmodSync(directory, 0o755);
const library = join(directory, 'shift-clock.so');
const results: string[] = [];
let [passed, failed] = [0, 0];
try {
  build();
  for (const clock of choose(clocks)) for (const part of choose(parts)) run(clock, part);
} finally {
  rmSync(directory, { recursive: true });
}
console.log(`\n${results.join('\n')}\n${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

function list(all: object): string {
  return Object.keys(all).join(', ');
}

/** Those that are named, or all. */
function choose<Item>(all: Readonly<Record<string, Item>>): [name: string, item: Item][] {
  const named = Object.entries(all).filter(([name]) => names.includes(name));
  return named.length > 0 ? named : Object.entries(all);
}

function build(): void {
  const source = join(import.meta.dirname, 'shift-clock.c');
  const { status } = spawnSync('cc', ['-O2', '-shared', '-fPIC', '-o', library, source], { stdio: 'inherit' });
  if (status !== 0) throw new Error('shift-clock.c cannot be compiled');
}

function run([clockName, clock]: [string, ClockSetting], [partName, part]: [string, Part]): void {
  const startedAt = Date.now();
  const strikesAt = startedAt + part.strikesAfter * 1_000;
  const title = `${clockName} × ${partName}`;
  console.log(
    `\n${title}: ${clock.about}, ${clock.strikes}, comes ${part.strikesAfter} s after the start; TZ=${clock.timezone}, LC_ALL=${clock.locale}`,
  );
  const { timezone: TZ, locale } = clock;
  const shiftSeconds = Math.round((Date.parse(clock.strikes) - strikesAt) / 1_000);
  const env = {
    ...{ TZ, LANG: locale, LC_ALL: locale, LD_PRELOAD: library },
    CLOCK_SHIFT_SECONDS: String(shiftSeconds),
  };
  expectShift(env, shiftSeconds);
  const result = runVitest([...part.projects.flatMap((name) => ['--project', name]), ...part.files], env);
  passed += result.passed;
  failed += result.failed;
  const tookSeconds = Math.round((Date.now() - startedAt) / 1_000);
  const when = tookSeconds > part.strikesAfter ? `${part.strikesAfter} of ${tookSeconds} s in` : 'only after the end';
  results.push(`${title}: ${result.passed} passed, ${result.failed} failed; ${clock.strikes} came ${when}`);
}

/** The loader ignores a library that it cannot preload, and the tests would then prove nothing. */
function expectShift(env: NodeJS.ProcessEnv, shiftSeconds: number): void {
  const read = spawnSync(process.execPath, ['-p', 'Date.now()'], { env: { ...process.env, ...env }, encoding: 'utf8' });
  const missedBy = Number(read.stdout) - (Date.now() + shiftSeconds * 1_000);
  if (!(Math.abs(missedBy) < 60_000)) throw new Error(`The clock is not shifted: ${read.stdout}${read.stderr}`);
}
