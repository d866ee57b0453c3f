import { defineConfig } from 'vitest/config';

/** The tests of pure modules: nothing is started, so that a run for each mutant takes moments (docs/mutation-testing.md). */
export default defineConfig({
  test: {
    include: [
      'tests/analytics/{cursor,periods}.test.ts',
      'tests/calls/{attribution,usage*}.test.ts',
      'tests/credits/*.test.ts',
      'tests/http/cursor.test.ts',
      'tests/lib/*.test.ts',
      'tests/pricing/*.test.ts',
      'tests/revenue/*.test.ts',
    ],
    // They open stores or start services.
    exclude: [
      'tests/pricing/catalogue-updates.test.ts',
      'tests/pricing/price-books.test.ts',
      'tests/revenue/revenue-rows.test.ts',
    ],
    setupFiles: ['tests/support/same-seed.ts'],
  },
});
