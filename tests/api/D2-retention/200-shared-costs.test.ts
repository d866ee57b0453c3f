import { expect, test } from 'vitest';
import { z } from 'zod';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { noon } from '../../support/noon.ts';
import { expectProblem } from '../../support/problem.ts';
import { freezeBefore } from '../../support/retention.ts';

const farthing = sharedFarthing();
const day = '2024-05-15';
const gpu = { external_id: 'gpu', name: 'GPU', amount: 10, date_from: day, allocate_by: 'tokens' };

const page = z.looseObject({ rows: z.array(z.looseObject({})) });
const ask = async (project: Project, route: string, fields: Json) =>
  page.parse(
    expectStatus(
      await project.api('POST', `/api/${route}/`, { aggregate: 'all', include_shared: true, ...fields }),
      200,
    ),
  ).rows;
const share = async (project: Project, ...entries: Json[]) =>
  expectStatus(await project.api('POST', '/api/shared-costs/', { entries }), 201);

test('D31.2: totals, and what is unallocated by features, need no calls: also of frozen days', async () => {
  const project = await farthing.createProject({ timezone: noon.timezone });
  await project.post(
    costEvent({ cost: 1, tags: { customer: 'acme', feature: 'chat', env: 'prod' }, timestamp: `${day}T12:00:00Z` }),
    costEvent({ cost: 1, tags: { customer: 'acme' }, timestamp: '2024-05-20T12:00:00Z' }),
  );
  const seats = { ...gpu, external_id: 'seats', name: 'Seats', date_to: '2024-05-16', scope: { features: ['chat'] } };
  await share(project, gpu, seats);
  const range = { date_from: '2024-05-14', date_to: '2024-05-16' };
  const readAll = async () => ({
    costs: await ask(project, 'costs', { ...range, aggregate: 'day' }),
    usage: await ask(project, 'usage', { ...range, aggregate: 'week' }),
    margin: await ask(project, 'margin', range),
    allocation: expectStatus(
      await project.api('GET', `/api/shared-cost-allocation/?date_from=${range.date_from}&date_to=${range.date_to}`),
      200,
    ),
  });
  const before = await readAll();
  expect(before.costs).toMatchObject([{ shared_cost: 0 }, { shared_cost: 15 }, { shared_cost: 5 }]);
  expect(before.allocation).toMatchObject({
    shared_costs: [{ unallocated: 0 }, { unallocated: 5, unallocated_days: 1 }],
  });

  await freezeBefore(project, '2024-05-18');
  expect(await readAll()).toEqual(before);
  expectProblem(
    await project.api('POST', '/api/costs/', { ...range, group_by: 'customer', include_shared: true }),
    400,
    'beyond_retention',
  );
  // Which tags calls had is not kept.
  await share(project, { ...gpu, external_id: 'tagged', scope: { tags: { env: ['prod'] } } });
  expect(await ask(project, 'costs', range)).toMatchObject([{ cost: 31, shared_cost: 30 }]);
});
