import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing, tokenEvent } from '../../support/client.ts';
import { addRevenue, allMargin } from '../../support/margin.ts';
import { postSimulation, simulationOf } from '../../support/plans.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const on = (day: string) => `${day}T12:00:00Z`;
const call = (day: string, cost: number, customer: string) => ({
  ...costEvent({ cost }),
  timestamp: on(day),
  tags: { customer },
});
const month = (external_id: string, customer: string, amount: number, date_from: string, date_to: string) => ({
  external_id,
  customer,
  amount,
  date_from,
  date_to,
});
const quarter = { date_from: '2024-04-01', date_to: '2024-06-30' };
const pro = { name: 'Pro', customers: { customer_tags: { plan: 'pro' } }, base_per_month: 29 };

/** Two customers pay 29 a month, one of them from May on; another was refunded, and one has no plan. */
async function projectOfQuarter(): Promise<Project> {
  const project = await farthing.createProject();
  await project.tag(
    ...['acme', 'globex'].map((customer_name) => ({ customer_name, tags: { plan: 'pro' } })),
    { customer_name: 'initech', tags: { plan: 'free' } },
    { customer_name: 'unseen', tags: { plan: 'pro' } },
  );
  await addRevenue(
    project,
    month('a4', 'acme', 29, '2024-04-01', '2024-04-30'),
    month('a5', 'acme', 29, '2024-05-01', '2024-05-31'),
    month('a6', 'acme', 29, '2024-06-01', '2024-06-30'),
    month('g5', 'globex', 29, '2024-05-01', '2024-05-31'),
    month('g6', 'globex', 29, '2024-06-01', '2024-06-30'),
    month('i5', 'initech', -10, '2024-05-10', '2024-05-10'),
    month('h5', 'hooli', 100, '2024-05-10', '2024-05-10'),
  );
  await project.post(
    call('2024-04-10', 30, 'acme'),
    call('2024-05-10', 6, 'acme'),
    call('2024-05-11', 4, 'acme'),
    call('2024-06-20', 50, 'globex'),
    call('2024-06-20', 1, 'initech'),
    call('2024-06-21', 2, 'hooli'),
  );
  return project;
}

test('D29.2: the plan that customers had earns what they paid, in whole months and in parts', async () => {
  const project = await projectOfQuarter();
  for (const days of [
    quarter,
    { date_from: '2024-04-07', date_to: '2024-06-11' },
    { date_from: '2024-05-03', date_to: '2024-05-03' },
  ]) {
    const { plans, others, total } = await simulationOf(project, { ...days, plans: [pro] });
    const [plan] = plans;
    expect(plan?.simulated_revenue).toBe(plan?.revenue);
    for (const row of plan?.rows ?? []) expect(row.simulated_revenue).toBe(row.revenue);
    expect(plan).toMatchObject({ pay_more: 0, pay_less: 0, other_customers: 0 });
    const [margin] = await allMargin(project, { ...days, aggregate: 'all' });
    expect(total).toMatchObject({ revenue: margin?.revenue, cost: margin?.cost, margin: margin?.margin });
    expect((plan?.revenue ?? 0) + others.revenue).toBeCloseTo(margin?.revenue ?? 0, 9);
  }
});

test('D29.2: the plan that customers had earns what they paid, from whatever day it is billed', async () => {
  const project = await farthing.createProject();
  const names = ['month', 'days', 'year', 'part', 'once', 'lines'];
  await project.tag(...names.map((customer_name) => ({ customer_name, tags: { plan: 'pro' } })));
  await addRevenue(
    project,
    // From the 16th to the 15th, on trial before; every 30 days; a year at once.
    month('m1', 'month', 29, '2024-04-16', '2024-05-15'),
    month('m2', 'month', 29, '2024-05-16', '2024-06-15'),
    month('m3', 'month', 29, '2024-06-16', '2024-07-15'),
    month('d1', 'days', 29, '2024-03-20', '2024-04-18'),
    month('d2', 'days', 29, '2024-04-19', '2024-05-18'),
    month('d3', 'days', 29, '2024-05-19', '2024-06-17'),
    month('y1', 'year', 348, '2023-09-10', '2024-09-09'),
    // Ten days of April, then calendar months; each month on one day; two lines of one bill.
    month('p1', 'part', 9.666666666667, '2024-04-21', '2024-04-30'),
    month('p2', 'part', 29, '2024-05-01', '2024-05-31'),
    month('o1', 'once', 29, '2024-04-03', '2024-04-03'),
    month('l1', 'lines', 20, '2024-04-16', '2024-05-15'),
    month('l2', 'lines', 9, '2024-04-16', '2024-05-15'),
  );
  await project.post(call('2024-04-02', 3, 'month'), call('2024-04-20', 2, 'month'));
  for (const days of [quarter, { date_from: '2024-04-10', date_to: '2024-05-20' }]) {
    const { plans } = await simulationOf(project, { ...days, plans: [pro] });
    const expected = plans[0]?.rows.filter(({ customer }) => days === quarter || customer !== 'once') ?? [];
    expect(expected.length).toBeGreaterThan(4);
    for (const { customer, revenue, simulated_revenue } of expected) {
      expect(simulated_revenue, customer).toBeCloseTo(revenue, 10);
    }
  }
  // What is included counts by the same days.
  const usage = { included: { unit: 'calls', amount: 1 }, overage: { unit: 'calls', price: 1 } };
  const [plan] = (await simulationOf(project, { ...quarter, plans: [{ ...pro, base_per_month: 0, ...usage }] })).plans;
  // Two calls in April, half of which is paid for.
  expect(plan?.rows.find(({ customer }) => customer === 'month')?.simulated_revenue).toBe(1.5);
});

