import { expect, test } from 'vitest';
import { costEvent, sharedFarthing } from '../../support/client.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test.each([
  ['without upsert', {}],
  ['with upsert false', { upsert: false }],
])('D10.1: %s an existing pair is a 409, even with the same value, and nothing changes', async (_name, fields) => {
  const project = await farthing.createProject();
  await project.post(...['a', 'b'].map((customer) => costEvent({ cost: 1, tags: { customer } })));
  await project.tag({ customer_name: 'a', tags: { plan: 'pro', region: 'eu' } });
  const answer = await project.postTags(
    [
      { customer_name: 'b', tags: { plan: 'pro' } },
      { customer_name: 'a', tags: { plan: 'pro', region: null, tier: 'one' } },
    ],
    fields,
  );
  const problem = expectProblem(answer, 409, 'conflict');
  expect(problem.conflicts).toEqual([{ customer_name: 'a', key: 'plan' }]);
  expect(await project.costBy('customer', { customer_tags: { plan: 'pro' } })).toEqual({ a: 1 });
  expect(await project.totalCost({ customer_tags: { region: 'eu' } })).toBe(1);
  expect(await project.totalCost({ customer_tags: { tier: 'one' } })).toBe(0);
});

test('D10.1: all conflicts are named', async () => {
  const project = await farthing.createProject();
  await project.tag(
    { customer_name: 'a', tags: { plan: 'pro', region: 'eu' } },
    { customer_name: 'b', tags: { plan: 'pro' } },
  );
  const answer = await project.postTags([
    { customer_name: 'a', tags: { plan: 'x', region: 'x' } },
    { customer_name: 'b', tags: { plan: 'x', region: 'x' } },
  ]);
  const { conflicts } = expectProblem(answer, 409, 'conflict');
  expect(conflicts).toHaveLength(3);
  expect(conflicts).toEqual(
    expect.arrayContaining([
      { customer_name: 'a', key: 'plan' },
      { customer_name: 'a', key: 'region' },
      { customer_name: 'b', key: 'plan' },
    ]),
  );
});

test('D10.1: the first hundred conflicts are named', async () => {
  const project = await farthing.createProject();
  const customers = Array.from({ length: 150 }, (_, index) => ({ customer_name: `c${index}`, tags: { plan: 'pro' } }));
  await project.tag(...customers);
  const { conflicts } = expectProblem(await project.postTags(customers), 409, 'conflict');
  expect(conflicts).toHaveLength(100);
});
