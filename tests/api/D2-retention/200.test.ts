import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { explainCall } from '../../support/calls.ts';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { noon } from '../../support/noon.ts';
import { createInternalProject, customEvent } from '../../support/performance.ts';
import { backgroundWithin, poll } from '../../support/poll.ts';
import { expectProblem } from '../../support/problem.ts';
import { rebuildProject } from '../../support/reprice.ts';
import { freezeBefore, idsInLog, untilInLog } from '../../support/retention.ts';
import { erase } from '../D2-erasure/support.ts';

const farthing = sharedFarthing();
/** A timezone where no midnight comes during the test: it would freeze one more day. */
const here = { timezone: noon.timezone };
const createProject = () => farthing.createProject(here);

const on = (day: string, fields: Json & { cost: number }): Json =>
  costEvent({ timestamp: `2024-05-${day}T12:00:00Z`, ...fields });
const may = { date_from: '2024-05-01', date_to: '2024-05-31' };
const idOf = (event: Json): string => String(event.event_id);
const getProject = async ({ adminPath }: Project) =>
  Object(expectStatus(await farthing.admin('GET', `${adminPath}/`), 200));
const lateEvents = async (project: Project): Promise<number> =>
  Object(expectStatus(await project.api('GET', '/api/coverage/'), 200)).beyond_retention;

test('D2: retention is unlimited by default, and can be set, changed and removed', async () => {
  const project = await createProject();
  expect(await getProject(project)).toMatchObject({ retention_days: null, kept_from: null });
  const path = `${project.adminPath}/`;
  const set = expectStatus(await farthing.admin('PATCH', path, { retention_days: 36_500 }), 200);
  expect(set).toMatchObject({ retention_days: 36_500 });
  expect(expectStatus(await farthing.admin('PATCH', path, { name: 'renamed' }), 200)).toMatchObject({
    retention_days: 36_500,
  });
  expect(expectStatus(await farthing.admin('PATCH', path, { retention_days: null }), 200)).toMatchObject({
    retention_days: null,
  });
  const other = await farthing.createProject({ retention_days: 30 });
  expect(expectStatus(await other.api('GET', '/api/project/'), 200)).toMatchObject({ retention_days: 30 });
});

test('D2, D4.2, D6.7: a call and a run over the edge stay whole, and a late event of a frozen day is stored and counts in no total', async () => {
  const project = await createProject();
  const id = randomUUID();
  const begun = {
    event_id: id,
    event_type: 'x.before',
    timestamp: `2024-05-14T23:59:00${noon.offset}`,
    tags: { customer: 'acme' },
  };
  const tags = { customer: 'acme', feature: 'chat', run: 'r1' };
  const [first, kept] = [on('10', { cost: 1, tags }), on('16', { cost: 2, tags: { feature: 'chat' } })];
  await project.post(begun, first, kept);
  await project.post({ event_id: id, event_type: 'x.after', timestamp: `2024-05-15T00:01:00${noon.offset}`, cost: 8 });
  await freezeBefore(project, '2024-05-15');
  // The call is of a kept day, so the log keeps its event of an older day.
  await untilInLog(project, [id, id, idOf(kept)]);

  const late = on('11', { cost: 32 });
  const lateCustom = customEvent('signed_up', { timestamp: '2024-05-14T12:00:00Z' });
  // Among them a repetition of a counted event, and a day that never had a call.
  await project.post(late, first, lateCustom, on('01', { cost: 64 }), on('17', { cost: 4, tags }));
  const ask = () => project.allCosts({ ...may, aggregate: 'all', group_by: 'customer' });
  const expected = [
    { customer: '', cost: 2, avg_feature_run_cost: 2, max_feature_run_cost: 2 },
    { customer: 'acme', cost: 13, avg_feature_run_cost: 5, max_feature_run_cost: 5 },
  ];
  expect(await ask()).toMatchObject(expected);
  expect(await idsInLog(project)).toHaveLength(8);
  // Its repetition is another late event.
  await project.post(late);
  expect([await project.totalCost(), await lateEvents(project)]).toEqual([15, 5]);
  // The kept days alone: 2, 4 and 8.
  expect(await rebuildProject(project)).toMatchObject({ before: 14, after: 14, kept_from: '2024-05-15' });
  expect(await ask()).toMatchObject(expected);
  expect(await lateEvents(project)).toBe(5);
  expect((await explainCall(project, id)).customer).toBe('acme');
  for (const path of ['/api/runs/r1/', `/api/calls/${idOf(late)}/`]) {
    expectProblem(await project.api('GET', path), 400, 'beyond_retention');
  }
});

