import { defineConfig } from 'vitest/config';

/** Tests of pure modules, as scripts/mutants.ts names them: nothing is started, so that a run for each mutant takes moments. */
export default defineConfig({
  test: {
    include: (process.env.MUTANTS_TESTS ?? '').split(' '),
    // Their modules keep nothing that another test could see.
    isolate: false,
    setupFiles: ['tests/support/same-seed.ts'],
  },
});
