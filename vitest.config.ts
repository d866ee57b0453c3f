import { defineConfig } from 'vitest/config';
import { isLong, tooLong } from './tests/support/effort.ts';
import './tests/support/provided.ts';
import { ServiceWaker } from './tests/support/service-waker.ts';
import { SlowFirst } from './tests/support/slow-first.ts';
import { TallyReporter } from './tests/support/tally-reporter.ts';

const api = ['tests/api/**/*.test.ts', 'tests/clients/{*,python/*,telemetry/*}.test.ts'];
const property = ['tests/property/**/*.test.ts'];
/** Tests that wait until days are rolled up. */
const retention = ['tests/api/D2-retention/**/*.test.ts'];
/** Answers that rollups can give. */
const answers = [
  'tests/api/{4.2-costs,4.3-margin,4.4-performance,D21-changes,D2-usage,D2-lists,D7-credits}/**/*.test.ts',
  'tests/api/D18-reconciliation/reconciliation.test.ts',
  'tests/api/D19-closes/{drift,drift-causes}.test.ts',
];
/** Alerts that fire. Looks at some hundred projects of other tests would take a third of their processor time. */
const firings = ['tests/{api/D20-alerts/200,cli/alerts}.test.ts'];
/**
 * What the control store holds or decides: its statements are written for two dialects. ClickHouse's are not: the embedded
 * engine and a server get the same statements over the same interface.
 */
const keptInControl = [
  'tests/api/{4.1-customer-tags,D8-revenue}/200.test.ts',
  'tests/api/D2-admin/{keys,projects}.test.ts',
  'tests/api/{D34-members/members,D17-stripe/hooks,D29-plans/saved,D34-audit/*,security/injection}.test.ts',
];
/** Answers that read so much of the control store that one of its dialects is enough in the usual form. */
const answersOfControl = [
  'tests/api/4.2-costs/200-tag-filters.test.ts',
  'tests/api/{4.3-margin,D2-lists,D7-credits}/200.test.ts',
];
/** In the usual form on servers alone: tests/control/audit.test.ts writes the log in both dialects, and erases from it. */
const logOfChanges = isLong ? [] : ['tests/api/D34-audit/{erased,every-write}.test.ts'];
/**
 * The same black-box tests against a service with its own stores, and against one on servers: there those that depend on it, or
 * all of them in the long form. Where days are rolled up at once, answers come from rollups and calls in every mixture; that is
 * most of what such a service does, so the others leave the days alone.
 */
const blackBox = [
  {
    name: 'api-sqlite',
    stores: 'sqlite',
    seals: false,
    include: api,
    exclude: [...retention, ...answers, ...firings, ...logOfChanges],
  },
  {
    name: 'sealed-sqlite',
    stores: 'sqlite',
    seals: true,
    include: [...retention, ...answers, ...property],
    exclude: isLong ? [] : answersOfControl,
  },
  {
    name: 'sealed-servers',
    stores: 'servers',
    seals: true,
    include: isLong ? [...api, ...property] : [...keptInControl, ...answersOfControl],
    exclude: [],
  },
] as const;
const longOnly = isLong ? [] : [...tooLong];
const commands = ['tests/cli/**/*.test.ts'];
const inBrowser = ['tests/browser/**/*.test.ts', ...firings];
const ownService = ['tests/{crash,instances,docs}/**/*.test.ts'];
const faults = ['tests/faults/**/*.test.ts'];
/** They fill the machine on purpose; the hostile neighbour does so in the long form alone. */
const alone = isLong
  ? ['tests/faults/{hostile-neighbour,large-project,overload}.test.ts']
  : ['tests/faults/{large-project,overload}.test.ts'];
// Where scripts/test.ts reads the count of passed and failed tests.
const tallyFile = process.env.TALLY_FILE;
const globalSetup = ['tests/support/global-setup.ts'];
/** Far longer than any test needs: no test fails on a busy machine, and a hanging one still ends. In milliseconds. */
const patienceMs = isLong ? 1_200_000 : 600_000;
/**
 * Three workers and their services keep two cores busy where tests do not wait. Five take a fifth more processor time,
 * because each loads the sources and an engine of its own.
 */
