import { expect, test } from 'vitest';
import { costEvent, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { addRevenue } from '../../support/margin.ts';
import { plansOf } from '../../support/plans.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const may = { date_from: '2024-05-01', date_to: '2024-05-31', aggregate: 'all' };
const call = (cost: number, tags: Json) => ({ ...costEvent({ cost }), timestamp: '2024-05-02T12:00:00Z', tags });

/** Twenty customers on pro that cost 1 to 20 and pay 10 each, one without calls, and one without a plan. */
async function projectOfPlans(): Promise<Project> {
  const project = await farthing.createProject({ at_risk_below_pct: 50 });
  const names = Array.from({ length: 20 }, (_, at) => `c${String(at + 1).padStart(2, '0')}`);
  const paying = [...names, 'idle', 'free'];
  await project.tag(...[...names, 'idle'].map((name) => ({ customer_name: name, tags: { plan: 'pro' } })));
  await project.post(
    ...names.map((customer, at) => call(at + 1, { customer, feature: at % 2 === 0 ? 'chat' : 'search' })),
    call(3, { customer: 'free' }),
    call(4, {}),
  );
  const month = { date_from: '2024-05-01', date_to: '2024-05-31' };
  await addRevenue(
    project,
    ...paying.map((customer) => ({ external_id: customer, customer, amount: customer === 'free' ? -2 : 10, ...month })),
  );
  return project;
}

test('D29.1: a row says what a plan earns and costs, and how the cost is spread over its customers', async () => {
  const project = await projectOfPlans();
  const { rows } = await plansOf(project, may);
  const days = { date_from: '2024-05-01', date_to: '2024-05-31' };
  // Of 21 sorted costs (0, 1 … 20) the ranks are ⌈2.1⌉, ⌈10.5⌉, ⌈18.9⌉ and ⌈20.79⌉.
  expect(rows).toEqual([
    {
      ...{ ...days, plan: '', customers: 1, revenue: -2, cost: 7, margin: -9, margin_pct: -100 },
      // Calls that name no customer are none.
      cost_per_customer: { p10: 3, p50: 3, p90: 3, p99: 3, most: 3 },
      ...{ below_zero: 1, below_zero_share: 1, below_target: 1, below_target_share: 1 },
      dearest_tenth: { customers: 1, revenue: -2, cost: 3, margin: -5 },
      ...{ features: [{ feature: '', cost: 7 }], other_features_cost: 0 },
    },
    {
      ...{ ...days, plan: 'pro', customers: 21, revenue: 210, cost: 210, margin: 0, margin_pct: 0 },
      cost_per_customer: { p10: 2, p50: 10, p90: 18, p99: 20, most: 20 },
      // A customer that costs 10 pays for itself; one that costs 5 reaches half of its revenue.
      ...{ below_zero: 10, below_zero_share: 10 / 21, below_target: 15, below_target_share: 15 / 21 },
      dearest_tenth: { customers: 3, revenue: 30, cost: 57, margin: -27 },
      features: [
        { feature: 'search', cost: 110 },
        { feature: 'chat', cost: 100 },
      ],
      other_features_cost: 0,
    },
  ]);
  const [, withTarget] = (await plansOf(project, { ...may, target_margin_pct: 90 })).rows;
  expect(withTarget).toMatchObject({ below_target: 19 });
  const other = await plansOf(project, { ...may, plan_tag: 'tier', customers: ['c01', 'free'] });
  expect(other.rows).toMatchObject([{ plan: '', customers: 2, cost: 4, below_zero: 1 }]);
  const unnamed = await plansOf(project, { ...may, customers: [''] });
  expect(unnamed.rows).toMatchObject([
    { customers: 0, cost: 4, below_zero: 0, below_zero_share: 0, below_target_share: 0 },
  ]);
});

test('D29.1: a row lists the twenty features that cost most, and the sum of the others', async () => {
  const project = await farthing.createProject();
  await project.post(...Array.from({ length: 23 }, (_, at) => call(at + 1, { customer: 'a', feature: `f${at + 1}` })));
  const [row] = (await plansOf(project, may)).rows;
  expect(row?.below_target).toBe(null);
  expect(row?.features?.map(({ cost }) => cost)).toEqual(Array.from({ length: 20 }, (_, at) => 23 - at));
  expect(row?.other_features_cost).toBe(6);
});

test('D8.5, D29.1: features cost what calls of their period cost, also before a period that keeps no customer', async () => {
  const project = await farthing.createProject();
  const used = { customer: 'a', feature: 'chat' };
  await project.post(
    call(1, used),
    { ...call(2, { customer: 'a' }), timestamp: '2024-05-08T12:00:00Z' },
    { ...call(4, used), timestamp: '2024-05-15T12:00:00Z' },
  );
  const asked = { ...may, aggregate: 'week', filter_customers_based_on_features: ['chat'] };
  const { rows } = await plansOf(project, asked);
  expect(rows.map(({ date_from, cost, features }) => ({ date_from, cost, features }))).toEqual([
    { date_from: '2024-05-01', cost: 1, features: [{ feature: 'chat', cost: 1 }] },
    { date_from: '2024-05-13', cost: 4, features: [{ feature: 'chat', cost: 4 }] },
  ]);
});

test('D11.1, D29.1: every fault of the body is reported, and then the wrong type of project', async () => {
  const internal = await farthing.createProject({ type: 'internal' });
  const ask = (body: Json) => internal.api('POST', '/api/plans/', body);
  const faulty = { plan_tag: '', customers: [], target_margin_pct: 99.5, apply_credits: 1, limit: 0, group_by: 'plan' };
  expectInvalid(await ask(faulty), ['/date_from', ...Object.keys(faulty).map((field) => `/${field}`)]);
  expectInvalid(await ask({ ...may, target_margin_pct: -1, as_of: 'cls_none' }), ['/target_margin_pct']);
  const { detail } = expectProblem(await ask(may), 400, 'wrong_project_type');
  expect(detail).toContain('POST /api/performance/');
});
