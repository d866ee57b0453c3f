import { expect, test } from 'vitest';
import {
  costEvent,
  type Dimension,
  type Json,
  type Project,
  sharedFarthing,
  wholeRange,
} from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';
import { longTest } from '../../support/long-test.ts';
import { addGrant, listGrants, onlyGrant } from '../D7-credits/support.ts';

const farthing = sharedFarthing();

async function projectWith(...events: (Json & { cost: number })[]): Promise<Project> {
  const project = await farthing.createProject();
  await project.post(...events.map((event) => costEvent({ provider: 'p', ...event })));
  return project;
}

const net = { apply_credits: true };

test('4.2: apply_credits discounts the cost only; averages and maxima stay gross', async () => {
  const project = await projectWith(
    { cost: 1, tags: { feature: 'chat', run_id: 'r1', plan: 'pro' } },
    { cost: 3, tags: { feature: 'chat', run_id: 'r2', plan: 'pro' } },
  );
  await addGrant(project, { amount: 1 });
  const day = { date_from: '2024-05-15', date_to: '2024-05-15' };
  const discounted = [{ ...day, cost: 3, avg_feature_run_cost: 2, max_feature_run_cost: 3 }];
  expect((await project.costs({ ...day, ...net })).rows).toEqual(discounted);
  // Only calls hold run tags, so this answer is not added up from cells.
  expect((await project.costs({ ...day, ...net, run_tags: { plan: 'pro' } })).rows).toEqual(discounted);
  expect((await project.costs(day)).rows[0]?.cost).toBe(4);
});

test('D7.2: a grant is used by the whole project, before any filter of the request', async () => {
  const project = await projectWith(
    { cost: 1, model: 'm1', tags: { customer: 'a', feature: 'x', plan: 'pro', run_id: 'r1' } },
    { cost: 3, model: 'm2', tags: { customer: 'b', feature: 'y', run_id: 'r2' } },
    { cost: 4, model: 'm1', provider: 'q', tags: { customer: 'a', feature: 'x', run_id: 'r1' } },
  );
  await project.tag({ customer_name: 'a', tags: { region: 'eu' } });
  await addGrant(project, { amount: 2 });
  // Half of provider p, nothing of q.
  const selected: readonly (readonly [filters: Json, cost: number])[] = [
    [{}, 6],
    [{ providers: ['p'] }, 2],
    [{ providers: ['q'] }, 4],
    [{ customers: ['a'] }, 4.5],
    [{ customers: ['b'] }, 1.5],
    [{ features: ['x'] }, 4.5],
    [{ models: ['m1'] }, 4.5],
    [{ models: ['m1'], providers: ['p'] }, 0.5],
    [{ customer_tags: { region: 'eu' } }, 4.5],
    [{ run_tags: { plan: 'pro' } }, 4.5],
    [{ customers: ['nobody'] }, 0],
  ];
  for (const [filters, cost] of someOf(selected, 5)) {
    expect([filters, await project.totalCost({ ...net, ...filters })]).toEqual([filters, cost]);
  }
});

longTest('D7.3: net costs add up under every grouping and every period', async () => {
  const project = await projectWith(
    ...Array.from({ length: 40 }, (_, index) => ({
      cost: 0.1 + index / 7_000_000,
      timestamp: `2024-05-${String(1 + (index % 9)).padStart(2, '0')}T12:00:00Z`,
      model: `m${index % 3}`,
      provider: ['p', 'P', 'q'][index % 3],
      tags: { ...(index % 5 > 0 && { customer: `c${index % 5}` }), feature: `f${index % 4}` },
    })),
  );
  await addGrant(project, { amount: 0.3, models: ['m0'], expires_on: '2024-05-04' });
  await addGrant(project, { amount: 0.77 });
  await addGrant(project, { provider: 'Q', amount: 0.5, models: ['m*'], starts_on: '2024-05-03' });
  const gross = await project.totalCost();
  const total = await project.totalCost(net);
  const used = (await listGrants(project)).reduce((sum, grant) => sum + grant.used, 0);
  expect(used).toBeGreaterThan(1);
  expect(gross - total).toBeCloseTo(used, 9);
  const dimensions: (Dimension | undefined)[] = [undefined, 'customer', 'feature', 'model', 'provider'];
  const cuts = dimensions.flatMap((group_by) =>
    ['day', 'week', 'month', 'all'].map((aggregate) => ({ aggregate, ...(group_by && { group_by }) })),
  );
  // Seven hold each grouping and each period.
  for (const cut of someOf(cuts, 7)) {
    const query = { date_from: '2024-04-29', date_to: '2024-05-15', ...cut };
    const rows = await project.allCosts({ ...query, ...net });
    const grossRows = await project.allCosts(query);
    expect(rows.reduce((sum, row) => sum + row.cost, 0)).toBeCloseTo(total, 9);
    for (const [index, row] of rows.entries()) {
      const { cost, ...rest } = row;
      const { cost: grossCost = 0, ...grossRest } = grossRows[index] ?? {};
      expect(rest).toEqual(grossRest);
      expect(cost >= 0 && cost <= grossCost).toBe(true);
    }
  }
});