const workers = 3;
/**
 * The groups run one after the other, each with as many workers as keep two cores busy. A browser that waits for a page
 * on a crowded machine uses the processor meanwhile, so nothing runs beside the browsers.
 */
const groups = {
  // Wait for processes that start and end; of more workers, those that wait ask more often whether it is over.
  ofOwnServices: { sequence: { groupOrder: 0 }, maxWorkers: workers + 1 },
  ofBrowsers: { sequence: { groupOrder: 1 }, maxWorkers: workers },
  ofParts: { sequence: { groupOrder: 2 }, maxWorkers: workers },
  ofTheApi: { sequence: { concurrent: true, groupOrder: 3 }, maxWorkers: workers },
  alone: { sequence: { groupOrder: 4 }, maxWorkers: 1 },
};

export default defineConfig({
  test: {
    pool: 'forks',
    // Workers load modules as Node does, from its compile cache, which takes each of them some 4 s less of processor time.
    experimental: { viteModuleRunner: false },
    maxWorkers: workers,
    // Concurrent tests of a file share a service. Of more of them at once, more events share an INSERT and a step of
    // assembly: ten take a quarter less processor time than three, and more than ten no less.
    maxConcurrency: 10,
    sequence: { sequencer: SlowFirst },
    setupFiles: ['tests/support/same-seed.ts'],
    reporters: ['default', new ServiceWaker(), ...(tallyFile === undefined ? [] : [new TallyReporter(tallyFile)])],
    // Asking again and again slows the awaited work down. A second, as by default, is too short on a busy machine.
    expect: { poll: { timeout: 60_000, interval: 200 } },
    testTimeout: patienceMs,
    hookTimeout: patienceMs / 2,
    projects: [
      // Start services of their own. The files of a worker share its modules, here too: each would load them for a second.
      {
        extends: true,
        test: {
          name: 'crash',
          isolate: false,
          include: ownService,
          exclude: longOnly,
          globalSetup,
          ...groups.ofOwnServices,
        },
      },
      {
        extends: true,
        test: {
          name: 'unit',
          // The files that a worker runs share its modules and its engine (tests/support/stores.ts).
          isolate: false,
          include: ['tests/**/*.test.ts'],
          exclude: [
            '**/node_modules/**',
            ...api,
            ...property,
            ...commands,
            ...ownService,
            ...faults,
            ...inBrowser,
            ...longOnly,
          ],
          globalSetup,
          ...groups.ofParts,
        },
      },
      // The commands, against the service of api-sqlite.
      {
        extends: true,
        test: {
          name: 'cli',
          isolate: false,
          include: commands,
          exclude: firings,
          globalSetup,
          provide: { stores: 'sqlite', seals: false, alerts: isLong },
          ...groups.ofParts,
        },
      },
      // The page in a real browser, and alerts, against one service that looks for them.
      {
        extends: true,
        test: {
          name: 'browser',
          // The files of a worker share its browser (tests/support/chromium.ts).
          isolate: false,
          include: inBrowser,
          exclude: longOnly,
          globalSetup,
          provide: { stores: 'sqlite', seals: false, alerts: true },
          expect: { poll: { timeout: 60_000, interval: 100 } },
          ...groups.ofBrowsers,
        },
      },
      ...blackBox.map(({ name, stores, seals, include, exclude }) => ({
        extends: true as const,
        test: {
          name,
          include: [...include],
          // Packages that the clients of the tests install bring tests of their own.
          exclude: ['**/node_modules/**', ...exclude, ...longOnly],
          globalSetup,
          provide: { stores, seals, alerts: isLong },
          isolate: false,
          ...groups.ofTheApi,
        },
      })),
      // Break disks, clocks and stores under a service.
      {
        extends: true,
        test: {
          name: 'faults',
          isolate: false,
          include: faults,
          exclude: [...alone, ...longOnly],
          globalSetup,
          ...groups.ofOwnServices,
        },
      },
      // With no other tests beside it, in the long form.
      {
        extends: true,
        test: {
          name: 'faults-alone',
          include: alone,
          exclude: longOnly,
          globalSetup,
          ...groups.alone,
        },
      },
    ],
  },
});
