import { expect, test } from 'vitest';
import { costEvent, type Json, sharedFarthing } from '../../support/client.ts';
import { someOf, usualOrLong } from '../../support/effort.ts';
import { longTest } from '../../support/long-test.ts';
import { createInternalProject, customEvent } from '../../support/performance.ts';

const farthing = sharedFarthing();

const users = someOf(['', 'B', 'a', 'é', 'ﬁ', '😀', "o'brien", '__proto__', 'line\nbreak'], 6);

test('D6.3, D6.4: pages of any size hold every row once, ordered by period, then code points', async () => {
  const project = await createInternalProject(farthing);
  await project.define({
    count: { event_type: 'count', aggregation: 'count' },
    sum: { event_type: 'sum', aggregation: 'sum', field: '/v' },
  });
  const events: Json[] = [];
  for (const day of ['03', '07']) {
    const at = { timestamp: `2024-05-${day}T12:00:00Z` };
    users.forEach((user, index) => {
      // Some rows have only calls, some only events, some both. Texts and numbers that are too large feed nothing.
      if (index % 3 !== 0) events.push(costEvent({ cost: 1, ...at, tags: { user } }));
      if (index % 3 !== 1) events.push(customEvent('count', { ...at, tags: { user } }));
      events.push(customEvent('sum', { ...at, tags: { user: `${user} text` }, v: 'x' }));
      events.push(customEvent('sum', { ...at, tags: { user: `${user} huge` }, v: 1e200 }));
      if (index % 3 === 2) events.push(customEvent('sum', { ...at, tags: { user: `${user} odd` }, v: 1e-7 }));
    });
  }
  await project.post(...events);
  const query = { date_from: '2024-05-01', date_to: '2024-05-31', group_by: 'user' };
  // Of all users a day has twelve rows, so a page of eight ends within a day, and the last one is full.
  const [limit = 8, ...limits] = usualOrLong([6], [1000, 2, 7, 8, 12, 23, 24]);
  const rows = await project.allPerformance({ ...query, limit });
  const odd = users.filter((_user, index) => index % 3 === 2).map((user) => `${user} odd`);
  const ordered = [...users, ...odd].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect(rows.map(({ date_from, user }) => [date_from, user])).toEqual(
    ['2024-05-03', '2024-05-07'].flatMap((day) => ordered.map((user) => [day, user])),
  );
  for (const other of limits) expect(await project.allPerformance({ ...query, limit: other })).toEqual(rows);
});

test('D6.4: has_more is exact, and every page but the last is full', async () => {
  const project = await createInternalProject(farthing);
  await project.define({ sum: { event_type: 'e', aggregation: 'sum', field: '/v' } });
  await project.post(
    ...['a', 'c', 'e'].map((user) => customEvent('e', { user, v: 1 })),
    // The events between and after them feed nothing: their values are too large to count.
    ...['b', 'b2', 'b3', 'b4', 'd', 'f', 'g'].map((user) => customEvent('e', { user, v: 1e150 })),
  );
  const query = { date_from: '2024-05-15', date_to: '2024-05-15', group_by: 'user' };
  const first = await project.performance({ ...query, limit: 2 });
  expect([first.rows.map(({ user }) => user), first.has_more]).toEqual([['a', 'c'], true]);
  const second = await project.performance({ ...query, limit: 2, cursor: first.next_cursor });
  expect([second.rows.map(({ user }) => user), second.has_more, second.next_cursor]).toEqual([['e'], false, null]);
});

longTest('D6.4: a page that holds all rows has no more', async () => {
  const project = await createInternalProject(farthing);
  await project.define({ sum: { event_type: 'e', aggregation: 'sum', field: '/v' } });
  await project.post(
    ...['a', 'c', 'e'].map((user) => customEvent('e', { user, v: 1 })),
    ...['b', 'd', 'f'].map((user) => customEvent('e', { user, v: 1e150 })),
  );
  const query = { date_from: '2024-05-15', date_to: '2024-05-15', group_by: 'user' };
  const all = await project.performance({ ...query, limit: 3 });
  expect([all.rows.length, all.has_more]).toEqual([3, false]);
});

longTest('D6.2: ungrouped pages cover every period', async () => {
  const project = await createInternalProject(farthing);
  await project.define({ n: { event_type: 'e', aggregation: 'count' } });
  await project.post(customEvent('e'), customEvent('e', { timestamp: '2024-05-20T00:00:00Z' }));
  const query = { date_from: '2024-05-10', date_to: '2024-05-21' };
  const whole = await project.performance(query);
  expect(whole.rows).toHaveLength(12);
  expect(await project.allPerformance({ ...query, limit: 5 })).toEqual(whole.rows);
  expect(whole.rows.filter(({ key_metrics }) => key_metrics.n).map(({ date_from }) => date_from)).toEqual([
    '2024-05-15',
    '2024-05-20',
  ]);
});
