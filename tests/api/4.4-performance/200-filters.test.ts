import { expect, test } from 'vitest';
import { costEvent, expectStatus, type PerformanceRow, sharedFarthing } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';
import { createInternalProject, customEvent, type InternalProject } from '../../support/performance.ts';

const farthing = sharedFarthing();
const may = { date_from: '2024-05-01', date_to: '2024-05-31', aggregate: 'all' };

const brief = ({ user, cost, key_metrics }: PerformanceRow) =>
  [user, cost, ...Object.entries(key_metrics).map(([name, { value }]) => `${name}=${value}`)].join(' ');

/** Users a, b and none, each with a call and an event. Costs and values are powers of two, so a sum identifies its parts. */
async function projectOfUsers(): Promise<InternalProject> {
  const project = await createInternalProject(farthing);
  await project.define({
    sum: { event_type: 'e', aggregation: 'sum', field: '/v' },
    kinds: { event_type: 'e', aggregation: 'unique', field: '/kind' },
  });
  await project.post(
    costEvent({ cost: 1, tags: { user: 'a', feature: 'chat' } }),
    costEvent({ cost: 2, tags: { user: 'b', feature: 'search' } }),
    costEvent({ cost: 4 }),
    customEvent('e', { v: 1, kind: 'x', user: 'a' }),
    customEvent('e', { v: 2, kind: 'x', user: 'b' }),
    customEvent('e', { v: 4, kind: 'y' }),
    customEvent('e', { v: 8, kind: 'z', user: 'without calls' }),
  );
  return project;
}

test('D9.3: users select costs and values', async () => {
  const project = await projectOfUsers();
  const ask = async (users: string[]) => (await project.performance({ ...may, users })).rows.map(brief);
  expect(await ask(['', 'b'])).toEqual([' 6 kinds=2 sum=6']);
  expect(await ask(['nobody'])).toEqual([' 0']);
  const grouped = await project.performance({ ...may, users: ['b', 'without calls'], group_by: 'user' });
  expect(grouped.rows.map(brief)).toEqual(['b 2 kinds=1 sum=2', 'without calls 0 kinds=1 sum=8']);
});

test('D9.3: user_tags select users by their current tags: AND across keys, OR within one', async () => {
  const project = await projectOfUsers();
  const tag = async (user_name: string, tags: Record<string, string | null>) =>
    expectStatus(await project.postUserTags([{ user_name, tags }], { upsert: true }), 200);
  await tag('a', { team: 'one', office: 'eu' });
  await tag('b', { team: 'two', office: 'eu' });
  await tag('without calls', { team: 'two' });
  // A customer of the same name is not the user.
  await project.tag({ customer_name: 'without calls', tags: { office: 'eu' } });
  const ask = async (user_tags: unknown) => (await project.performance({ ...may, user_tags })).rows.map(brief);
  expect(await ask({ team: ['one', 'two'], office: 'eu' })).toEqual([' 3 kinds=1 sum=3']);
  await tag('a', { team: 'two' });
  expect(await ask({ team: 'two', office: 'eu' })).toEqual([' 3 kinds=1 sum=3']);
  const both = await project.performance({
    ...{ ...may, user_tags: { team: ['two', 'three'] }, users: ['b', 'without calls', 'nobody'], group_by: 'user' },
  });
  expect(both.rows.map(brief)).toEqual(['b 2 kinds=1 sum=2', 'without calls 0 kinds=1 sum=8']);
});

test('D9.3: filter_users_based_on_features selects users that used a feature, with all their calls and events', async () => {
  const project = await projectOfUsers();
  await project.post(costEvent({ cost: 8, tags: { user: 'a', feature: 'other' } }));
  const ask = async (features: string[]) =>
    (await project.performance({ ...may, filter_users_based_on_features: features })).rows.map(brief);
  expect(await ask(['chat', 'search'])).toEqual([' 11 kinds=1 sum=3']);
  // '' selects calls without a feature.
  expect(await ask(['', 'unused'])).toEqual([' 4 kinds=1 sum=4']);
  const grouped = await project.performance({
    ...may,
    group_by: 'user',
    filter_users_based_on_features: ['chat', 'unused'],
  });
  expect(grouped.rows.map(brief)).toEqual(['a 9 kinds=1 sum=1']);
});

test('D9.3: the use of a feature is judged for each row, within its clipped period', async () => {
  const project = await createInternalProject(farthing);
  await project.define({ n: { event_type: 'e', aggregation: 'count' } });
  const at = (day: string) => ({ timestamp: `2024-05-${day}T12:00:00Z` });
  await project.post(
    costEvent({ cost: 1, ...at('06'), tags: { user: 'a', feature: 'f' } }),
    costEvent({ cost: 2, ...at('07'), tags: { user: 'a' } }),
    costEvent({ cost: 4, ...at('14'), tags: { user: 'a' } }),
    customEvent('e', { ...at('06'), user: 'a' }),
    customEvent('e', { ...at('08'), user: 'a' }),
    customEvent('e', { ...at('14'), user: 'a' }),
    customEvent('e', { ...at('14'), user: 'b' }),
  );
  const ask = async (query: object) => {
    const rows = await project.allPerformance({ filter_users_based_on_features: ['f'], aggregate: 'week', ...query });
    return rows.map((row) => `${row.date_from} ${brief(row)}`);
  };
  expect(await ask({ date_from: '2024-05-06', date_to: '2024-05-19', group_by: 'user' })).toEqual([
    '2024-05-06 a 3 n=2',
  ]);
  // The week, clipped by a day, has no use of the feature.
  expect(await ask({ date_from: '2024-05-07', date_to: '2024-05-19' })).toEqual(['2024-05-07  0', '2024-05-13  0']);
});

longTest('D9.3: of a repeated event the first received decides the user', async () => {
  const project = await createInternalProject(farthing);
  await project.define({ n: { event_type: 'e', aggregation: 'count' } });
  const event = customEvent('e', { user: 'a' });
  await project.post(event);
  await project.post({ ...event, user: 'b' });
  expect((await project.performance({ ...may, users: ['b'] })).rows.map(brief)).toEqual([' 0']);
  expect((await project.performance({ ...may, users: ['a'] })).rows.map(brief)).toEqual([' 0 n=1']);
});
