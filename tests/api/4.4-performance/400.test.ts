import { expect, test } from 'vitest';
import { sharedFarthing } from '../../support/client.ts';
import { createInternalProject } from '../../support/performance.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const day = { date_from: '2024-05-15', date_to: '2024-05-15' };

test('7: a project linked to revenue is told to use margin', async () => {
  const project = await farthing.createProject({ type: 'revenue' });
  const problem = expectProblem(await project.api('POST', '/api/performance/', day), 400, 'wrong_project_type');
  expect(problem.detail).toContain('POST /api/margin/');
});

test('D11.1: every fault of the body is reported at once', async () => {
  const project = await createInternalProject(farthing);
  const answer = await project.postPerformance({
    date_to: 'tomorrow',
    aggregate: 'hour',
    group_by: 'customer',
    users: [],
    filter_users_based_on_features: 'chat',
    user_tags: { plan: 5 },
    apply_credits: 'yes',
    limit: 1001,
    customers: ['a'],
  });
  expectInvalid(answer, [
    '/date_from',
    '/date_to',
    '/aggregate',
    '/group_by',
    '/users',
    '/filter_users_based_on_features',
    '/user_tags/plan',
    '/apply_credits',
    '/limit',
    '/customers',
  ]);
});

test.each([
  ['a range that ends before it begins', { date_from: '2024-05-16', date_to: '2024-05-15' }],
  ['a range of 3,661 days', { date_from: '2000-01-01', date_to: '2010-01-08' }],
])('D6.5: %s', async (_name, range) => {
  const project = await createInternalProject(farthing);
  expectInvalid(await project.postPerformance(range), ['/date_from']);
});

test('D6.4: a cursor is bound to every parameter except limit', async () => {
  const project = await createInternalProject(farthing);
  const query = { date_from: '2024-05-01', date_to: '2024-05-31', limit: 1, users: ['a'], user_tags: { t: 'v' } };
  const { next_cursor: cursor } = await project.performance(query);
  expect((await project.performance({ ...query, limit: 2, cursor })).rows).toHaveLength(2);
  const others = [
    { ...query, date_from: '2024-05-02' },
    { ...query, date_to: '2024-05-30' },
    { ...query, aggregate: 'week' },
    { ...query, group_by: 'user' },
    { ...query, users: ['b'] },
    { ...query, user_tags: { t: ['v', 'w'] } },
    { ...query, filter_users_based_on_features: ['f'] },
    { ...query, apply_credits: true },
  ];
  for (const other of others) {
    expectProblem(await project.postPerformance({ ...other, cursor }), 400, 'invalid_cursor');
  }
  expectProblem(await project.postPerformance({ ...query, cursor: 'nonsense' }), 400, 'invalid_cursor');
});

test('D6.4: a cursor of one project is invalid in another', async () => {
  const [one, other] = await Promise.all([createInternalProject(farthing), createInternalProject(farthing)]);
  const query = { date_from: '2024-05-01', date_to: '2024-05-31', limit: 1 };
  const { next_cursor: cursor } = await one.performance(query);
  expectProblem(await other.postPerformance({ ...query, cursor }), 400, 'invalid_cursor');
});
