import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { addRevenue, allMargin, type Entry, type MarginRow, marginOf } from '../../support/margin.ts';
import { once } from '../../support/once.ts';

const farthing = sharedFarthing();

const noon = (day: string) => `${day}T12:00:00Z`;
const call = (day: string, customer: string, cost: number, fields: Json = {}): Json => {
  const { tags, ...rest } = fields;
  return costEvent({ cost, timestamp: noon(day), tags: { customer, ...(tags as Json) }, ...rest });
};
const entry = (customer: string, amount: number | string, date_from: string, date_to?: string): Entry => ({
  external_id: randomUUID(),
  customer,
  amount,
  date_from,
  ...(date_to !== undefined && { date_to }),
});

const may = { date_from: '2024-05-01', date_to: '2024-05-31' };
const whole = { ...may, aggregate: 'all' };

/** Customer → [revenue, cost] over May. */
async function byCustomer(project: Project, fields: Json = {}): Promise<Record<string, [number, number]>> {
  const rows = await allMargin(project, { ...whole, group_by: 'customer', ...fields });
  return Object.fromEntries(rows.map(({ customer, revenue, cost }) => [customer, [revenue, cost]]));
}

test('2.3: a row holds revenue, cost, margin, its percentage and the risk', async () => {
  const project = await farthing.createProject();
  await project.post(call('2024-05-15', 'acme', 2.5));
  await addRevenue(project, entry('acme', 10, '2024-05-15'));
  const { rows, next_cursor, has_more } = await marginOf(project, { ...whole });
  expect(rows).toEqual([{ ...may, revenue: 10, cost: 2.5, margin: 7.5, margin_pct: 75, risk_status: 'healthy' }]);
  expect([next_cursor, has_more]).toEqual([null, false]);
  expect((await marginOf(project, { ...whole, group_by: 'customer' })).rows).toEqual([
    { ...may, customer: 'acme', revenue: 10, cost: 2.5, margin: 7.5, margin_pct: 75, risk_status: 'healthy' },
  ]);
});

const margins = [
  ['nothing at all', 0, 0, 0, 'healthy'],
  ['cost without revenue', 0, 1, -100, 'unprofitable'],
  ['a refund', -2, 0, -100, 'unprofitable'],
  ['a refund and cost', -2, 1, -100, 'unprofitable'],
  ['revenue without cost', 5, 0, 100, 'healthy'],
  ['revenue as large as cost', 5, 5, 0, 'healthy'],
  ['less revenue than cost', 1, 4, -300, 'unprofitable'],
  ['a third', 3, 2, 100 / 3, 'healthy'],
] as const;

/** A day for each of these margins, in one project. */
const readMargins = once(async (): Promise<MarginRow[]> => {
  const project = await farthing.createProject();
  const days = margins.map(([_name, revenue, cost], at) => ({ day: `2024-05-0${at + 1}`, revenue, cost }));
  await project.post(...days.flatMap(({ day, cost }) => (cost === 0 ? [] : [call(day, 'a', cost)])));
  await addRevenue(project, ...days.flatMap(({ day, revenue }) => (revenue === 0 ? [] : [entry('a', revenue, day)])));
  return await allMargin(project, { ...may });
});

test.each(margins)('D8.2, D8.3: %s', async (name, revenue, cost, margin_pct, risk_status) => {
  const row = (await readMargins())[margins.findIndex(([found]) => found === name)];
  expect(row).toMatchObject({ revenue, cost, margin: revenue - cost, margin_pct, risk_status });
});

test('D8.3: below at_risk_below_pct a margin is at risk, unless there is a loss or no revenue', async () => {
  const project = await farthing.createProject({ at_risk_below_pct: 20 });
  await project.post(
    call('2024-05-02', 'exactly', 8),
    call('2024-05-02', 'just below', 8.000000000001),
    call('2024-05-02', 'loss', 10.5),
    call('2024-05-02', 'zero', 10),
    call('2024-05-02', 'free', 0),
  );
  const paying = ['exactly', 'just below', 'loss', 'zero'].map((customer) => entry(customer, 10, '2024-05-02'));
  await addRevenue(project, ...paying);
  const rows = await allMargin(project, { ...whole, group_by: 'customer' });
  expect(rows.map(({ customer, risk_status }) => [customer, risk_status])).toEqual([
    ['exactly', 'healthy'],
    ['free', 'healthy'],
    ['just below', 'at_risk'],
    ['loss', 'unprofitable'],
    ['zero', 'at_risk'],
  ]);
  expectStatus(await farthing.admin('PATCH', `${project.adminPath}/`, { at_risk_below_pct: null }), 200);
  const relaxed = await allMargin(project, { ...whole, group_by: 'customer', customers: ['zero', 'just below'] });
  expect(relaxed.map(({ risk_status }) => risk_status)).toEqual(['healthy', 'healthy']);
});