test('D7.2: a grant that is used up on a day covers the same part of each of its calls', async () => {
  const project = await projectWith(
    { cost: 1, timestamp: '2024-05-01T23:59:59Z', tags: { customer: 'a' } },
    { cost: 2, timestamp: '2024-05-02T00:00:00Z', tags: { customer: 'a' } },
    { cost: 6, timestamp: '2024-05-02T23:00:00Z', tags: { customer: 'b' }, model: 'other' },
    { cost: 5, timestamp: '2024-05-03T00:00:00Z', tags: { customer: 'a' } },
  );
  await addGrant(project, { amount: 3 });
  const rows = await project.allCosts({ date_from: '2024-05-01', date_to: '2024-05-03', group_by: 'customer', ...net });
  expect(rows.map(({ date_from, customer, cost }) => [date_from, customer, cost])).toEqual([
    ['2024-05-01', 'a', 0],
    ['2024-05-02', 'a', 1.5],
    ['2024-05-02', 'b', 4.5],
    ['2024-05-03', 'a', 5],
  ]);
  expect((await onlyGrant(project)).runs_out_on).toBe('2024-05-02');
});

test('D7.2: credit that was used before the range, or that has expired, is gone', async () => {
  const project = await projectWith(
    { cost: 4, timestamp: '2024-02-01T12:00:00Z' },
    { cost: 4, timestamp: '2024-03-01T12:00:00Z' },
    { cost: 4, timestamp: '2024-05-01T12:00:00Z' },
  );
  await addGrant(project, { amount: 3, expires_on: '2024-02-28' });
  await addGrant(project, { amount: 7, starts_on: '2024-02-01' });
  const may = { date_from: '2024-05-01', date_to: '2024-05-31', aggregate: 'all', ...net };
  // 3 and 1 are used in February and 4 in March, so 2 are left.
  expect((await project.costs(may)).rows.map(({ cost }) => cost)).toEqual([2]);
});

longTest('D7.2: a range before, after or without valid grants is gross', async () => {
  const project = await projectWith({ cost: 2, timestamp: '2024-03-01T12:00:00Z' }, { cost: 4 });
  await addGrant(project, { amount: 9, starts_on: '2024-04-01', expires_on: '2024-04-30' });
  await addGrant(project, { amount: 9, starts_on: '2024-06-01' });
  expect(await project.totalCost(net)).toBe(6);
  const march = { date_from: '2024-03-01', date_to: '2024-03-31', aggregate: 'all', ...net };
  expect((await project.costs(march)).rows.map(({ cost }) => cost)).toEqual([2]);
});

longTest('D7.2: a grant that expires within the range, even on its first day, counts up to that day', async () => {
  const project = await projectWith(
    { cost: 2, timestamp: '2024-03-01T12:00:00Z' },
    { cost: 4, timestamp: '2024-03-02T12:00:00Z' },
  );
  await addGrant(project, { amount: 9, starts_on: '2024-03-01', expires_on: '2024-03-01' });
  expect(await project.totalCost(net)).toBe(4);
  const march = { date_from: '2024-03-01', date_to: '2024-03-31', aggregate: 'all', ...net };
  expect((await project.costs(march)).rows.map(({ cost }) => cost)).toEqual([4]);
  const first = { date_from: '2024-02-01', date_to: '2024-03-01', aggregate: 'all', ...net };
  expect((await project.costs(first)).rows.map(({ cost }) => cost)).toEqual([0]);
});

