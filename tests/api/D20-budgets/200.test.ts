import { expect, test } from 'vitest';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { noon } from '../../support/noon.ts';
import { addGrant } from '../D7-credits/support.ts';
import { addBudget, budgetPath, checkBudget, checkFromNow, showBudget } from './support.ts';

const farthing = sharedFarthing();
const create = () => farthing.createProject({ timezone: noon.timezone });

/** An event of now, which counts today. */
const spend = (cost: number, fields: Json = {}): Json =>
  costEvent({ cost, timestamp: new Date().toISOString(), ...fields });

const today = (project: Project): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: project.record.timezone, dateStyle: 'short' }).format(new Date());

test('D20.1: a budget is made with its defaults, listed, replaced and deleted', async () => {
  const project = await create();
  const made = await addBudget(project, { name: 'All', amount: '12.5', period: 'week' });
  expect(made).toMatchObject({
    name: 'All',
    amount: 12.5,
    period: 'week',
    scope: {},
    each: null,
    thresholds: [50, 80, 100],
    apply_credits: false,
  });
  const body = {
    amount: 3,
    period: 'month',
    scope: { customer: 'acme', features: ['chat', 'chat', ''], customer_tags: { plan: 'free', __proto__x: ['a'] } },
    each: 'user',
    thresholds: [100, 25],
    apply_credits: true,
  };
  const put = await project.api('PUT', budgetPath('All'), body);
  expect(expectStatus(put, 200)).toMatchObject({
    scope: { customers: ['acme'], features: ['chat', ''], customer_tags: { plan: ['free'], __proto__x: ['a'] } },
    each: 'user',
    thresholds: [25, 100],
    apply_credits: true,
    created_at: made.created_at,
  });
  expectStatus(await project.api('PUT', budgetPath('a / ü'), { amount: 1, period: 'day' }), 201);
  const listed = expectStatus(await project.api('GET', '/api/budgets/'), 200);
  expect(listed).toMatchObject({ budgets: [{ name: 'All', amount: 3 }, { name: 'a / ü' }] });
  expectStatus(await project.api('DELETE', budgetPath('a / ü')), 204);
  expect(expectStatus(await project.api('GET', '/api/budgets/'), 200)).toMatchObject({ budgets: [{ name: 'All' }] });
});

test('D20.1: what is spent is the cost of the calls in scope, of the current period alone', async () => {
  const project = await create();
  await Promise.all([
    addBudget(project, { name: 'all', amount: 8 }),
    addBudget(project, { name: 'quarter', period: 'quarter', amount: 100 }),
    addBudget(project, { name: 'chat', scope: { feature: 'chat', models: ['m1', 'm2'] } }),
    addBudget(project, { name: 'free', scope: { customer_tags: { plan: ['free'] } } }),
    addBudget(project, { name: 'ann', scope: { user: 'ann' }, amount: 3 }),
    addBudget(project, { name: 'ann by acme', scope: { users: ['ann'], customers: ['acme'] } }),
  ]);
  await project.tag({ customer_name: 'acme', tags: { plan: 'free' } });
  await project.post(
    spend(1, { customer: 'acme', feature: 'chat', model: 'm1', user: 'ann' }),
    spend(2, { customer: 'globex', feature: 'chat', model: 'm3', user: 'ann' }),
    spend(0.5, { customer: 'acme', feature: 'search', model: 'm2' }),
    costEvent({ cost: 70, timestamp: '2024-05-15T12:00:00Z', customer: 'acme', feature: 'chat', model: 'm1' }),
  );
  const spent = { all: 3.5, quarter: 3.5, chat: 1, free: 1.5, ann: 3, 'ann by acme': 1 };
  for (const [name, cost] of Object.entries(spent)) {
    expect(await showBudget(project, name), name).toMatchObject({ spent: cost });
    expect(await checkFromNow(project, name), name).toMatchObject({ spent: cost });
  }
  const day = today(project);
  expect(await showBudget(project, 'all')).toMatchObject({
    period_from: day,
    period_to: day,
    remaining: 4.5,
    spent_pct: 43.75,
    thresholds_passed: [],
  });
  // What is spent to the cent is used up.
  expect(await checkBudget(project, 'ann')).toMatchObject({ allowed: false, remaining: 0 });
  expect(await showBudget(project, 'ann')).toMatchObject({ spent_pct: 100, thresholds_passed: [50, 80, 100] });
  expect(await checkBudget(project, 'all')).toMatchObject({ allowed: true, remaining: 4.5 });
});

test('D20.1: each customer has a budget of the amount, and one that was never seen has spent nothing', async () => {
  const project = await create();
  await addBudget(project, { each: 'customer', amount: 2, thresholds: [50, 100] });
  await project.post(
    spend(1.5, { customer: 'acme' }),
    spend(1, { customer: 'globex' }),
    spend(2, { customer: 'globex' }),
    spend(7),
  );
  // A call without a customer is in no budget.
  expect(await showBudget(project)).toMatchObject({
    spent: 4.5,
    remaining: null,
    spent_pct: null,
    thresholds_passed: [],
    each_spent: [
      { of: 'globex', spent: 3, remaining: -1, spent_pct: 150, thresholds_passed: [50, 100] },
      { of: 'acme', spent: 1.5, remaining: 0.5, spent_pct: 75, thresholds_passed: [50] },
    ],
  });
  expect(await showBudget(project, 'b', 'acme')).toMatchObject({ of: 'acme', spent: 1.5, remaining: 0.5 });
  expect(await checkFromNow(project, 'b', 'globex')).toMatchObject({ allowed: false, spent: 3, remaining: -1 });
  expect(await checkFromNow(project, 'b', 'nobody')).toMatchObject({ allowed: true, spent: 0, remaining: 2 });
  expect(await showBudget(project, 'b', 'nobody')).toMatchObject({ spent: 0, thresholds_passed: [] });
});