test('D5.1: sums are exact, and doubles only at the end', async () => {
  const project = await farthing.createProject();
  await project.post(...Array.from({ length: 10 }, () => call('2024-05-02', 'a', 0.1)));
  await addRevenue(
    project,
    ...Array.from({ length: 3 }, () => entry('a', 0.1, '2024-05-02')),
    entry('a', '0.700000000001', '2024-05-02'),
  );
  const [row] = (await marginOf(project, whole)).rows;
  expect([row?.revenue, row?.cost, row?.margin, row?.margin_pct]).toEqual([
    1.000000000001, 1, 1e-12, 9.99999999999e-11,
  ]);
});

test('D8.1: revenue is spread evenly over the days of its entry, and adds up', async () => {
  const project = await farthing.createProject();
  await addRevenue(project, entry('a', 1, '2024-02-28', '2024-03-01'), entry('b', -2e-12, '2024-02-27', '2024-03-01'));
  const days = { date_from: '2024-02-27', date_to: '2024-03-02' };
  const rows = await allMargin(project, { ...days, group_by: 'customer' });
  expect(rows.map(({ date_from, customer, revenue }) => [date_from.slice(5), customer, revenue])).toEqual([
    ['02-27', 'b', 0],
    ['02-28', 'a', 0.333333333333],
    ['02-28', 'b', -1e-12],
    ['02-29', 'a', 0.333333333333],
    ['02-29', 'b', 0],
    ['03-01', 'a', 0.333333333334],
    ['03-01', 'b', -1e-12],
  ]);
  const periods = await allMargin(project, { ...days, aggregate: 'month' });
  expect(periods.map(({ date_from, date_to, revenue }) => [date_from, date_to, revenue])).toEqual([
    ['2024-02-27', '2024-02-29', 0.666666666665],
    ['2024-03-01', '2024-03-02', 0.333333333333],
  ]);
  expect((await allMargin(project, { ...days, aggregate: 'all' })).map(({ revenue }) => revenue)).toEqual([
    0.999999999998,
  ]);
  // The last day of both entries is the first one asked for.
  expect((await marginOf(project, { ...days, date_from: '2024-03-01', aggregate: 'all' })).rows).toMatchObject([
    { revenue: 0.333333333333 },
  ]);
});

test('D6.2: an ungrouped answer has a row for every period, a grouped one where there is a call or revenue', async () => {
  const project = await farthing.createProject();
  await project.post(call('2024-05-02', 'caller', 1), call('2024-05-03', 'caller', 0));
  await addRevenue(project, entry('payer', 1e-12, '2024-05-04', '2024-05-05'));
  const days = { date_from: '2024-05-01', date_to: '2024-05-06' };
  expect((await allMargin(project, days)).map(({ revenue, cost }) => [revenue, cost])).toEqual([
    [0, 0],
    [0, 1],
    [0, 0],
    [0, 0],
    [1e-12, 0],
    [0, 0],
  ]);
  const rows = await allMargin(project, { ...days, group_by: 'customer' });
  expect(rows.map(({ date_from, customer }) => [date_from.slice(-2), customer])).toEqual([
    ['02', 'caller'],
    ['03', 'caller'],
    ['04', 'payer'],
    ['05', 'payer'],
  ]);
});

test('D4.5: calls without a customer are a group too', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 2, timestamp: noon('2024-05-02') }), call('2024-05-02', 'a', 1));
  await addRevenue(project, entry('a', 5, '2024-05-02'));
  expect(await byCustomer(project)).toEqual({ '': [0, 2], a: [5, 1] });
  expect(await byCustomer(project, { customers: [''] })).toEqual({ '': [0, 2] });
});

test('D8.4: with customers, revenue and cost are of these only, with or without calls', async () => {
  const project = await farthing.createProject();
  await project.post(call('2024-05-02', 'a', 1), call('2024-05-02', 'b', 2));
  await addRevenue(project, entry('a', 10, '2024-05-02'), entry('b', 20, '2024-05-02'), entry('c', 40, '2024-05-20'));
  const totals = async (customers: string[]) => {
    const [row] = (await marginOf(project, { ...whole, customers })).rows;
    return [row?.revenue, row?.cost];
  };
  expect(await totals(['a', 'c'])).toEqual([50, 1]);
  expect(await totals(['c'])).toEqual([40, 0]);
  expect(await totals(['nobody', 'a\0b', '\ud800'])).toEqual([0, 0]);
  expect(await byCustomer(project, { customers: ['b', 'c', 'b'] })).toEqual({ b: [20, 2], c: [40, 0] });
});

