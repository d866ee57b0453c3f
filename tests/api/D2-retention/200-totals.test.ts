import { expect, test } from 'vitest';
import { allCalls, explainCall } from '../../support/calls.ts';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { isLong, someOf } from '../../support/effort.ts';
import { addRevenue, allMargin } from '../../support/margin.ts';
import { noon } from '../../support/noon.ts';
import { rebuildProject, repriceDays } from '../../support/reprice.ts';
import { freezeBefore, untilInLog } from '../../support/retention.ts';

const farthing = sharedFarthing();
/** No midnight comes there meanwhile, which would freeze one more day. */
const here = { timezone: noon.timezone };
const createProject = () => farthing.createProject(here);

const on = (day: string, fields: Json & { cost: number }): Json =>
  costEvent({ timestamp: `2024-05-${day}T12:00:00Z`, ...fields });
const may = { date_from: '2024-05-01', date_to: '2024-05-31' };
const idOf = (event: Json): string => String(event.event_id);
const getProject = async ({ adminPath }: Project) =>
  Object(expectStatus(await farthing.admin('GET', `${adminPath}/`), 200));

test('D2: events and calls of older days are deleted, and their totals are kept', async () => {
  const project = await createProject();
  const run = { customer: 'acme', feature: 'chat', run: 'over the edge' };
  const old = [
    on('10', { cost: 1, tags: { customer: 'acme', feature: 'chat', run: 'r1' }, model: 'm1', web_searches: 2 }),
    on('11', { cost: 2, tags: { customer: 'bravo', feature: 'chat' }, audio_seconds: 0.1 }),
    on('14', { cost: 4, tags: run }),
  ];
  const kept = [on('15', { cost: 8, tags: run }), on('16', { cost: 16, tags: { customer: 'acme', user: 'ann' } })];
  await project.post(...old, ...kept);
  await addRevenue(project, { external_id: 'i', customer: 'acme', amount: 31, ...may });
  // These days are of another generation than the others.
  await repriceDays(project, { date_from: '2024-05-11', date_to: '2024-05-15', dry_run: false });
  const ask = async (method: string, path: string, body?: Json) =>
    expectStatus(await project.api(method, path, body), 200);
  const others = someOf(
    [
      () => project.allCosts({ ...may, aggregate: 'all', group_by: 'customer' }),
      () => project.allCosts({ ...may, aggregate: 'week', group_by: 'model' }),
      () => allMargin(project, { ...may, group_by: 'customer' }),
      () => ask('POST', '/api/usage/', { ...may, group_by: 'feature' }),
      () => ask('POST', '/api/changes/', { date_from: '2024-05-14', date_to: '2024-05-20' }),
      () => ask('GET', '/api/customers/'),
    ],
    3,
  );
  const readAll = async () => ({
    costs: await project.allCosts({ ...may }),
    ofChat: await project.allCosts({ ...may, aggregate: 'month', features: ['chat'], group_by: 'customer' }),
    others: await Promise.all(others.map((read) => read())),
  });
  const before = await readAll();
  expect(before.ofChat).toMatchObject([
    { customer: 'acme', cost: 13, avg_feature_run_cost: 6.5, max_feature_run_cost: 12 },
    { customer: 'bravo', cost: 2 },
  ]);

  await freezeBefore(project, '2024-05-15');
  expect(await getProject(project)).toMatchObject({ kept_from: '2024-05-15' });
  expect(await project.allCosts({ ...may })).toEqual(before.costs);
  await untilInLog(project, kept.map(idOf));
  expect(await readAll()).toEqual(before);

  // What is kept is whole.
  const days = { date_from: '2024-05-15', date_to: '2024-05-31' };
  expect((await allCalls(project, days)).map(({ cost }) => cost)).toEqual([8, 16]);
  expect((await explainCall(project, idOf(kept[0] ?? {}))).cost).toBe(8);
  if (isLong) {
    const anew = { reread: true, dry_run: false };
    expect(await repriceDays(project, { ...days, ...anew })).toMatchObject({ before: 24, after: 24 });
    expect(await rebuildProject(project, anew)).toMatchObject({ before: 24, after: 24, kept_from: '2024-05-15' });
  }

  // Frozen is for good: a longer retention, or none, brings nothing back.
  expectStatus(await farthing.admin('PATCH', `${project.adminPath}/`, { retention_days: null }), 200);
  expect(await getProject(project)).toMatchObject({ retention_days: null, kept_from: '2024-05-15' });
  expect(await project.allCosts({ ...may })).toEqual(before.costs);
});