test('D20.1: spent and forecast of a budget with each leave calls without a value out', async () => {
  const project = await create();
  const daysBefore = [...Array(30).keys()].map((daysAgo) => new Date(Date.now() - daysAgo * 86_400_000).toISOString());
  await project.post(
    ...daysBefore.map((timestamp) => costEvent({ cost: 1, timestamp, customer: 'acme', user: 'ann', feature: 'chat' })),
  );
  const shapes = [
    ...(['customer', 'user', 'feature'] as const).map((each) => ({ name: each, each, period: 'quarter' })),
    { name: 'net', each: 'customer', period: 'quarter', apply_credits: true },
    { name: 'scoped', each: 'customer', period: 'quarter', scope: { features: ['chat', ''] } },
  ];
  for (const shape of shapes) await addBudget(project, { amount: 1000, ...shape });
  const before = await Promise.all(shapes.map(({ name }) => showBudget(project, name)));
  expect(before[0]?.forecast).toBeGreaterThan(30);
  await project.post(...daysBefore.map((timestamp) => costEvent({ cost: 3, timestamp })));
  for (const [index, { name }] of shapes.entries()) {
    const { spent, forecast, each_spent: each = [] } = await showBudget(project, name);
    expect(spent, name).toBe(before[index]?.spent);
    expect(spent, name).toBe(each.reduce((sum, one) => sum + one.spent, 0));
    expect(forecast, name).toBeCloseTo(before[index]?.forecast ?? 0, 1);
  }
});

test('D32.1: budgets by the hour, by a window and for each run say what is spent, and when more may be', async () => {
  const project = await create();
  const made = await addBudget(project, { name: 'window', period: undefined, window: '2h', each: 'run', amount: 2 });
  expect(made).toMatchObject({ period: null, window: '2h', each: 'run' });
  await addBudget(project, { name: 'hour', period: 'hour', amount: 100 });
  await addBudget(project, { name: 'all', period: null, window: '30d', amount: 100 });
  await addBudget(project, { name: 'month', period: 'month', each: 'run', amount: 100 });
  const old = new Date(Date.now() - 3 * 3_600_000).toISOString();
  const from = Date.now();
  await project.post(
    spend(1.5, { run_id: 'r1', customer: 'acme' }),
    spend(1, { run_id: 'r1' }),
    spend(0.25, { run_id: 'r2' }),
    // Without a run.
    spend(4),
    spend(8, { run_id: 'r1', timestamp: old }),
  );
  const to = Date.now();
  expect(await showBudget(project, 'window')).toMatchObject({
    spent: 2.75,
    remaining: null,
    forecast: null,
    resets_at: null,
    each_spent: [
      { of: 'r1', spent: 2.5, remaining: -0.5, thresholds_passed: [50, 80, 100] },
      { of: 'r2', spent: 0.25, thresholds_passed: [] },
    ],
  });
  const over = await checkFromNow(project, 'window', 'r1');
  expect(over).toMatchObject({ allowed: false, spent: 2.5, remaining: -0.5 });
  const freeAt = Date.parse(over.resets_at ?? '');
  expect(freeAt).toBeGreaterThan(from + 119 * 60_000);
  expect(freeAt).toBeLessThan(to + 122 * 60_000);
  expect(await checkFromNow(project, 'window', 'r2')).toMatchObject({ allowed: true, resets_at: null });
  expect(await showBudget(project, 'window', 'r2')).toMatchObject({ of: 'r2', spent: 0.25, forecast: null });
  expect(await checkFromNow(project, 'all')).toMatchObject({ spent: 14.75 });
  expect((await checkFromNow(project, 'hour')).spent).toBeLessThanOrEqual(6.75);
  // The calls of three hours ago may be of the month before.
  expect([2.5, 10.5]).toContain((await checkFromNow(project, 'month', 'r1')).spent);
  expect((await showBudget(project, 'month')).each_spent?.map(({ of }) => of).sort()).toEqual(['r1', 'r2']);
});

test('D20.2: a check knows budgets, tags, credits and prices from the request on that changed them', async () => {
  const project = await create();
  await addBudget(project, { name: 'gross' });
  await addBudget(project, { name: 'net', apply_credits: true });
  await addBudget(project, { name: 'net each', apply_credits: true, each: 'customer' });
  await addBudget(project, { name: 'free', scope: { customer_tags: { plan: ['free'] } } });
  await project.post(spend(4, { customer: 'acme', provider: 'p', model: 'm' }), spend(2, { customer: 'globex' }));
  expect(await checkFromNow(project, 'gross')).toMatchObject({ spent: 6, allowed: true });
  expect(await checkBudget(project, 'free')).toMatchObject({ spent: 0 });

  await project.tag({ customer_name: 'globex', tags: { plan: 'free' } });
  expect(await checkBudget(project, 'free')).toMatchObject({ spent: 2 });
  await addGrant(project, { amount: 1, starts_on: '2024-01-01' });
  expect(await checkBudget(project, 'net')).toMatchObject({ spent: 5 });
  expect(await showBudget(project, 'net')).toMatchObject({ spent: 5 });
  expect(await checkBudget(project, 'net each', 'acme')).toMatchObject({ spent: 3 });
  expect(await checkBudget(project, 'gross')).toMatchObject({ spent: 6 });

  expectStatus(await project.api('PUT', budgetPath('gross'), { amount: 5, period: 'day' }), 200);
  expect(await checkBudget(project, 'gross')).toMatchObject({ allowed: false, remaining: -1 });
  expectStatus(await project.api('DELETE', budgetPath('gross')), 204);
  expectStatus(await project.api('GET', `${budgetPath('gross')}check/`), 404);
});
