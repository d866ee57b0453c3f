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

test('D4.2, D6.7: a call and a run over the edge of retention stay one call and one run', async () => {
  const project = await createProject();
  const id = randomUUID();
  const begun = {
    event_id: id,
    event_type: 'x.before',
    timestamp: `2024-05-14T23:59:00${noon.offset}`,
    tags: { customer: 'acme' },
  };
  const tags = { customer: 'acme', feature: 'chat', run: 'r1' };
  const kept = on('16', { cost: 2, tags: { feature: 'chat' } });
  await project.post(begun, on('10', { cost: 1, tags }), kept);
  await project.post({ event_id: id, event_type: 'x.after', timestamp: `2024-05-15T00:01:00${noon.offset}`, cost: 8 });
  await freezeBefore(project, '2024-05-15');
  // The call is of a kept day, so the log keeps its event of an older day.
  await untilInLog(project, [id, id, idOf(kept)]);
  await project.post(on('17', { cost: 4, tags }));
  const ask = () => project.allCosts({ ...may, aggregate: 'all', group_by: 'customer' });
  const expected = [
    { customer: '', cost: 2, avg_feature_run_cost: 2, max_feature_run_cost: 2 },
    { customer: 'acme', cost: 13, avg_feature_run_cost: 5, max_feature_run_cost: 5 },
  ];
  expect(await ask()).toMatchObject(expected);
  await rebuildProject(project);
  expect(await ask()).toMatchObject(expected);
  expect((await explainCall(project, id)).customer).toBe('acme');
  expectProblem(await project.api('GET', '/api/runs/r1/'), 400, 'beyond_retention');
});

test('D2: a late event of a frozen day is stored, is in no total, and counts in coverage', async () => {
  const project = await createProject();
  const [first, kept] = [on('10', { cost: 1 }), on('15', { cost: 2 })];
  await project.post(first, kept);
  await freezeBefore(project, '2024-05-15');
  await untilInLog(project, [idOf(kept)]);
  expect(await lateEvents(project)).toBe(0);

  const late = on('11', { cost: 4 });
  const lateCustom = customEvent('signed_up', { timestamp: '2024-05-14T12:00:00Z' });
  // Among them a repetition of a counted event, and a day that never had a call.
  await project.post(late, first, lateCustom, on('01', { cost: 8 }), on('16', { cost: 16 }));
  expect(await project.totalCost()).toBe(19);
  expect(await lateEvents(project)).toBe(4);
  expect(await idsInLog(project)).toHaveLength(6);
  expectProblem(await project.api('GET', `/api/calls/${idOf(late)}/`), 400, 'beyond_retention');
  // Its repetition is another late event.
  await project.post(late);
  expect([await project.totalCost(), await lateEvents(project)]).toEqual([19, 5]);
  expect(await rebuildProject(project)).toMatchObject({ before: 18, after: 18, kept_from: '2024-05-15' });
  expect([await project.totalCost(), await lateEvents(project)]).toEqual([19, 5]);
});

test('D9: key metrics have the same counts, sums and distinct values on frozen days', async () => {
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
  const closed = ['10', '10', '14', '16'].map((day) =>
    customEvent('ticket.closed', { user: 'ann', timestamp: `2024-05-${day}T12:00:00Z` }),
  );
  await project.post(
    ...closed,
    ...['10', '14', '15'].map((day) => on(day, { cost: 1, tags: { user: 'ann', feature: 'f' } })),
  );
  // The first event of this id is on an older day: that one counts, and not this one.
  const [again] = closed;
  await project.post({ ...again, timestamp: '2024-05-16T12:00:00Z' });
  const readByUser = () => project.allPerformance({ ...may, aggregate: 'week', group_by: 'user' });
  const readAll = async () => ({
    byDay: await project.allPerformance({ ...may }),
    byUser: await readByUser(),
    month: await project.allPerformance({ ...may, aggregate: 'month', filter_users_based_on_features: ['f'] }),
    some: await project.allPerformance({ ...may, aggregate: 'all', users: ['ben', 'eve'] }),
  });
  const before = await readAll();
  expect(before.month).toMatchObject([{ key_metrics: { closed: { value: 4 }, people: { value: 3 } } }]);
  await freezeBefore(project, '2024-05-15');
  expect(await readByUser()).toEqual(before.byUser);
  await poll('the events of the frozen days are deleted', { within: backgroundWithin, every: 1_000 }, async () =>
    (await idsInLog(project)).length === 7 ? true : undefined,
  );
  expect(await readAll()).toEqual(before);

  // For frozen days a new metric without kept values is refused. Counts, and types without events, can always be answered.
  await project.define({ refunded: { event_type: 'refund', aggregation: 'count' } });
  await project.define({ unheard: { event_type: 'unheard', aggregation: 'sum', field: '/x' } });
  expect(await project.allPerformance({ ...may, aggregate: 'all' })).toMatchObject([
    { key_metrics: { refunded: { value: 7 }, closed: { value: 4 } } },
  ]);
  await project.define({ 'other sum': { event_type: 'refund', aggregation: 'sum', field: '/other' } });
  const refused = expectProblem(await project.postPerformance({ ...may }), 400, 'beyond_retention');
  expect(refused.detail).toContain('"other sum"');
  expect(refused.detail).toContain('ask for days from 2024-05-15 on');
  expectStatus(await project.postPerformance({ ...may, date_from: '2024-05-15' }), 200);
});

