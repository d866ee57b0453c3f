// What the instances answer together is what one would: the model, whoever was told and whoever is asked.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Deployment } from './deployment.ts';
import { Filling, work } from './work.ts';

let deployment: Deployment;

beforeAll(async () => {
  deployment = await Deployment.start();
});

afterAll(async () => {
  await deployment?.close();
});

/** On a busy machine fewer histories are tried, rather than that the tests take longer. */
const timeLimit = 10_000;

test('D3–D9: costs, margins and performance are what the model says, whichever instance is told and asked', async () => {
  const deadline = Date.now() + timeLimit;
  await fc.assert(
    fc.asyncProperty(fc.array(work, { minLength: 3, maxLength: 3 }), async (works) => {
      if (Date.now() > deadline) return;
      await Promise.all(
        works.map(async (given) => {
          const filling = await Filling.begin(deployment, given);
          await filling.fill({ pauseMs: 0 });
          expect([...filling.refusals]).toEqual([]);
          await filling.compare();
        }),
      );
    }),
    { numRuns: 30 },
  );
});

test('D4.7: an instance that is told everything answers with everything at once, holder of the lease or not', async () => {
  const deadline = Date.now() + timeLimit;
  await fc.assert(
    fc.asyncProperty(work, fc.nat({ max: 2 }), async (given, which) => {
      const home = deployment.instances[which];
      if (Date.now() > deadline || !home) return;
      const filling = await Filling.begin(deployment, given);
      await filling.fill({ home, pauseMs: 0 });
      expect([...filling.refusals]).toEqual([]);
    }),
    { numRuns: 30 },
  );
});
