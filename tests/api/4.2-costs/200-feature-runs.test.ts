// D6.7: the feature runs of a row, for different days, customers, models and features.
import { expect, test } from 'vitest';
import type { CostRow } from '../../support/client.ts';
import { projectWith } from './support.ts';

test('D6.7: average and maximum are over feature runs, which are the calls of one run and feature', async () => {
  const project = await projectWith(
    { cost: 1, tags: { feature: 'chat', run_id: 'r1' } },
    { cost: 2, tags: { feature: 'chat', run_id: 'r1' } },
    { cost: 5, tags: { feature: 'search', run_id: 'r1' } },
    { cost: 7, tags: { feature: 'chat', run_id: 'r2' } },
    { cost: 100, tags: { run_id: 'r1' } },
    { cost: 9, tags: { feature: 'chat' } },
    { cost: 12, tags: { feature: 'chat' } },
  );
  const range = { date_from: '2024-05-15', date_to: '2024-05-15' };
  // Five feature runs: (r1, chat) 3, (r1, search) 5, (r2, chat) 7, and two calls that are runs of their own.
  expect((await project.costs(range)).rows).toMatchObject([
    { cost: 136, avg_feature_run_cost: 36 / 5, max_feature_run_cost: 12 },
  ]);
  expect((await project.costs({ ...range, group_by: 'feature' })).rows).toMatchObject([
    { feature: '', cost: 100, avg_feature_run_cost: 0, max_feature_run_cost: 0 },
    { feature: 'chat', cost: 31, avg_feature_run_cost: 7.75, max_feature_run_cost: 12 },
    { feature: 'search', cost: 5, avg_feature_run_cost: 5, max_feature_run_cost: 5 },
  ]);
});

test('D6.7: a run with calls in two rows counts in each row with its cost in that row', async () => {
  const project = await projectWith(
    { cost: 1, timestamp: '2024-05-01T12:00:00Z', model: 'a', tags: { feature: 'f', run_id: 'r', customer: 'x' } },
    { cost: 3, timestamp: '2024-05-02T12:00:00Z', model: 'b', tags: { feature: 'f', run_id: 'r', customer: 'x' } },
    { cost: 4, timestamp: '2024-05-02T13:00:00Z', model: 'b', tags: { feature: 'f', run_id: 'r', customer: 'y' } },
  );
  const range = { date_from: '2024-05-01', date_to: '2024-05-02' };
  const runs = (row: CostRow) => [row.avg_feature_run_cost, row.max_feature_run_cost];
  expect((await project.costs(range)).rows.map(runs)).toEqual([
    [1, 1],
    [7, 7],
  ]);
  expect((await project.costs({ ...range, aggregate: 'all' })).rows.map(runs)).toEqual([[8, 8]]);
  const byModel = await project.costs({ ...range, aggregate: 'all', group_by: 'model' });
  expect(byModel.rows.map(runs)).toEqual([
    [1, 1],
    [7, 7],
  ]);
  const byCustomer = await project.costs({ ...range, aggregate: 'all', group_by: 'customer' });
  expect(byCustomer.rows.map(runs)).toEqual([
    [4, 4],
    [4, 4],
  ]);
});

test('D6.7: a run over midnight counts once for each of its features, and not for calls without one', async () => {
  const on = (day: number, cost: number, feature?: string) => ({
    cost,
    timestamp: `2024-05-0${day}T12:00:00Z`,
    model: 'a',
    tags: { run_id: 'r', customer: `c${day}`, ...(feature !== undefined && { feature }) },
  });
  const project = await projectWith(on(1, 1, 'f'), on(1, 2, 'g'), on(1, 40), on(2, 4, 'f'), on(2, 8, 'g'), on(2, 80));
  const range = { date_from: '2024-05-01', date_to: '2024-05-02', aggregate: 'all' };
  const whole = { cost: 135, avg_feature_run_cost: 7.5, max_feature_run_cost: 10 };
  expect((await project.costs(range)).rows).toMatchObject([whole]);
  expect((await project.costs({ ...range, group_by: 'model' })).rows).toMatchObject([whole]);
  expect((await project.costs({ ...range, customers: ['c1', 'c2'] })).rows).toMatchObject([whole]);
  expect((await project.costs({ ...range, group_by: 'feature' })).rows).toMatchObject([
    { feature: '', cost: 120, avg_feature_run_cost: 0, max_feature_run_cost: 0 },
    { feature: 'f', cost: 5, avg_feature_run_cost: 5, max_feature_run_cost: 5 },
    { feature: 'g', cost: 10, avg_feature_run_cost: 10, max_feature_run_cost: 10 },
  ]);
});

test('D6.7: the feature runs of a row consist of the calls that pass the filters', async () => {
  const project = await projectWith(
    { cost: 1, model: 'a', tags: { feature: 'f', run_id: 'r' } },
    { cost: 3, model: 'b', tags: { feature: 'f', run_id: 'r' } },
    { cost: 9, model: 'a', tags: { feature: 'f', run_id: 's' } },
  );
  const range = { date_from: '2024-05-15', date_to: '2024-05-15' };
  expect((await project.costs({ ...range, models: ['a'] })).rows).toMatchObject([
    { cost: 10, avg_feature_run_cost: 5, max_feature_run_cost: 9 },
  ]);
  expect((await project.costs({ ...range, models: ['a', 'b'] })).rows).toMatchObject([
    { cost: 13, avg_feature_run_cost: 6.5, max_feature_run_cost: 9 },
  ]);
});