test('D29.2: it says who would pay more, who stays below zero, and which base reaches the target', async () => {
  const project = await projectOfQuarter();
  const ask = { ...quarter, target_margin_pct: 50, plans: [{ ...pro, base_per_month: 34 }] };
  const { plans, others, total } = await simulationOf(project, ask);
  const ofAcme = { revenue: 87, cost: 40, margin: 47, simulated_revenue: 102, simulated_margin: 62 };
  const ofGlobex = { revenue: 58, cost: 50, margin: 8, simulated_revenue: 68, simulated_margin: 18 };
  const sums = { revenue: 145, cost: 90, margin: 55, simulated_revenue: 170, simulated_margin: 80 };
  expect(plans).toEqual([
    {
      ...{ name: 'Pro', customers: 2, ...sums, simulated_base: 170 },
      ...{ margin_pct: (100 * 55) / 145, simulated_margin_pct: (100 * 80) / 170 },
      ...{ pay_more: 2, pay_less: 0, below_zero: 0, simulated_below_zero: 0 },
      // 90 is half of 180, for five months.
      target_base: { base_per_month: 36, reason: null },
      target_included: { unit: null, amount: null, reason: 'no_charge' },
      rows: [
        { customer: 'acme', ...ofAcme },
        { customer: 'globex', ...ofGlobex },
      ],
      other_customers: 0,
    },
  ]);
  const [first] = (await simulationOf(project, { ...ask, limit: 1 })).plans;
  expect(first).toEqual({ ...plans[0], rows: plans[0]?.rows.slice(0, 1), other_customers: 1 });
  expect(others).toEqual({ customers: 2, revenue: 90, cost: 3, margin: 87 });
  expect(total).toMatchObject({ revenue: 235, simulated_revenue: 260, cost: 93, simulated_margin: 167 });
  const [reached] = (await simulationOf(project, { ...ask, plans: [{ ...pro, base_per_month: 36 }] })).plans;
  expect(reached).toMatchObject({ simulated_margin: 90, simulated_margin_pct: 50 });
});

test('D29.2, D31.2: with shared costs, cost and what is charged by it have them; the base reaches the target with them', async () => {
  const project = await projectOfQuarter();
  const entry = { external_id: 'gpu', name: 'GPU', amount: 90, date_from: '2024-05-10', allocate_by: 'cost' };
  // Of June 30th, without calls: nobody's.
  const idle = { ...entry, external_id: 'idle', amount: 7, date_from: '2024-06-30' };
  expectStatus(await project.api('POST', '/api/shared-costs/', { entries: [entry, idle] }), 201);
  const plan = { ...pro, base_per_month: 36 };
  const ask = { ...quarter, target_margin_pct: 50, include_shared: true, plans: [plan] };
  const { plans, others, total } = await simulationOf(project, ask);
  // Acme has the only calls of May 10th.
  expect(plans[0]).toMatchObject({
    ...{ revenue: 145, cost: 180, shared_cost: 90, margin: -35, simulated_margin: 0 },
    ...{ below_zero: 1, target_base: { base_per_month: 72, reason: null } },
  });
  expect(plans[0]?.rows[0]).toMatchObject({ customer: 'acme', cost: 130, shared_cost: 90 });
  expect(others).toEqual({ customers: 2, revenue: 90, cost: 10, shared_cost: 7, margin: 80 });
  expect(total).toMatchObject({ cost: 190, shared_cost: 97, simulated_margin: 80 });
  const of = { ...quarter, aggregate: 'all', include_shared: true };
  expect((await allMargin(project, of))[0]).toMatchObject({ cost: total.cost, revenue: total.revenue });
  const markup = await simulationOf(project, { ...ask, plans: [{ ...plan, base_per_month: 0, markup_pct: 10 }] });
  expect(markup.plans[0]).toMatchObject({ cost: 180, simulated_revenue: 198 });
  const [without] = (await simulationOf(project, { ...ask, include_shared: false })).plans;
  expect(without).toEqual((await simulationOf(project, { ...quarter, target_margin_pct: 50, plans: [plan] })).plans[0]);
  expect(without).not.toHaveProperty('shared_cost');
  expect(without).toMatchObject({ cost: 90, target_base: { base_per_month: 36 } });
});