test('D2, D9: frozen days keep counts, sums, distinct values and runs, and an erasure takes only names off them', async () => {
  const project = await createInternalProject(farthing, here);
  await project.define({
    closed: { event_type: 'ticket.closed', aggregation: 'count' },
    refunds: { event_type: 'refund', aggregation: 'sum', field: '/amount' },
    people: { event_type: 'refund', aggregation: 'unique', field: '/who' },
  });
  const refund = (day: string, amount: string, who: string, user: string) =>
    `{"event_id":"${randomUUID()}","event_type":"refund","timestamp":"2024-05-${day}T12:00:00Z","amount":${amount},"who":${who},"user":"${user}"}`;
  const lines = [
    refund('10', '0.1', '"a"', 'ann'),
    refund('10', '2e-30', '1.0', 'ann'),
    refund('11', '123456789012345678901234567890', '"b\\u0041"', 'ben'),
    refund('14', '0.2', '1', 'ben'),
    refund('15', '0.3', '"bA"', 'ann'),
    refund('16', '1E-1', '1e0', 'ann'),
    refund('16', '"none"', '"c"', 'eve'),
  ];
  const posted = await project.intake({ raw: lines.join('\n'), contentType: 'application/x-ndjson' });
  expectStatus(posted, 200);
  const close = (day: string, user: string) =>
    customEvent('ticket.closed', { user, timestamp: `2024-05-${day}T12:00:00Z` });
  const closed = [close('10', 'ann'), close('10', 'ben'), close('14', 'ben'), close('16', 'ann')];
  const chat = (customer: string, user = 'ann') => ({ customer, feature: 'chat', user });
  await project.post(
    ...closed,
    on('10', { cost: 1, tags: { ...chat('gone'), run: 'shared' }, images: 2, web_searches: 1 }),
    on('10', { cost: 2, tags: { ...chat(''), run: 'shared' }, images: 4 }),
    on('10', { cost: 4, tags: { ...chat('stays', 'ben'), run: 'shared' }, images: 8 }),
    on('11', { cost: 8, tags: chat('gone') }),
    on('16', { cost: 16, tags: chat('gone') }),
  );
  // The first event of this id is on an older day: that one counts, and not this one.
  const [again] = closed;
  await project.post({ ...again, timestamp: '2024-05-16T12:00:00Z' });
  const readAll = async () => ({
    byUser: await project.allPerformance({ ...may, group_by: 'user' }),
    month: await project.allPerformance({ ...may, aggregate: 'month', filter_users_based_on_features: ['chat'] }),
    some: await project.allPerformance({ ...may, aggregate: 'week', users: ['ben', 'eve'] }),
  });
  const before = await readAll();
  expect(before.month).toMatchObject([{ key_metrics: { closed: { value: 4 }, people: { value: 3 } } }]);
  await freezeBefore(project, '2024-05-15');
  await poll('the events of the frozen days are deleted', { within: backgroundWithin, every: 2_000 }, async () =>
    (await idsInLog(project)).length === 7 ? true : undefined,
  );
  expect(await readAll()).toEqual(before);

  // For frozen days a new metric without kept values is refused. Counts, and types without events, can always be answered.
  await project.define({ refunded: { event_type: 'refund', aggregation: 'count' } });
  await project.define({ unheard: { event_type: 'unheard', aggregation: 'sum', field: '/x' } });
  const all = { ...may, aggregate: 'all' };
  expect(await project.allPerformance(all)).toMatchObject([
    { key_metrics: { refunded: { value: 7 }, closed: { value: 4 } } },
  ]);
  await project.define({ 'other sum': { event_type: 'refund', aggregation: 'sum', field: '/other' } });
  const refused = expectProblem(await project.postPerformance({ ...may }), 400, 'beyond_retention');
  expect(refused.detail).toContain('"other sum"');
  expect(refused.detail).toContain('ask for days from 2024-05-15 on');
  expectStatus(await project.postPerformance({ ...may, date_from: '2024-05-15' }), 200);
  expectStatus(await project.api('DELETE', '/api/key-metrics/other%20sum/'), 204);

  const counts = async () =>
    (await project.allPerformance({ ...all, group_by: 'user' })).map(({ user, cost, key_metrics }) => [
      ...[user, cost, key_metrics.closed?.value, key_metrics.people?.value],
    ]);
  await Promise.all([erase(project, '/api/customers/gone/'), erase(project, '/api/users/ben/')]);
  // The call of the kept day is gone. Others keep their figures, and those of the erased user are of nobody.
  expect(await counts()).toEqual([
    ['', 4, 2, 2],
    ['ann', 11, 2, 3],
    ['eve', 0, undefined, 1],
  ]);
  // A run shared by the erased customer and calls without a customer is one run.
  expect(await project.allCosts({ ...all, group_by: 'customer' })).toMatchObject([
    { customer: '', cost: 11, avg_feature_run_cost: 5.5, max_feature_run_cost: 8 },
    { customer: 'stays', cost: 4, avg_feature_run_cost: 4 },
  ]);
  expect(
    await project.allCosts({ ...may, aggregate: 'day', group_by: 'customer', date_to: '2024-05-10' }),
  ).toMatchObject([{ customer: '', avg_feature_run_cost: 3, max_feature_run_cost: 3 }, { customer: 'stays' }]);
  expect(await project.allCosts(all)).toMatchObject([{ cost: 15, avg_feature_run_cost: 7.5, max_feature_run_cost: 8 }]);
  const usage = expectStatus(await project.api('POST', '/api/usage/', { ...all, group_by: 'customer' }), 200);
  expect(Object(usage).rows).toMatchObject([
    { customer: '', units: { images: 6, web_searches: 1 } },
    { customer: 'stays', units: { images: 8 } },
  ]);
  expect((await project.api('GET', '/api/customers/')).text).not.toContain('gone');
});
