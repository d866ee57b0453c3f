import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { noon } from '../../support/noon.ts';
import { once } from '../../support/once.ts';
import { createInternalProject } from '../../support/performance.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';
import { changeTimezone } from '../../support/reprice.ts';
import { freezeBefore } from '../../support/retention.ts';

const farthing = sharedFarthing();
/** A timezone where no midnight comes during the test: it would freeze one more day. */
const here = { timezone: noon.timezone };
const createProject = () => farthing.createProject(here);
const may = { date_from: '2024-05-01', date_to: '2024-05-31' };
const kept = { date_from: '2024-05-15', date_to: '2024-05-31' };
/** The call of the frozen day. */
const id = randomUUID();
/** With a frozen day, a kept one, and a grant. No test changes it. */
const frozenProject = once(async () => {
  const project = await createInternalProject(farthing, here);
  const tags = { env: 'prod', run: 'r', user: 'ann' };
  await project.post(
    costEvent({ event_id: id, cost: 1, timestamp: '2024-05-14T12:00:00Z', provider: 'p', tags }),
    costEvent({ cost: 2, tags: { env: 'prod' } }),
  );
  const grant = { provider: 'p', amount: 100, starts_on: '2024-01-01' };
  expectStatus(await project.api('POST', '/api/credit-grants/', grant), 201);
  await freezeBefore(project, '2024-05-15');
  return project;
});

test('D2: retention is a whole number of days, from one day to a hundred years', async () => {
  const project = await createProject();
  for (const retention_days of [0, -1, 1.5, 36_501, '30', true]) {
    expectInvalid(await farthing.admin('PATCH', `${project.adminPath}/`, { retention_days }), ['/retention_days']);
    expectInvalid(await farthing.admin('POST', '/admin/projects/', { name: 'p', retention_days }), ['/retention_days']);
  }
  expectInvalid(await farthing.admin('PATCH', `${project.adminPath}/`, { kept_from: '2024-01-01' }), ['/kept_from']);
});

test('D11.2: an answer that needs calls of frozen days is a 400 that names the first kept day', async () => {
  const project = await frozenProject();
  const tagged = { run_tags: { env: 'prod' } };
  const row = { date_from: '2024-05-15', date_to: '2024-05-15' };
  const questions: [method: string, path: string, body?: object][] = [
    ['POST', '/api/costs/', { ...may, ...tagged }],
    ['POST', '/api/costs/', { ...may, ...tagged, group_by: 'customer', limit: 1 }],
    ['POST', '/api/usage/', { ...may, ...tagged }],
    ['POST', '/api/changes/', { ...may, ...tagged }],
    ['POST', '/api/calls/', may],
    ['POST', '/api/calls/', { ...may, ...tagged, row }],
    ['GET', '/api/coverage/?date_from=2024-05-01&date_to=2024-05-31'],
    ['GET', `/api/calls/${id}/`],
    ['GET', '/api/runs/r/'],
    ['POST', '/api/prices/reprice/', may],
    ['POST', '/api/prices/reprice/', { ...may, reread: true }],
  ];
  for (const [method, path, body] of questions) {
    const { detail } = expectProblem(await project.api(method, path, body), 400, 'beyond_retention');
    expect(detail, path).toContain('2024-05-15');
  }
  // The same questions about kept days, or days that never had a call, are answered.
  expectStatus(await project.api('POST', '/api/costs/', { ...kept, ...tagged }), 200);
  expectStatus(await project.api('POST', '/api/usage/', { ...kept, ...tagged }), 200);
  expectStatus(await project.api('POST', '/api/calls/', { ...may, row }), 200);
  expectStatus(await project.api('POST', '/api/calls/', { date_from: '2024-04-01', date_to: '2024-05-13' }), 200);
  expectStatus(await project.api('GET', '/api/coverage/?date_from=2024-05-15&date_to=2024-05-31'), 200);
  expectStatus(await project.api('POST', '/api/prices/reprice/', kept), 202);
});

test('D9.3: performance that needs more than the frozen totals is a 400 for frozen days', async () => {
  const project = await frozenProject();
  const netByUser = { group_by: 'user', apply_credits: true };
  expectProblem(await project.postPerformance({ ...may, ...netByUser }), 400, 'beyond_retention');
  expectStatus(await project.postPerformance({ ...may, group_by: 'user' }), 200);
  expect(await project.allPerformance({ ...may, aggregate: 'all', apply_credits: true })).toMatchObject([{ cost: 2 }]);
});

test('D29: frozen days keep what plans paid and cost, and no key metric of a customer', async () => {
  const project = await createProject();
  const customer = 'acme';
  await project.tag({ customer_name: customer, tags: { plan: 'pro' } });
  const definition = { event_type: 'job.done', aggregation: 'count' };
  expectStatus(await project.api('PUT', '/api/key-metrics/jobs/', definition), 201);
  const timestamp = '2024-05-14T12:00:00Z';
  await project.post(costEvent({ cost: 4, timestamp, provider: 'p', tags: { customer, feature: 'chat' } }), {
    event_id: randomUUID(),
    event_type: 'job.done',
    timestamp,
    tags: { customer },
  });
  const grant = { provider: 'p', amount: 1, starts_on: '2024-01-01' };
  expectStatus(await project.api('POST', '/api/credit-grants/', grant), 201);
  const plansOf = async (fields: object) =>
    Object(await project.api('POST', '/api/plans/', { ...may, aggregate: 'all', ...fields })).body;
  const before = [await plansOf({}), await plansOf({ apply_credits: true })];
  expect(before).toMatchObject([{ rows: [{ plan: 'pro', cost: 4 }] }, { rows: [{ plan: 'pro', cost: 3 }] }]);
  await freezeBefore(project, '2024-05-15');
  const [gross, net] = before;
  const withoutFeatures = { ...net.rows[0], features: null, other_features_cost: null };
  expect(await plansOf({})).toEqual(gross);
  expect(await plansOf({ apply_credits: true })).toEqual({ ...net, rows: [withoutFeatures] });

  const simulate = async (unit: string) => {
    const overage = { unit, price: 2 };
    const plan = { name: 'P', customers: { names: [customer] }, base_per_month: 0, overage };
    return await project.api('POST', '/api/plans/simulate/', { ...may, plans: [plan] });
  };
  expect(expectStatus(await simulate('calls'), 200)).toMatchObject({ plans: [{ simulated_revenue: 2 }] });
  expect(expectStatus(await simulate('cost'), 200)).toMatchObject({ plans: [{ simulated_revenue: 8 }] });
  const { detail } = expectProblem(await simulate('key_metric:jobs'), 400, 'beyond_retention');
  expect(detail).toContain('2024-05-15');
});

longTest('D2: a project whose retention froze no day can change its timezone', async () => {
  const project = await createProject();
  await freezeBefore(project, '2024-05-15');
  await changeTimezone(project, 'Asia/Tokyo');
});

test('D2: a project with frozen days cannot change its timezone', async () => {
  const project = await frozenProject();
  const refused = await farthing.admin('PATCH', `${project.adminPath}/`, { timezone: 'Asia/Tokyo', name: 'renamed' });
  expect(expectProblem(refused, 409, 'conflict').detail).toContain('2024-05-15');
  expect(expectStatus(await farthing.admin('GET', `${project.adminPath}/`), 200)).toMatchObject({
    name: 'a test',
    ...here,
    pending_timezone: null,
  });
});
