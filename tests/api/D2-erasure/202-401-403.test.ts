import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { poll } from '../../support/poll.ts';
import { expectProblem } from '../../support/problem.ts';
import { rebuildProject } from '../../support/reprice.ts';
import { asAdmin, erase, erasures } from './support.ts';

const farthing = sharedFarthing();
const call = (cost: number, tags: Record<string, string>) => costEvent({ cost, tags });

longTest('D2: calls and revenue posted during an erasure stay, and the calls keep their events', async () => {
  const project = await farthing.createProject();
  await project.post(call(1, { customer: 'acme' }));
  let isErased = false;
  const erased = erase(project, '/api/customers/acme/').then(() => {
    isErased = true;
  });
  await poll('the erasure is listed', { within: 60_000 }, async () => {
    const listed = erasures.parse(expectStatus(await asAdmin(project, 'GET', '/api/erasures/'), 200));
    return listed.erasures[0];
  });
  const later = { external_id: 'later', customer: 'acme', amount: 9, date_from: '2024-05-15' };
  expectStatus(await project.api('POST', '/api/revenue/', { entries: [later] }), 200);
  while (!isErased) {
    await project.post(call(2, { customer: 'acme' }));
    await pause(200);
  }
  await erased;
  const left = await project.totalCost();
  expect(left).toBeGreaterThan(0);
  await rebuildProject(project);
  expect(await project.totalCost()).toBe(left);
  expect(expectStatus(await project.api('GET', '/api/revenue/'), 200)).toMatchObject({
    rows: [{ external_id: 'later' }],
  });
});

test('D2: erasure needs the admin token and a project', async () => {
  const project = await farthing.createProject();
  await project.post(call(1, { customer: 'acme' }));
  expectProblem(await farthing.send('DELETE', '/api/customers/acme/'), 401, 'unauthenticated');
  expectProblem(await project.api('DELETE', '/api/customers/acme/'), 403, 'forbidden');
  expectProblem(await project.api('GET', '/api/erasures/'), 403, 'forbidden');
  expectProblem(await farthing.admin('DELETE', '/api/customers/acme/'), 403, 'forbidden');
  expect(await project.costBy('customer')).toEqual({ acme: 1 });
});

longTest('D2: a concurrent rebuild brings nothing back', async () => {
  const project = await farthing.createProject();
  await project.post(...Array.from({ length: 400 }, (_, at) => call(1, { customer: at % 2 === 0 ? 'gone' : 'stays' })));
  await Promise.all([rebuildProject(project), erase(project, '/api/customers/gone/'), rebuildProject(project)]);
  expect(await project.costBy('customer')).toEqual({ stays: 200 });
  await rebuildProject(project);
  expect(await project.costBy('customer')).toEqual({ stays: 200 });
});
