import { expect, test } from 'vitest';
import { costEvent, sharedFarthing } from '../../support/client.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('D11.1: every fault of the body is reported at once', async () => {
  const project = await farthing.createProject();
  const answer = await project.postCosts({
    date_to: 'tomorrow',
    aggregate: 'hour',
    group_by: 'user',
    customers: [],
    features: 'chat',
    models: [1],
    customer_tags: { plan: 5 },
    run_tags: { env: [] },
    apply_credits: 'yes',
    limit: 0,
    colour: 'red',
  });
  expectInvalid(answer, [
    '/date_from',
    '/date_to',
    '/aggregate',
    '/group_by',
    '/customers',
    '/features',
    '/models/0',
    '/customer_tags/plan',
    '/run_tags/env',
    '/apply_credits',
    '/limit',
    '/colour',
  ]);
});

test('D6.4: a cursor is bound to every parameter except limit', async () => {
  const project = await farthing.createProject();
  await project.post(...['a', 'b', 'c'].map((customer) => costEvent({ cost: 1, tags: { customer } })));
  await project.tag({ customer_name: 'a', tags: { plan: 'pro' } });
  const query = {
    date_from: '2024-05-01',
    date_to: '2024-05-31',
    aggregate: 'month',
    group_by: 'customer',
    customers: ['a', 'b', 'c'],
    features: [''],
    models: [''],
    providers: [''],
    run_tags: { customer: ['a', 'b', 'c'] },
    apply_credits: false,
    limit: 1,
  };
  const { next_cursor: cursor } = await project.costs(query);
  expect((await project.costs({ ...query, limit: 2, cursor })).rows).toHaveLength(2);
  const { run_tags: _, ...withoutRunTags } = query;
  const changed = [
    { ...query, date_from: '2024-05-02' },
    { ...query, date_to: '2024-05-30' },
    { ...query, aggregate: 'day' },
    { ...query, group_by: 'model' },
    { ...query, customers: ['a', 'b'] },
    { ...query, features: ['', 'x'] },
    { ...query, models: ['', 'x'] },
    { ...query, providers: ['', 'x'] },
    { ...query, run_tags: { customer: ['a', 'b'] } },
    { ...query, customer_tags: { plan: 'pro' } },
    { ...query, apply_credits: true },
    withoutRunTags,
  ];
  for (const other of changed) {
    expectProblem(await project.postCosts({ ...other, cursor }), 400, 'invalid_cursor');
  }
});

test('D6.4: a damaged or invented cursor is a 400', async () => {
  const project = await farthing.createProject();
  const query = { date_from: '2024-05-01', date_to: '2024-05-31', limit: 1 };
  const { next_cursor: cursor } = await project.costs(query);
  if (cursor === null) throw new Error('the first page has a cursor');
  const middle = Math.floor(cursor.length / 2);
  const damaged = [
    '',
    'nonsense',
    '💥',
    cursor.slice(0, -4),
    `${cursor}AAAA`,
    cursor.slice(0, middle) + (cursor[middle] === 'A' ? 'B' : 'A') + cursor.slice(middle + 1),
    Buffer.from('{"date":"2024-05-02"}').toString('base64url'),
  ];
  for (const other of damaged) {
    expectProblem(await project.postCosts({ ...query, cursor: other }), 400, 'invalid_cursor');
  }
});

test('D6.5: one day more than the longest range is a 400', async () => {
  const project = await farthing.createProject();
  const accepted = await project.postCosts({ date_from: '2000-01-01', date_to: '2010-01-07', aggregate: 'year' });
  expect(accepted.status).toBe(200);
  const refused = await project.postCosts({ date_from: '2000-01-01', date_to: '2010-01-08', aggregate: 'year' });
  expectProblem(refused, 400, 'invalid_body');
});

test('D6.5: a date_from after today is after the default date_to', async () => {
  const project = await farthing.createProject();
  expectProblem(await project.postCosts({ date_from: '2100-01-01' }), 400, 'invalid_body');
});