test('D7.3: a provider matches case-insensitively; models match by name or prefix, case-sensitively', async () => {
  const project = await projectWith(
    { cost: 1, provider: 'OpenAI', model: 'gpt-5' },
    { cost: 2, provider: 'openai', model: 'gpt-5-mini' },
    { cost: 4, provider: 'OPENAI', model: 'GPT-5' },
    { cost: 8, provider: 'openai', model: 'o3' },
    { cost: 16, provider: 'openai', model: 'o3-mini' },
    { cost: 32, provider: 'open-ai', model: 'gpt-5' },
  );
  await addGrant(project, { provider: 'oPENai', models: ['gpt-*', 'o3'], amount: 1_000 });
  expect(await project.costBy('model', net)).toEqual({
    'gpt-5': 32,
    'gpt-5-mini': 0,
    'GPT-5': 4,
    o3: 0,
    'o3-mini': 16,
  });
});

test('D7.3: names of any characters are discounted', async () => {
  const names = ["o'brien", 'a\\b', 'x"y', 'tab\there', 'ümläut', '😀', '[1,2]', "',NULL", 'a]'];
  const project = await projectWith(...names.map((name) => ({ cost: 2, provider: name, model: name })));
  for (const name of names) await addGrant(project, { provider: name, models: [name], amount: 1 });
  expect(await project.costBy('model', net)).toEqual(Object.fromEntries(names.map((name) => [name, 1])));
  expect(await project.costBy('provider', net)).toEqual(Object.fromEntries(names.map((name) => [name, 1])));
});

test('D7.3: a net cost is the double nearest to the exact sum', async () => {
  const project = await projectWith({ cost: 0.1, model: 'x' }, { cost: 0.2, model: 'y' });
  await addGrant(project, { amount: '0.1' });
  // One third of each, truncated at 18 digits.
  expect(await project.totalCost(net)).toBe(0.2);
  expect(await project.costBy('model', net)).toEqual({
    x: Number('0.0666666666666666667'),
    y: Number('0.1333333333333333334'),
  });
});

test('D7.3: late calls share the credits of their day', async () => {
  const project = await projectWith({ cost: 4, tags: { customer: 'a' } });
  await addGrant(project, { amount: 4 });
  expect(await project.costBy('customer', net)).toEqual({ a: 0 });
  await project.post(costEvent({ cost: 12, provider: 'p', tags: { customer: 'b' } }));
  expect(await project.costBy('customer', net)).toEqual({ a: 3, b: 9 });
});

longTest(
  'D6.4: pages of net costs are the rows of the whole answer, and cursors are bound to apply_credits',
  async () => {
    const project = await projectWith(
      ...Array.from({ length: 12 }, (_, index) => ({
        cost: 1,
        timestamp: `2024-05-${String(1 + Math.floor(index / 4)).padStart(2, '0')}T12:00:00Z`,
        tags: { customer: `c${index % 4}` },
      })),
    );
    await addGrant(project, { amount: 6 });
    const query = { date_from: '2024-05-01', date_to: '2024-05-03', group_by: 'customer', ...net };
    const whole = await project.allCosts(query);
    expect(whole.map(({ cost }) => cost)).toEqual([0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, 1, 1, 1, 1]);
    expect(await project.allCosts({ ...query, limit: 3 })).toEqual(whole);
    expect(await project.allCosts({ ...query, group_by: 'model', limit: 1 })).toHaveLength(3);
    const { next_cursor } = await project.costs({ ...query, limit: 3 });
    expect((await project.postCosts({ ...query, apply_credits: false, limit: 3, cursor: next_cursor })).status).toBe(
      400,
    );
    expect(await project.allCosts({ ...wholeRange, aggregate: 'month', ...net, limit: 50 })).toHaveLength(121);
  },
);
