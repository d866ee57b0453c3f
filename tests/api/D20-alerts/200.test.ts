import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { erase } from '../D2-erasure/support.ts';
import { askFirings, call, changeAlert, listAlerts, untilFirings } from './support.ts';

const farthing = sharedFarthing();
const defaults = [
  { kind: 'budget', forecast: false },
  { kind: 'runaway', minutes: 10, least_amount: 2, factor: 3, amount: 0 },
  { kind: 'anomaly', least_amount: 5 },
  { kind: 'unprofitable_customer', margin_below_pct: 0, least_cost: 1, apply_credits: false },
  { kind: 'unpriced_model', days: 7, least_calls: 1 },
  { kind: 'price_change', days: 7 },
  { kind: 'coverage_drop', drop_points: 10, least_calls: 100 },
  { kind: 'credit_ending', days: 14 },
  { kind: 'no_events', factor: 1.5, least_minutes: 60 },
];

test('D20.3: a new project has all kinds of alerts, turned on, since its beginning', async () => {
  const project = await farthing.createProject();
  const since = project.record.created_at;
  expect(await listAlerts(project)).toEqual(defaults.map((alert) => ({ ...alert, enabled: true, since, open: 0 })));
  expect(await askFirings(project)).toEqual({ firings: [], next_cursor: null, has_more: false });
});

test('D20.3: a change of settings leaves all others as they are, also those of other kinds', async () => {
  const project = await farthing.createProject();
  await changeAlert(project, 'no_events', { factor: 3 });
  await changeAlert(project, 'no_events', { least_minutes: 120 });
  expect(
    await changeAlert(project, 'unprofitable_customer', { enabled: false, margin_below_pct: -12.5 }),
  ).toMatchObject({
    kind: 'unprofitable_customer',
    enabled: false,
    margin_below_pct: -12.5,
    least_cost: 1,
  });
  const alerts = await listAlerts(project);
  expect(alerts).toMatchObject(
    defaults.map((alert) => ({
      ...alert,
      enabled: alert.kind !== 'unprofitable_customer',
      ...(alert.kind === 'no_events' && { factor: 3, least_minutes: 120 }),
      ...(alert.kind === 'unprofitable_customer' && { margin_below_pct: -12.5 }),
    })),
  );
});

test('D20.3: a model without a price fires once, ends when it is turned off, and is not told again', async () => {
  const project = await farthing.createProject();
  const calls = Array.from({ length: 3 }, () => ({ model: 'house llm', provider: 'house', prompt_tokens: 5 }));
  await call(project, ...calls, { model: 'gpt-4o-2024-08-06', provider: 'openai', prompt_tokens: 5 });
  await changeAlert(project, 'unpriced_model', { least_calls: 2 });
  const [fired] = await untilFirings(project, '', ({ length }) => length > 0);
  const today = new Date().toISOString().slice(0, 10);
  expect(fired).toMatchObject({
    kind: 'unpriced_model',
    subject: { model: 'house llm' },
    ended_at: null,
    numbers: { unpriced_calls: 3, calls: 3, days: 7 },
    title: 'house llm has no price',
  });
  expect(fired?.path).toContain(`to=${today}&models=%5B%22house%20llm%22%5D`);
  expect((await listAlerts(project)).find(({ kind }) => kind === 'unpriced_model')?.open).toBe(1);

  await changeAlert(project, 'unpriced_model', { enabled: false });
  const { firings: ended } = await askFirings(project, '?state=ended');
  expect(ended).toEqual([{ ...fired, ended_at: expect.any(String) }]);
  expect((await askFirings(project, '?state=open')).firings).toEqual([]);

  const { since } = await changeAlert(project, 'unpriced_model', { enabled: true });
  expect(Date.parse(since)).toBeGreaterThanOrEqual(Date.parse(ended[0]?.ended_at ?? ''));
  // A look at budgets comes before one at models: when the second budget fires, models have been looked at since.
  await call(project, { model: 'budgeted', cost: 60 });
  for (const [index, name] of ['first', 'second'].entries()) {
    expectStatus(await project.api('POST', '/api/budgets/', { name, amount: 100, period: 'month' }), 201);
    await untilFirings(project, '?kind=budget', ({ length }) => length > index);
  }
  expect((await askFirings(project, '?kind=unpriced_model')).firings).toEqual(ended);
});

test('D20.3: each threshold of a budget fires once; they end when the budget is raised', async () => {
  const project = await farthing.createProject();
  await call(project, { cost: 6, tags: { customer: 'acme' } }, { cost: 2, tags: { customer: 'zed' } });
  const budget = { amount: 10, period: 'month', thresholds: [50, 80, 100] };
  expectStatus(await project.api('PUT', '/api/budgets/all/', budget), 201);
  const each = { ...budget, each: 'customer', thresholds: [60] };
  expectStatus(await project.api('PUT', '/api/budgets/each/', each), 201);
  const fired = await untilFirings(project, '?kind=budget&state=open', ({ length }) => length >= 3);
  const subjects = fired.map(({ subject }) => [subject.budget, subject.of, subject.threshold]).sort();
  expect(subjects).toEqual([
    ['all', undefined, 50],
    ['all', undefined, 80],
    ['each', 'acme', 60],
  ]);
  expect(fired.find(({ subject }) => subject.of === 'acme')).toMatchObject({
    title: 'The budget "each" has passed 60% for acme',
    numbers: { amount: 10, spent: 6, spent_pct: 60, each: 'customer', period: 'month' },
  });

  expectStatus(await project.api('PUT', '/api/budgets/all/', { ...budget, amount: 14 }), 200);
  const ended = await untilFirings(project, '?kind=budget&state=ended', ({ length }) => length > 0);
  expect(ended.map(({ subject }) => [subject.budget, subject.threshold])).toEqual([['all', 80]]);
});

longTest('D6.4: firings come newest first, page by page, each once', async () => {
  const project = await farthing.createProject();
  await call(project, ...Array.from({ length: 7 }, (_, index) => ({ model: `m${index}`, prompt_tokens: 1 })));
  await changeAlert(project, 'unpriced_model', { days: 3 });
  await untilFirings(project, '', ({ length }) => length >= 7);
  await call(project, { model: 'later', prompt_tokens: 1 });
  await changeAlert(project, 'unpriced_model', { days: 4 });
  const all = await untilFirings(project, '', ({ length }) => length >= 8);
  expect(all[0]?.subject).toEqual({ model: 'later' });
  const order = all.map(({ started_at, id }) => `${started_at} ${id}`);
  expect(order).toEqual([...order].sort().reverse());
  const paged = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '?limit=3' : `?limit=3&cursor=${encodeURIComponent(cursor)}`;
    const { firings, next_cursor } = await askFirings(project, query);
    paged.push(...firings);
    cursor = next_cursor;
  } while (cursor !== null);
  expect(paged).toEqual(all);
});

longTest('D2: erasing a customer deletes the firings that are about it', async () => {
  const project = await farthing.createProject();
  await call(project, { cost: 6, tags: { customer: 'acme' } }, { cost: 6, tags: { customer: 'zed' } });
  const budget = { amount: 10, period: 'quarter', thresholds: [50], each: 'customer' };
  expectStatus(await project.api('PUT', '/api/budgets/each/', budget), 201);
  await untilFirings(project, '?kind=budget', ({ length }) => length === 2);
  await erase(project, '/api/customers/acme/');
  const { firings } = await askFirings(project, '?kind=budget');
  expect(firings.map(({ subject }) => subject.of)).toEqual(['zed']);
});