test('D8.5: features select customers by their calls in the period of the row, with all their cost and revenue in it', async () => {
  const project = await farthing.createProject();
  const chat = { tags: { feature: 'chat' } };
  await project.post(
    call('2024-05-02', 'a', 1, chat),
    call('2024-05-02', 'a', 2, { tags: { feature: 'other' } }),
    call('2024-05-02', 'b', 4, { tags: { feature: 'other' } }),
    call('2024-05-03', 'a', 8),
    call('2024-05-03', 'b', 16, chat),
    call('2024-05-09', 'c', 32, { tags: { feature: 'search' } }),
    costEvent({ cost: 64, timestamp: noon('2024-05-03'), tags: { feature: 'chat' } }),
  );
  await addRevenue(
    project,
    entry('a', 200, '2024-05-02', '2024-05-03'),
    entry('b', 2_000, '2024-05-02', '2024-05-03'),
    entry('only pays', 40_000, '2024-05-02', '2024-05-09'),
  );
  const days = { date_from: '2024-05-02', date_to: '2024-05-04' };
  const features = ['chat', 'nothing'];
  const rows = await allMargin(project, {
    ...days,
    group_by: 'customer',
    filter_customers_based_on_features: features,
    limit: 1,
  });
  expect(rows.map(({ date_from, customer, revenue, cost }) => [date_from.slice(-2), customer, revenue, cost])).toEqual([
    ['02', 'a', 100, 3],
    ['03', '', 0, 64],
    ['03', 'b', 1_000, 16],
  ]);
  const ungrouped = await allMargin(project, { ...days, filter_customers_based_on_features: features });
  expect(ungrouped.map(({ revenue, cost }) => [revenue, cost])).toEqual([
    [100, 3],
    [1_000, 80],
    [0, 0],
  ]);
  expect(await byCustomer(project, { filter_customers_based_on_features: features })).toEqual({
    '': [0, 64],
    a: [200, 11],
    b: [2_000, 20],
  });
  expect(await byCustomer(project, { filter_customers_based_on_features: features, customers: ['b', 'c'] })).toEqual({
    b: [2_000, 20],
  });
  const [all] = (await marginOf(project, { ...whole, filter_customers_based_on_features: features })).rows;
  expect([all?.revenue, all?.cost]).toEqual([2_200, 95]);
  // Clipped: customer a did not use chat on the last two days.
  const [clipped] = (
    await marginOf(project, {
      date_from: '2024-05-03',
      date_to: '2024-05-31',
      aggregate: 'month',
      filter_customers_based_on_features: features,
    })
  ).rows;
  expect([clipped?.revenue, clipped?.cost]).toEqual([1_000, 80]);
  // The empty feature is a value like any other.
  expect(await byCustomer(project, { filter_customers_based_on_features: [''] })).toEqual({ a: [200, 11] });
});

test('D6.1: revenue counts on the days of its entry in any timezone of the project', async () => {
  const project = await farthing.createProject({ timezone: 'Pacific/Auckland' });
  await project.post(costEvent({ cost: 1, timestamp: '2024-05-01T12:00:00Z', tags: { customer: 'a' } }));
  await addRevenue(project, entry('a', 5, '2024-05-02'));
  const rows = await allMargin(project, { ...may, group_by: 'customer' });
  expect(rows.map(({ date_from, revenue, cost }) => [date_from, revenue, cost])).toEqual([['2024-05-02', 5, 1]]);
});

test('D4.7: the answer includes an event posted just before', async () => {
  const project = await farthing.createProject();
  for (let count = 1; count <= 2; count += 1) {
    await project.post(call('2024-05-02', 'a', 1));
    await addRevenue(project, entry('a', 3, '2024-05-02'));
    const [row] = (await marginOf(project, whole)).rows;
    expect([row?.revenue, row?.cost]).toEqual([3 * count, count]);
  }
});

test('D1.1: revenue counts in its project only', async () => {
  const [one, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  await addRevenue(one, entry('a', 5, '2024-05-02'));
  expect(await byCustomer(other)).toEqual({});
  expect((await marginOf(other, whole)).rows[0]?.revenue).toBe(0);
});
