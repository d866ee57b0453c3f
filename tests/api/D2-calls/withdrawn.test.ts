// A call that its reporter takes back counts nowhere, until an outcome says otherwise.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D30.2: a withdrawn call is in no cost, no list and no answer of its own, and can come back', async () => {
  const project = await farthing.createProject();
  const id = randomUUID();
  const event = { ...costEvent({ cost: 2, model: 'm' }), event_id: id };
  const list = async () =>
    expectStatus(await project.api('POST', '/api/calls/', { date_from: '2024-05-01', date_to: '2024-05-31' }), 200);
  await project.post(event, costEvent({ cost: 1 }));
  expect(await project.totalCost()).toBe(3);
  await project.post({ ...event, cost: undefined, withdrawn: true });
  expect(await project.totalCost()).toBe(1);
  expect(await list()).toMatchObject({ rows: [{ cost: 1 }] });
  expectProblem(await project.api('GET', `/api/calls/${id}/`), 404, 'not_found');
  await project.post({ ...event, withdrawn: false });
  expect(await project.totalCost()).toBe(3);
  expect(expectStatus(await project.api('GET', `/api/calls/${id}/`), 200)).toMatchObject({ cost: 2 });
});
