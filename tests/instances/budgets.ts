// A check of a budget is at most a second behind, on whichever instance it is asked.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { addBudget, budgetPath, checkBudget } from '../api/D20-budgets/support.ts';
import { connect, costEvent, expectStatus } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { noon } from '../support/noon.ts';
import { poll } from '../support/poll.ts';
import type { Deployment } from './deployment.ts';

const within = { within: 20_000, every: 50 };

/** An event of now. */
const spend = (cost: number) => costEvent({ cost, customer: 'acme', timestamp: new Date().toISOString() });

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

export function testBudgets(running: () => Deployment): void {
  const connectAll = async () => {
    const { instances, adminToken } = running();
    const farthings = instances.map(({ url }) => connect(url, adminToken));
    const [first] = farthings;
    if (!first) throw new Error('there is an instance');
    const project = await first.createProject({ timezone: noon.timezone });
    return farthings.map((farthing) => project.through(farthing));
  };

  test('D20.2: every instance shows within a second what any of them has assembled', async () => {
    const projects = await connectAll();
    const [first] = projects;
    if (!first) throw new Error('there is an instance');
    await addBudget(first, { amount: 1_000 });
    await Promise.all(projects.map((project) => checkBudget(project)));
    const lagsMs: number[] = [];
    for (let posted = 1; posted <= usualOrLong(2, 12); posted += 1) {
      const poster = projects[posted % projects.length] ?? first;
      await poster.post(spend(1));
      // An answer of the instance that acknowledged it waits until it is in the calls, which all instances share.
      await poster.totalCost();
      const assembledAt = performance.now();
      await Promise.all(
        projects.map(async (project) => {
          await poll('the check has the event', within, async () => {
            const { spent } = await checkBudget(project);
            return spent === posted ? true : undefined;
          });
          lagsMs.push(performance.now() - assembledAt);
        }),
      );
    }
    expect(median(lagsMs)).toBeLessThan(1_000);
  });

  // Usually the test before it: what is assembled is in the check soon.
  longTest('D20.2: a second after an event was acknowledged every check of its instance has it', async () => {
    const projects = await connectAll();
    const [first] = projects;
    if (!first) throw new Error('there is an instance');
    await addBudget(first, { amount: 3 });
    await Promise.all(
      projects.map(async (project) => {
        let posted = 0;
        await checkBudget(project);
        for (let round = 0; round < 3; round += 1) {
          await project.post(spend(1));
          posted += 1;
          await pause(1_000);
          const { spent, allowed, as_of } = await checkBudget(project);
          expect(spent).toBeGreaterThanOrEqual(posted);
          expect(allowed).toBe(spent < 3);
          expect(Date.now() - Date.parse(as_of)).toBeLessThan(20_000);
        }
      }),
    );
    for (const project of projects) {
      await poll('the check has the events of all instances', within, async () =>
        (await checkBudget(project)).spent === 9 ? true : undefined,
      );
    }
  });

  test('D20.2: budgets and tags that are changed on one instance hold on all', async () => {
    const projects = await connectAll();
    const [first, second, third = first] = projects;
    if (!first || !second || !third) throw new Error('there are two instances');
    await addBudget(first, { amount: 5, scope: { customer_tags: { plan: 'free' } } });
    await second.post(spend(2));
    await Promise.all(projects.map((project) => checkBudget(project)));
    await second.tag({ customer_name: 'acme', tags: { plan: 'free' } });
    await poll('the tag counts', within, async () => ((await checkBudget(third)).spent === 2 ? true : undefined));
    expectStatus(await third.api('PUT', budgetPath('b'), { amount: 1, period: 'day' }), 200);
    expect(await checkBudget(third)).toMatchObject({ allowed: false, remaining: -1 });
    await poll('the amount holds', within, async () => ((await checkBudget(first)).allowed ? undefined : true));
    expectStatus(await first.api('DELETE', budgetPath('b')), 204);
    await poll('it is gone', within, async () =>
      (await second.api('GET', `${budgetPath('b')}check/`)).status === 404 ? true : undefined,
    );
  });
}
