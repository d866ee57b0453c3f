// D32.3 against a real service: a planted loop.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { BudgetExceededError, Farthing } from '../../packages/sdk/src/guard.ts';
import { addBudget } from '../api/D20-budgets/support.ts';
import { sharedFarthing } from '../support/client.ts';

const service = sharedFarthing();

test('D32.3: a loop is stopped within two calls of its bound, by a real service', async () => {
  const project = await service.createProject();
  const each = { scope: { customers: ['loop'] }, amount: 8 };
  await addBudget(project, { name: 'Loop', ...each });
  await addBudget(project, { name: 'Each run', each: 'run', period: undefined, window: '1h', amount: 5 });
  const farthing = new Farthing({
    ...{
      url: service.url,
      clientId: project.clientId,
      clientSecret: project.secret,
      apiKey: project.apiKey,
    },
    onProblem: ({ message }) => expect.fail(message),
  });
  const loop = async (
    options: { budget: string; of?: string },
    run: string,
  ): Promise<[number, BudgetExceededError]> => {
    for (let calls = 0; calls < 60; calls += 1) {
      const call = farthing.guard(options, () =>
        farthing.call({ model: 'm', customer: 'loop', run, cost: 0.5 }, async () => await pause(250)),
      );
      const error = await call.then(
        () => undefined,
        (thrown: BudgetExceededError) => thrown,
      );
      if (error) return [calls, error];
    }
    throw new Error('it was not stopped');
  };
  const [calls, error] = await loop({ budget: 'Loop' }, 'first');
  // Sixteen calls spend eight dollars.
  expect(calls).toBeGreaterThanOrEqual(14);
  expect(calls).toBeLessThanOrEqual(18);
  expect(error).toBeInstanceOf(BudgetExceededError);
  expect(error).toMatchObject({ name: 'BudgetExceededError', budget: 'Loop', of: undefined });
  expect(error.spent).toBeGreaterThanOrEqual(8);
  expect(Number(error.resetsAt)).toBeGreaterThan(Date.now());
  const [ofRun] = await loop({ budget: 'Each run', of: 'second' }, 'second');
  expect(ofRun).toBeGreaterThanOrEqual(8);
  expect(ofRun).toBeLessThanOrEqual(12);
  await farthing.close();
});
