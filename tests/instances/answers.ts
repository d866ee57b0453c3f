// Every instance answers as the model does, whichever instance received the events: in the long form, as the usual one asks one
// instance (tests/property), and each of several for what it acknowledged (instances.test.ts).
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkCases } from '../support/random-cases.ts';
import type { Deployment } from './deployment.ts';
import { Filling, work } from './work.ts';

/** Projects that are filled at once. */
const atOnce = 3;
const cases = 30;

export function testAnswers(running: () => Deployment): void {
  test('D3–D9: costs, margins and performance are what the model says, whichever instance is told and asked', async () => {
    await checkCases([fc.array(work, { minLength: atOnce, maxLength: atOnce })], cases, async (works) => {
      await Promise.all(
        works.map(async (given) => {
          const filling = await Filling.begin(running(), given);
          await filling.fill({ pauseMs: 0 });
          expect([...filling.refusals]).toEqual([]);
          await filling.compare();
        }),
      );
    });
  });

  test('D4.7: an instance that is told everything answers with everything at once, holder of the lease or not', async () => {
    await checkCases([work, fc.nat({ max: 2 })], cases, async (given, which) => {
      const home = running().instances[which];
      if (!home) throw new Error('there are three instances');
      const filling = await Filling.begin(running(), given);
      await filling.fill({ home, pauseMs: 0 });
      expect([...filling.refusals]).toEqual([]);
    });
  });
}
