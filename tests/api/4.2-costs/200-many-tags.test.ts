import { expect, test } from 'vitest';
import { expectStatus, type Json, wholeRange } from '../../support/client.ts';
import { isLong } from '../../support/effort.ts';
import { projectWith } from './support.ts';

/** Keys that calls can have, of which some also fill a column. */
const carried: Json = {
  customer: 'acme',
  feature: 'chat',
  run_id: 'wide',
  ...Object.fromEntries(Array.from({ length: 27 }, (_, index) => [`key ${index}`, `value ${index}`])),
};
const [firstHalf, secondHalf] = [Object.entries(carried).slice(0, 15), Object.entries(carried).slice(15)];
const filled = (count: number): Json =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`other ${index}`, 'x']));

/** Two calls of one run that have all tags together, and calls of runs that lack one of them. */
const openProject = async () =>
  await projectWith(
    { cost: 1, tags: Object.fromEntries([...firstHalf, ['run_id', 'wide']]) },
    { cost: 2, tags: Object.fromEntries([...secondHalf, ['run_id', 'wide']]) },
    { cost: 4, tags: { ...carried, run_id: 'other' } },
    { cost: 8, tags: Object.fromEntries([...firstHalf, ['run_id', 'half']]) },
    { cost: 16, tags: { ...carried, run_id: 'changed', 'key 26': 'no' } },
  );

test('D6.6: run_tags with many keys selects the runs that have all of them', async () => {
  const project = await openProject();
  const { run_id: _, ...withoutRun } = carried;
  expect(await project.totalCost({ run_tags: carried })).toBe(3);
  expect(await project.totalCost({ run_tags: withoutRun })).toBe(7);
  expect(await project.totalCost({ run_tags: { ...withoutRun, 'key 26': ['no', 'value 26'] } })).toBe(23);
  expect(await project.totalCost({ run_tags: { ...withoutRun, other: 'x' } })).toBe(0);
});

test('D6.5: every route with filters answers filters as large as they may be', async () => {
  const project = await projectWith({ cost: 1, tags: { customer: 'acme' } });
  const range = { date_from: '2024-05-01', date_to: '2024-05-31' };
  const names = Array.from({ length: 10_000 }, (_, index) => `name ${index}`);
  const filters: readonly Json[] = [
    { run_tags: filled(10_000), customer_tags: filled(10_000) },
    { customers: names, features: names, models: names, providers: names },
    { run_tags: { ['k'.repeat(1_000_000)]: 'v'.repeat(1_000_000) }, customers: ['n'.repeat(1_000_000)] },
  ];
  // Usually each route answers one of them.
  const asked = [
    ...['costs', 'usage', 'calls', 'changes', 'waste'].flatMap((route, at) =>
      filters.flatMap((filter, index) => (isLong || index === at % filters.length ? [[route, filter] as const] : [])),
    ),
    ['margin', { customers: names, filter_customers_based_on_features: names }] as const,
  ];
  for (const [route, filter] of asked) {
    const answer = await project.api('POST', `/api/${route}/`, { ...range, ...filter });
    expect([route, Object.keys(filter), answer.status, answer.status === 200 ? '' : answer.text]).toEqual([
      route,
      Object.keys(filter),
      200,
      '',
    ]);
  }
  const internal = await project.farthing.createProject({ type: 'internal' });
  const users = { users: names, user_tags: filled(10_000), filter_users_based_on_features: names };
  expectStatus(await internal.api('POST', '/api/performance/', { ...wholeRange, ...users }), 200);
});