test('D2: frozen days no longer name an erased customer; its cost has no customer', async () => {
  const project = await createProject();
  const chat = (customer: string) => ({ customer, feature: 'chat', user: 'ann' });
  await project.post(
    on('10', { cost: 1, tags: { ...chat('gone'), run: 'shared' }, images: 2, web_searches: 1 }),
    on('10', { cost: 2, tags: { ...chat(''), run: 'shared' }, images: 4 }),
    on('10', { cost: 4, tags: { ...chat('stays'), run: 'shared' }, images: 8 }),
    on('11', { cost: 8, tags: chat('gone') }),
    on('16', { cost: 16, tags: chat('gone') }),
  );
  await freezeBefore(project, '2024-05-15');
  expect(await project.costBy('customer')).toEqual({ '': 2, gone: 25, stays: 4 });
  const admin = (method: string, path: string) =>
    farthing.send(method, path, { token: farthing.adminToken, headers: { 'farthing-project': project.id } });
  expectStatus(await admin('DELETE', '/api/customers/gone/'), 202);
  await poll('the erasure is done', { within: backgroundWithin }, async () => {
    const { erasures } = Object(expectStatus(await admin('GET', '/api/erasures/'), 200));
    return erasures[0].finished_at ?? undefined;
  });
  expect(await project.costBy('customer')).toEqual({ '': 11, stays: 4 });
  expect(await project.totalCost()).toBe(15);
  const all = { ...may, aggregate: 'all' };
  // A run shared by the erased customer and calls without a customer is one run.
  expect(await project.allCosts({ ...all, group_by: 'customer' })).toMatchObject([
    { customer: '', avg_feature_run_cost: 5.5, max_feature_run_cost: 8 },
    { customer: 'stays', avg_feature_run_cost: 4 },
  ]);
  expect(
    await project.allCosts({ ...may, aggregate: 'day', group_by: 'customer', date_to: '2024-05-10' }),
  ).toMatchObject([{ customer: '', avg_feature_run_cost: 3, max_feature_run_cost: 3 }, { customer: 'stays' }]);
  expect(await project.allCosts(all)).toMatchObject([{ avg_feature_run_cost: 7.5, max_feature_run_cost: 8 }]);
  const usage = expectStatus(await project.api('POST', '/api/usage/', { ...all, group_by: 'customer' }), 200);
  expect(Object(usage).rows).toMatchObject([
    { customer: '', units: { images: 6, web_searches: 1 } },
    { customer: 'stays', units: { images: 8 } },
  ]);
  expect((await project.api('GET', '/api/customers/')).text).not.toContain('gone');
});

test('D2: frozen days count an erased user’s events and cost without a user; those of other users stay', async () => {
  const project = await createInternalProject(farthing);
  await project.define({ closed: { event_type: 'ticket.closed', aggregation: 'count' } });
  const closed = (user: string) => customEvent('ticket.closed', { user, timestamp: '2024-05-10T12:00:00Z' });
  await project.post(closed('gone'), closed('gone'), closed('stays'));
  await project.post(...['gone', 'stays'].map((user) => on('10', { cost: 1, tags: { user, feature: 'f' } })));
  const byUser = async () =>
    (await project.allPerformance({ ...may, aggregate: 'all', group_by: 'user' })).map(
      ({ user, cost, key_metrics }) => [user, cost, key_metrics.closed?.value],
    );
  await freezeBefore(project, '2024-05-15');
  const before = [
    ['gone', 1, 2],
    ['stays', 1, 1],
  ];
  expect(await byUser()).toEqual(before);
  const admin = (method: string, path: string) =>
    farthing.send(method, path, { token: farthing.adminToken, headers: { 'farthing-project': project.id } });
  expectStatus(await admin('DELETE', '/api/users/gone/'), 202);
  await poll('the erasure is done', { within: backgroundWithin }, async () => {
    const { erasures } = Object(expectStatus(await admin('GET', '/api/erasures/'), 200));
    return erasures[0].finished_at ?? undefined;
  });
  expect(await byUser()).toEqual([['', 1, 2], before[1]]);
});
