import { expect, test } from 'vitest';
import { costEvent, type Json, sharedFarthing } from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';

const farthing = sharedFarthing();

// X marks the source that must win.
const winners = [
  ['customer', { tags: { customer: 'X', customer_id: 'b' }, customer: 'c', customer_id: 'd', customer_name: 'e' }],
  ['customer', { tags: { customer_id: 'X' }, customer: 'c', customer_id: 'd', customer_name: 'e' }],
  ['customer', { tags: { customer_name: 'no' }, customer: 'X', customer_id: 'd', customer_name: 'e' }],
  ['customer', { customer_id: 'X', customer_name: 'e' }],
  ['customer', { customer_name: 'X' }],
  ['feature', { tags: { feature: 'X' }, feature: 'b' }],
  ['feature', { tags: {}, feature: 'X' }],
  ['model', { model: 'X', response: { model: 'b' }, tags: { model: 'c' } }],
  ['model', { response: { model: 'X' }, tags: { model: 'c' } }],
  ['provider', { provider: 'X', tags: { provider: 'b' } }],
] satisfies ['customer' | 'feature' | 'model' | 'provider', Json][];

test.each(someOf<(typeof winners)[number]>(winners, 4))('D4.4: %s of %j is X', async (dimension, fields) => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1, ...fields }));
  expect(await project.costBy(dimension)).toEqual({ X: 1 });
});

test('D4.4: a missing provider is derived from the model by the catalogue', async () => {
  const project = await farthing.createProject();
  await project.post(
    costEvent({ cost: 1, model: 'gpt-4o-2024-08-06' }),
    costEvent({ cost: 2, model: 'claude-3-5-sonnet-20241022' }),
    costEvent({ cost: 4, model: 'no model of anybody' }),
    costEvent({ cost: 8, model: 'gpt-4o-2024-08-06', provider: 'mine' }),
  );
  expect(await project.costBy('provider')).toEqual({ openai: 1, anthropic: 2, '': 4, mine: 8 });
});

const sharedRuns: [string, Json[]][] = [
  ['tag run_id', [{ tags: { run_id: 'r', run: 'x' } }, { tags: { run_id: 'r', run: 'y' } }]],
  [
    'tag run',
    [
      { tags: { run: 'r' }, run_id: 'x' },
      { tags: { run: 'r' }, run_id: 'y' },
    ],
  ],
  [
    'top-level run_id',
    [
      { run_id: 'r', trace_id: 'x' },
      { run_id: 'r', trace_id: 'y' },
    ],
  ],
  [
    'top-level trace_id',
    [
      { trace_id: 'r', session_id: 'x' },
      { trace_id: 'r', session_id: 'y' },
    ],
  ],
  ['top-level session_id', [{ session_id: 'r' }, { session_id: 'r' }]],
  ['a mixture of sources', [{ tags: { run_id: 'r' } }, { session_id: 'r' }]],
];

test.each(someOf(sharedRuns, 3))('D4.4: calls that share their run by %s are one run', async (_name, calls) => {
  const project = await farthing.createProject();
  await project.post(...calls.map((fields) => costEvent({ cost: 1, feature: 'f', ...fields })));
  const { rows } = await project.costs({ date_from: '2024-05-15', date_to: '2024-05-15' });
  expect(rows).toMatchObject([{ cost: 2, avg_feature_run_cost: 2, max_feature_run_cost: 2 }]);
});

test('D4.4: a call without a run is a run of its own', async () => {
  const project = await farthing.createProject();
  await project.post(
    costEvent({ cost: 1, tags: { feature: 'f' } }),
    costEvent({ cost: 3, tags: { feature: 'f', run_id: '' } }),
  );
  const { rows } = await project.costs({ date_from: '2024-05-15', date_to: '2024-05-15' });
  expect(rows).toMatchObject([{ cost: 4, avg_feature_run_cost: 2, max_feature_run_cost: 3 }]);
});

test('D4.5: grouped rows add up to the ungrouped row', async () => {
  const project = await farthing.createProject();
  await project.post(
    costEvent({ cost: 1 }),
    costEvent({ cost: 2, model: 'm1', tags: { customer: 'a' } }),
    costEvent({ cost: 4, provider: 'p1', tags: { feature: 'f' } }),
    costEvent({ cost: 8, model: 'm1', provider: 'p1', tags: { customer: 'b', feature: 'g' } }),
  );
  for (const dimension of ['customer', 'feature', 'model', 'provider'] as const) {
    const costs = Object.values(await project.costBy(dimension));
    expect(costs.reduce((total, cost) => total + cost, 0)).toBe(15);
  }
});
