import { defineConfig } from 'vitest/config';

/** Tests of pure modules, as scripts/mutants.ts names them: nothing is started, so that a run for each mutant takes moments. */
export default defineConfig({
  test: {
    include: (process.env.MUTANTS_TESTS ?? '').split(' '),
    // Their modules keep nothing that another test could see.
    isolate: false,
    // A busy machine makes no mutant look noticed; one that loops for ever still ends (`timeoutMS` in stryker.config.json).
    testTimeout: 90_000,
    setupFiles: ['tests/support/same-seed.ts'],
  },
});