test('D29.2: a customer is on the first plan that selects it, and refunds are not made again', async () => {
  const project = await projectOfQuarter();
  const named = { name: 'Named', customers: { names: ['acme', 'initech'] }, base_per_month: 0, markup_pct: 20 };
  const { plans } = await simulationOf(project, { ...quarter, plans: [named, pro] });
  expect(plans.map(({ name, rows }) => [name, rows.map(({ customer }) => customer)])).toEqual([
    ['Named', ['acme', 'initech']],
    ['Pro', ['globex']],
  ]);
  // Costs of 40 and 1, and a refund of 10.
  expect(plans[0]).toMatchObject({ revenue: 77, simulated_revenue: 49.2, simulated_below_zero: 0, pay_less: 1 });
  expect(plans[0]?.rows[1]).toMatchObject({ revenue: -10, simulated_revenue: 1.2, margin: -11, simulated_margin: 0.2 });
});

test('D29.2: usage is charged by calls, tokens, cost and key metrics, of a month in part by its days', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 1 });
  const definition = { event_type: 'job.done', aggregation: 'sum', field: '/minutes' };
  expectStatus(await project.api('PUT', '/api/key-metrics/minutes/', definition), 201);
  const tokens = { model: 'm1', prompt_tokens: 600, completion_tokens: 400, tags: { customer: 'acme' } };
  const job = (minutes: number, customer: string) => ({
    ...{ event_id: randomUUID(), event_type: 'job.done', timestamp: on('2024-06-10'), minutes, tags: { customer } },
  });
  await project.post(
    ...Array.from({ length: 5 }, () => ({ ...tokenEvent(tokens), timestamp: on('2024-06-10') })),
    job(30.5, 'acme'),
    job(12, 'acme'),
    job(500, 'globex'),
  );
  const earned = async (fields: Json, days: Json = { date_from: '2024-06-01', date_to: '2024-06-30' }) => {
    const plan = { name: 'P', customers: { names: ['acme'] }, base_per_month: 3, ...fields };
    return (await simulationOf(project, { ...days, plans: [plan] })).plans[0]?.simulated_revenue;
  };
  const charged = (unit: string, price: number, amount: number) => ({
    overage: { unit, price },
    included: { unit, amount },
  });
  expect(await earned({})).toBe(3);
  expect(await earned(charged('calls', 0.5, 3))).toBe(4);
  expect(await earned(charged('tokens', 0.001, 4_000))).toBe(4);
  expect(await earned(charged('tokens', 0.001, 6_000))).toBe(3);
  expect(await earned(charged('key_metric:minutes', 0.1, 40))).toBe(3.25);
  expect(await earned(charged('cost', 2, 0.001))).toBe(3.008);
  expect(await earned({ markup_pct: 50, included: { unit: 'cost', amount: 0.001 } })).toBe(3.006);
  expect(await earned({ markup_pct: 50, ...charged('calls', 0.5, 3) })).toBe(4.0075);
  // Ten of thirty days: a base of 1, and one call included of three.
  expect(await earned(charged('calls', 0.5, 3), { date_from: '2024-06-06', date_to: '2024-06-15' })).toBe(3);
});

test('D11.1, D29.2: every fault of a simulation is reported', async () => {
  const project = await farthing.createProject();
  const ask = (plans: unknown, fields: Json = {}) => postSimulation(project, { ...quarter, plans, ...fields });
  expectInvalid(await ask([]), ['/plans']);
  expectInvalid(await ask(Array.from({ length: 101 }, (_, at) => ({ ...pro, name: `p${at}` }))), ['/plans']);
  expectInvalid(await ask(5, { date_from: 1, target_margin_pct: 100, as_of: 'x', limit: 0 }), [
    '/limit',
    '/date_from',
    '/plans',
    '/target_margin_pct',
    '/as_of',
  ]);
  const many = { customer_tags: { plan: [] }, names: ['a'] };
  const faulty = [
    { name: '', customers: {}, base_per_month: -1, markup_pct: 10_001, colour: 1 },
    { ...pro, customers: many, overage: { unit: 'hours', price: 0 }, included: { unit: 3, amount: 'x' } },
    { ...pro, included: { unit: 'calls', amount: 1 } },
    { ...pro, name: 'C', overage: { unit: 'cost', price: 1 }, markup_pct: 1 },
  ];
  expectInvalid(await ask(faulty), [
    ...['name', 'customers', 'base_per_month', 'markup_pct', 'colour'].map((field) => `/plans/0/${field}`),
    ...['name', 'customers', 'customers/customer_tags/plan', 'overage/unit', 'overage/price'].map(
      (field) => `/plans/1/${field}`,
    ),
    ...['/plans/1/included/unit', '/plans/1/included/amount', '/plans/2/included/unit', '/plans/2/name'],
    '/plans/3/markup_pct',
  ]);
  const unknown = { overage: { unit: 'key_metric:none', price: 1 }, included: { unit: 'key_metric:none', amount: 1 } };
  expectInvalid(await ask([{ ...pro, ...unknown }]), ['/plans/0/included/unit', '/plans/0/overage/unit']);
  const internal = await farthing.createProject({ type: 'internal' });
  expectProblem(await postSimulation(internal, { ...quarter, plans: [pro] }), 400, 'wrong_project_type');
});
