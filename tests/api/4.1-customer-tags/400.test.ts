import { expect, test } from 'vitest';
import { costEvent, sharedFarthing } from '../../support/client.ts';
import { expectInvalid } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D11.1: every fault is reported at once, and nothing is stored', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1, tags: { customer: 'fine' } }));
  const answer = await project.postTags(
    [
      { customer_name: 'fine', tags: { plan: 'pro' } },
      { customer_name: '', tags: { plan: 'pro' } },
      { tags: { plan: 'pro' } },
      { customer_name: 'a' },
      { customer_name: 'a', tags: { x: 5, '': 'v', 'a/b~c': [] } },
      { customer_name: 'a', tags: {}, colour: 'red' },
      'a',
    ],
    { upsert: 'yes', dry_run: true },
  );
  expectInvalid(answer, [
    '/customers/1/customer_name',
    '/customers/2/customer_name',
    '/customers/3/tags',
    '/customers/4/tags/x',
    '/customers/4/tags/',
    '/customers/4/tags/a~1b~0c',
    '/customers/5/colour',
    '/customers/6',
    '/upsert',
    '/dry_run',
  ]);
  expect(await project.totalCost({ customer_tags: { plan: 'pro' } })).toBe(0);
});

test('D10.2: the same key twice for one customer is a 400', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1, tags: { customer: 'a' } }));
  for (const second of ['pro', 'free', null]) {
    const answer = await project.postTags(
      [
        { customer_name: 'a', tags: { plan: 'pro', other: 'x' } },
        { customer_name: 'b', tags: { plan: 'pro' } },
        { customer_name: 'a', tags: { plan: second } },
      ],
      { upsert: true },
    );
    const problem = expectInvalid(answer, ['/customers/2/tags/plan']);
    expect(problem.errors?.[0]?.code).toBe('duplicate');
  }
  expect(await project.totalCost({ customer_tags: { plan: ['pro', 'free'] } })).toBe(0);
  expect(await project.totalCost({ customer_tags: { other: 'x' } })).toBe(0);
});

test('D10.2: more than a thousand entries are a 400', async () => {
  const project = await farthing.createProject();
  const customers = Array.from({ length: 1001 }, () => ({ customer_name: 'a', tags: {} }));
  const problem = expectInvalid(await project.postTags(customers), ['/customers']);
  expect(problem.errors?.[0]?.code).toBe('too_many');
});

test('D10.3: more than a hundred tags of a customer are a 400, even over several calls', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1, tags: { customer: 'a' } }));
  const tags = (from: number, to: number) =>
    Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`k${from + index}`, 'v']));
  const atOnce = await project.postTags([{ customer_name: 'a', tags: tags(0, 101) }]);
  expect([atOnce.status, atOnce.body]).toMatchObject([400, { code: 'invalid_body' }]);
  const inTwoEntries = await project.postTags([
    { customer_name: 'a', tags: tags(0, 60) },
    { customer_name: 'a', tags: tags(60, 101) },
  ]);
  expect([inTwoEntries.status, inTwoEntries.body]).toMatchObject([400, { code: 'invalid_body' }]);
  expect(await project.totalCost({ customer_tags: { k0: 'v' } })).toBe(0);

  await project.tag({ customer_name: 'a', tags: tags(0, 60) });
  const tooMany = await project.postTags([
    { customer_name: 'b', tags: { plan: 'pro' } },
    { customer_name: 'a', tags: tags(60, 101) },
  ]);
  expect([tooMany.status, tooMany.body]).toMatchObject([400, { code: 'invalid_body' }]);
  expect(await project.totalCost({ customer_tags: { k60: 'v' } })).toBe(0);
  await project.tag({ customer_name: 'a', tags: tags(60, 100) });
  expect(await project.totalCost({ customer_tags: { k59: 'v', k99: 'v' } })).toBe(1);
});
