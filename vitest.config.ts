import { defineConfig } from 'vitest/config';
import './tests/support/provided.ts';
import type { StoresKind } from './tests/support/provided.ts';
import { SlowFirst } from './tests/support/slow-first.ts';
import { TallyReporter } from './tests/support/tally-reporter.ts';

const storesKinds: StoresKind[] = ['sqlite', 'servers'];
const blackBox = ['tests/api/**/*.test.ts', 'tests/property/**/*.test.ts'];
const inBrowser = ['tests/browser/**/*.test.ts'];
const ownService = ['tests/crash/**/*.test.ts', 'tests/instances/**/*.test.ts', 'tests/docs/**/*.test.ts'];
const faults = ['tests/faults/**/*.test.ts'];
// scripts/test.ts says where it wants the count of passed and failed tests.
const tallyFile = process.env.TALLY_FILE;
const globalSetup = ['tests/support/global-setup.ts'];

export default defineConfig({
  test: {
    pool: 'forks',
    // Most tests wait for a service more than they compute.
    maxWorkers: 5,
    sequence: { sequencer: SlowFirst },
    reporters: ['default', ...(tallyFile === undefined ? [] : [new TallyReporter(tallyFile)])],
    // Far beyond what a test needs: a busy machine makes none fail, a hanging one still ends.
    testTimeout: 180_000,
    hookTimeout: 60_000,
    projects: [
      // Starts services of its own.
      {
        extends: true,
        test: {
          name: 'crash',
          include: ownService,
          globalSetup,
          maxWorkers: 4,
          testTimeout: 240_000,
          sequence: { groupOrder: 0 },
        },
      },
      // Holds what takes how long, and breaks disks for all: few at a time, and nothing else beside them.
      {
        extends: true,
        test: {
          name: 'faults',
          include: faults,
          globalSetup,
          maxWorkers: 2,
          testTimeout: 240_000,
          sequence: { groupOrder: 5 },
        },
      },
      // The same black-box tests against a service with its own stores, and against one on servers.
      ...storesKinds.map((stores, index) => ({
        extends: true as const,
        test: {
          name: `api-${stores}`,
          include: blackBox,
          globalSetup,
          provide: { stores },
          isolate: false,
          // One service after the other: side by side on two cores, all of it takes longer.
          sequence: { concurrent: true, groupOrder: 1 + index },
        },
      })),
      // The page in a real browser, against one service.
      {
        extends: true,
        test: {
          name: 'browser',
          include: inBrowser,
          globalSetup,
          provide: { stores: 'sqlite' },
          expect: { poll: { timeout: 15_000 } },
          sequence: { groupOrder: 3 },
        },
      },
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['tests/**/*.test.ts'],
          exclude: [...blackBox, ...ownService, ...faults, ...inBrowser],
          globalSetup,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
