import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D11.1: every fault of the body is reported at once', async () => {
  const project = await farthing.createProject();
  const answer = await project.api('POST', '/api/usage/', {
    date_to: 'tomorrow',
    aggregate: 'hour',
    group_by: 'user',
    customers: [],
    apply_credits: 'yes',
    limit: 1001,
    colour: 'red',
  });
  expectInvalid(answer, [
    '/date_from',
    '/date_to',
    '/aggregate',
    '/group_by',
    '/customers',
    '/apply_credits',
    '/limit',
    '/colour',
  ]);
});

test('D6.5: a range that ends before it begins is a 400', async () => {
  const project = await farthing.createProject();
  const body = { date_from: '2024-05-02', date_to: '2024-05-01' };
  expectInvalid(await project.api('POST', '/api/usage/', body), ['/date_from']);
});

test('D6.4: a cursor of costs, or of another question, is refused', async () => {
  const project = await farthing.createProject();
  await project.post(...['a', 'b'].map((customer) => costEvent({ cost: 1, tags: { customer } })));
  const query = { date_from: '2024-05-01', date_to: '2024-05-31', group_by: 'customer', limit: 1 };
  const costs = await project.costs(query);
  const usage = expectStatus(await project.api('POST', '/api/usage/', query), 200) as { next_cursor: string };
  expect((await project.api('POST', '/api/usage/', { ...query, cursor: usage.next_cursor })).status).toBe(200);
  for (const body of [
    { ...query, cursor: costs.next_cursor },
    { ...query, cursor: usage.next_cursor, group_by: 'model' },
    { ...query, cursor: usage.next_cursor, apply_credits: true },
  ]) {
    expectProblem(await project.api('POST', '/api/usage/', body), 400, 'invalid_cursor');
  }
});
