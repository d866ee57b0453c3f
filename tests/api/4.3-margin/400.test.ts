import { expect, test } from 'vitest';
import { costEvent, sharedFarthing } from '../../support/client.ts';
import { addRevenue, marginOf, postMargin } from '../../support/margin.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

test('7: margin of an internal project is a 400 that names the performance route', async () => {
  const project = await farthing.createProject({ type: 'internal' });
  const answer = await postMargin(project, { date_from: '2024-05-01', date_to: '2024-05-31' });
  const { detail } = expectProblem(answer, 400, 'wrong_project_type');
  expect(detail).toContain('POST /api/performance/');
});

test('7: faults of the body are reported before the wrong type of project', async () => {
  const project = await farthing.createProject({ type: 'internal' });
  expectInvalid(await postMargin(project, { date_from: '2024-05-01', limit: 0 }), ['/limit']);
  expectInvalid(await postMargin(project, { date_from: '2024-05-02', date_to: '2024-05-01' }), ['/date_from']);
});

test('D11.1: every fault of the body is reported at once', async () => {
  const project = await farthing.createProject();
  const answer = await postMargin(project, {
    date_to: 'tomorrow',
    aggregate: 'hour',
    group_by: 'feature',
    customers: [],
    filter_customers_based_on_features: [5],
    features: ['chat'],
    customer_tags: { plan: 'pro' },
    apply_credits: 'yes',
    limit: 1_001,
    cursor: 7,
  });
  expectInvalid(answer, [
    '/date_from',
    '/date_to',
    '/aggregate',
    '/group_by',
    '/customers',
    '/filter_customers_based_on_features/0',
    '/features',
    '/customer_tags',
    '/apply_credits',
    '/limit',
    '/cursor',
  ]);
});

test('D6.5: limits of the range and of the filters', async () => {
  const project = await farthing.createProject();
  const years = { date_from: '2000-01-01', aggregate: 'year' };
  expect((await postMargin(project, { ...years, date_to: '2010-01-07' })).status).toBe(200);
  expectProblem(await postMargin(project, { ...years, date_to: '2010-01-08' }), 400, 'invalid_body');
  const names = Array.from({ length: 10_000 }, (_, index) => `c${index}`);
  const may = { date_from: '2024-05-01', date_to: '2024-05-31', group_by: 'customer' };
  await addRevenue(project, { external_id: 'e', customer: 'c9999', amount: 1, date_from: '2024-05-01' });
  expect((await marginOf(project, { ...may, customers: names })).rows).toMatchObject([{ customer: 'c9999' }]);
  expectInvalid(await postMargin(project, { ...may, customers: [...names, 'x'] }), ['/customers']);
});

test('D6.4: a cursor is bound to every parameter except limit', async () => {
  const project = await farthing.createProject();
  await project.post(...['a', 'b', 'c'].map((customer) => costEvent({ cost: 1, tags: { customer, feature: 'f' } })));
  const query = {
    date_from: '2024-05-01',
    date_to: '2024-05-31',
    aggregate: 'month',
    group_by: 'customer',
    customers: ['a', 'b', 'c'],
    filter_customers_based_on_features: ['f'],
    apply_credits: false,
    limit: 1,
  };
  const { next_cursor: cursor } = await marginOf(project, query);
  expect((await marginOf(project, { ...query, limit: 2, cursor })).rows).toHaveLength(2);
  const { group_by: _, ...ungrouped } = query;
  const { filter_customers_based_on_features: __, ...withoutFeatures } = query;
  const changed = [
    { ...query, date_from: '2024-05-02' },
    { ...query, date_to: '2024-05-30' },
    { ...query, aggregate: 'day' },
    { ...query, customers: ['a', 'b'] },
    { ...query, filter_customers_based_on_features: ['f', 'x'] },
    { ...query, apply_credits: true },
    ungrouped,
    withoutFeatures,
  ];
  for (const other of changed) {
    expectProblem(await postMargin(project, { ...other, cursor }), 400, 'invalid_cursor');
  }
  const costs = { date_from: '2024-05-01', date_to: '2024-05-31', aggregate: 'month', group_by: 'customer', limit: 1 };
  const { next_cursor: ofCosts } = await project.costs(costs);
  expectProblem(await postMargin(project, { ...costs, cursor: ofCosts }), 400, 'invalid_cursor');
});
