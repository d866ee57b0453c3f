import { expect, test } from 'vitest';
import { costEvent, expectStatus, type PerformanceRow, sharedFarthing } from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';
import { longTest } from '../../support/long-test.ts';
import { createInternalProject, customEvent } from '../../support/performance.ts';

const farthing = sharedFarthing();
const day = { date_from: '2024-05-15', date_to: '2024-05-15' };

const brief = ({ user, date_from, cost, key_metrics }: PerformanceRow) =>
  [date_from, user, cost, ...Object.entries(key_metrics).map(([name, { value }]) => `${name}=${value}`)].join(' ');

test('2.4: a row has the cost of its calls and an entry for each key metric', async () => {
  const project = await createInternalProject(farthing);
  await project.define({
    tickets: { event_type: 'ticket.resolved', aggregation: 'count', unit: 'ticket' },
    minutes: { event_type: 'ticket.resolved', aggregation: 'sum', field: '/data/minutes' },
    agents: { event_type: 'ticket.resolved', aggregation: 'unique', field: '/agent', features: ['support'] },
  });
  await project.post(
    costEvent({ cost: 3, tags: { feature: 'support' } }),
    costEvent({ cost: 1, tags: { feature: 'other' } }),
    customEvent('ticket.resolved', { agent: 'ann', data: { minutes: 2.5 } }),
    customEvent('ticket.resolved', { agent: 'bob', data: { minutes: 1.5 } }),
    customEvent('ticket.opened', { agent: 'cid', data: { minutes: 100 } }),
  );
  expect(await project.performance(day)).toEqual({
    rows: [
      {
        ...day,
        cost: 4,
        key_metrics: {
          tickets: { value: 2, total_cost: 4, cost_per_unit: 2 },
          minutes: { value: 4, total_cost: 4, cost_per_unit: 1 },
          agents: { value: 2, total_cost: 3, cost_per_unit: 1.5 },
        },
      },
    ],
    next_cursor: null,
    has_more: false,
  });
});

longTest('D6.2: an ungrouped answer has a row for every period, zeros included', async () => {
  const project = await createInternalProject(farthing);
  await project.define({ n: { event_type: 'e', aggregation: 'count' } });
  await project.post(customEvent('e'));
  const { rows } = await project.performance({ date_from: '2024-05-14', date_to: '2024-05-16' });
  expect(rows.map(brief)).toEqual(['2024-05-14  0', '2024-05-15  0 n=1', '2024-05-16  0']);
});

test('D6.2: a grouped answer has a row where there is a call or an event that feeds a key metric', async () => {
  const project = await createInternalProject(farthing);
  await project.define({
    n: { event_type: 'e', aggregation: 'count' },
    sum: { event_type: 's', aggregation: 'sum', field: '/v' },
    unique: { event_type: 'u', aggregation: 'unique', field: '/v' },
  });
  await project.post(
    costEvent({ cost: 1, tags: { user: 'calls' } }),
    costEvent({ cost: 2 }),
    customEvent('e', { tags: { user: 'counted' } }),
    customEvent('s', { user: 'sum of zero', v: 0 }),
    customEvent('s', { user_id: 'no number', v: '1' }),
    customEvent('s', { user_id: 'odd and no number', v: 1e300 }),
    customEvent('s', { user_id: 'missing' }),
    customEvent('u', { tags: { user_id: 'null' }, v: null }),
    customEvent('u', { tags: { user_id: 'object' }, v: {} }),
    customEvent('unread', { tags: { user: 'of no key metric' } }),
  );
  const { rows } = await project.performance({ ...day, group_by: 'user' });
  expect(rows.map(brief)).toEqual([
    '2024-05-15  2',
    '2024-05-15 calls 1',
    '2024-05-15 counted 0 n=1',
    '2024-05-15 object 0 unique=1',
    '2024-05-15 sum of zero 0',
  ]);
});

test('D9.2: an entry exists if an event feeds it and its value is not 0', async () => {
  const project = await createInternalProject(farthing);
  await project.define({
    count: { event_type: 'none', aggregation: 'count' },
    zero: { event_type: 'e', aggregation: 'sum', field: '/plus' },
    negative: { event_type: 'e', aggregation: 'sum', field: '/minus' },
    no_cost: { event_type: 'e', aggregation: 'count', features: ['unused'] },
  });
  await project.post(
    costEvent({ cost: 1 }),
    customEvent('e', { plus: 0.1, minus: -2 }),
    customEvent('e', { plus: -0.1, minus: -2 }),
  );
  const { rows } = await project.performance(day);
  expect(rows[0]?.key_metrics).toEqual({
    negative: { value: -4, total_cost: 1, cost_per_unit: -0.25 },
    no_cost: { value: 2, total_cost: 0, cost_per_unit: 0 },
  });
});

test('D9.1: features select the calls whose cost counts, and "" those without a feature', async () => {
  const project = await createInternalProject(farthing);
  await project.define({
    all: { event_type: 'e', aggregation: 'count' },
    none: { event_type: 'e', aggregation: 'count', features: [''] },
    two: { event_type: 'e', aggregation: 'count', features: ['a', 'b', 'a', 'unknown'] },
  });
  await project.post(
    costEvent({ cost: 1, tags: { user: 'u' } }),
    costEvent({ cost: 2, tags: { user: 'u', feature: 'a' } }),
    costEvent({ cost: 4, tags: { user: 'u', feature: 'b' } }),
    costEvent({ cost: 8, tags: { user: 'u', feature: 'c' } }),
    customEvent('e', { tags: { user: 'u', feature: 'c' } }),
  );
  for (const group of [{}, { group_by: 'user' }]) {
    const { rows } = await project.performance({ ...day, ...group });
    expect(rows[0]?.key_metrics).toEqual({
      all: { value: 1, total_cost: 15, cost_per_unit: 15 },
      none: { value: 1, total_cost: 1, cost_per_unit: 1 },
      two: { value: 1, total_cost: 6, cost_per_unit: 6 },
    });
  }
});

longTest("D4.5: '' is a user like any other, and grouped rows add up to the ungrouped one", async () => {
  const project = await createInternalProject(farthing);
  await project.define({
    n: { event_type: 'e', aggregation: 'count' },
    same: { event_type: 'e', aggregation: 'unique', field: '/v' },
  });
  await project.post(
    costEvent({ cost: 1 }),
    costEvent({ cost: 2, user: 'b' }),
    customEvent('e', { v: 'x' }),
    customEvent('e', { v: 'x', user: 'b' }),
  );
  const grouped = await project.performance({ ...day, group_by: 'user' });
  expect(grouped.rows.map(brief)).toEqual(['2024-05-15  1 n=1 same=1', '2024-05-15 b 2 n=1 same=1']);
  // Distinct values are counted over all users.
  const whole = await project.performance(day);
  expect(whole.rows.map(brief)).toEqual(['2024-05-15  3 n=2 same=1']);
});

test('D9.1: of repeated events the first received counts, over all time', async () => {
  const project = await createInternalProject(farthing);
  await project.define({
    n: { event_type: 'e', aggregation: 'count' },
    sum: { event_type: 'e', aggregation: 'sum', field: '/v' },
    other: { event_type: 'f', aggregation: 'sum', field: '/v' },
  });
  const first = customEvent('e', { v: 1, user: 'first' });
  await project.post(first);
  await project.post(
    { ...first, v: 2, user: 'second' },
    // The same id with another type is another event.
    { ...first, event_type: 'f', v: 4 },
    { ...first, timestamp: '2024-05-20T12:00:00Z', v: 8 },
  );
  await project.post({ ...first, v: 16 });
  const month = { date_from: '2024-05-01', date_to: '2024-05-31', group_by: 'user' };
  expect((await project.performance(month)).rows.map(brief)).toEqual(['2024-05-15 first 0 n=1 other=4 sum=1']);
  // Where the first does not count, its repetitions don't count either.
  expect((await project.performance({ ...month, date_from: '2024-05-16' })).rows).toEqual([]);
});

test('D9.1: a definition applies to all stored events', async () => {
  const project = await createInternalProject(farthing);
  await project.post(customEvent('e', { v: 1 }), customEvent('e', { v: 2 }));
  await project.define({ m: { event_type: 'e', aggregation: 'count' } });
  expect((await project.performance(day)).rows.map(brief)).toEqual(['2024-05-15  0 m=2']);
  expectStatus(await project.putMetric('m', { event_type: 'e', aggregation: 'sum', field: '/v' }), 200);
  expect((await project.performance(day)).rows.map(brief)).toEqual(['2024-05-15  0 m=3']);
  expectStatus(await project.api('DELETE', '/api/key-metrics/m/'), 204);
  expect((await project.performance(day)).rows.map(brief)).toEqual(['2024-05-15  0']);
});

const midnights: [timezone: string, before: string, after: string, dayBefore: string][] = [
  ['America/New_York', '2024-03-11T03:59:59.999Z', '2024-03-11T04:00:00Z', '2024-03-10'],
  ['America/Sao_Paulo', '2018-11-04T02:59:59.999Z', '2018-11-04T03:00:00Z', '2018-11-03'],
  ['Asia/Kathmandu', '2024-05-14T18:14:59.999Z', '2024-05-14T18:15:00Z', '2024-05-14'],
];

test.each(someOf(midnights, 1))(
  'D4.3: in %s an event counts on the day of its time',
  async (timezone, before, after, dayBefore) => {
    const project = await createInternalProject(farthing, { timezone });
    await project.define({ v: { event_type: 'e', aggregation: 'sum', field: '/v' } });
    await project.post(
      customEvent('e', { timestamp: before, v: 1 }),
      customEvent('e', { timestamp: after, v: 2 }),
      costEvent({ timestamp: before, cost: 1 }),
      costEvent({ timestamp: after, cost: 2 }),
    );
    const next = new Date(Date.parse(dayBefore) + 86_400_000).toISOString().slice(0, 10);
    const { rows } = await project.performance({ date_from: dayBefore, date_to: next });
    expect(rows.map(brief)).toEqual([`${dayBefore}  1 v=1`, `${next}  2 v=2`]);
  },
);

longTest('D4.3: a day that a clock set back past midnight repeats is one day', async () => {
  const project = await createInternalProject(farthing, { timezone: 'America/St_Johns' });
  await project.define({ v: { event_type: 'e', aggregation: 'sum', field: '/v' } });
  const times = ['2010-11-07T02:29:59.999Z', '2010-11-07T02:30:30Z', '2010-11-07T02:31:00Z', '2010-11-07T03:30:00Z'];
  await project.post(
    ...times.flatMap((timestamp, index) => [
      customEvent('e', { timestamp, v: 10 ** index }),
      costEvent({ timestamp, cost: 10 ** index }),
    ]),
  );
  const { rows } = await project.performance({ date_from: '2010-11-06', date_to: '2010-11-07' });
  expect(rows.map(brief)).toEqual(['2010-11-06  101 v=101', '2010-11-07  1010 v=1010']);
  const one = await project.performance({ date_from: '2010-11-06', date_to: '2010-11-06' });
  expect(one.rows.map(brief)).toEqual(['2010-11-06  101 v=101']);
});

test('D7.3: with apply_credits, credits lower the cost and the total cost', async () => {
  const project = await createInternalProject(farthing);
  await project.define({ n: { event_type: 'e', aggregation: 'count', features: ['f'] } });
  await project.post(
    costEvent({ cost: 1, provider: 'p', tags: { user: 'a', feature: 'f' } }),
    costEvent({ cost: 3, provider: 'p', tags: { user: 'b' } }),
    costEvent({ cost: 8, provider: 'q', tags: { user: 'b' } }),
    customEvent('e', { user: 'a' }),
    customEvent('e', { user: 'b' }),
  );
  const grant = { provider: 'p', amount: 3, starts_on: '2024-05-15' };
  expectStatus(await project.api('POST', '/api/credit-grants/', grant), 201);
  const entries = (rows: PerformanceRow[]) => rows.map(({ cost, key_metrics }) => [cost, key_metrics.n]);
  const ask = async (fields: object) => entries((await project.performance({ ...day, ...fields })).rows);
  // A quarter of p's cost is left.
  expect(await ask({ apply_credits: true })).toEqual([[9, { value: 2, total_cost: 0.25, cost_per_unit: 0.125 }]]);
  expect(await ask({ apply_credits: true, group_by: 'user' })).toEqual([
    [0.25, { value: 1, total_cost: 0.25, cost_per_unit: 0.25 }],
    [8.75, { value: 1, total_cost: 0, cost_per_unit: 0 }],
  ]);
  expect(await ask({})).toEqual([[12, { value: 2, total_cost: 1, cost_per_unit: 0.5 }]]);
});

test('D9.1: key metrics named by any text', async () => {
  const project = await createInternalProject(farthing);
  const names = ['__proto__', 'constructor', 'a/b?c#d%', '😀', ' a', "o'brien", 'toString', '1'];
  for (const name of names) {
    expectStatus(await project.putMetric(name, { event_type: 'e', aggregation: 'count' }), 201);
  }
  await project.post(customEvent('e'));
  const answer = await project.postPerformance(day);
  expectStatus(answer, 200);
  const written = names.map((name) => `${JSON.stringify(name)}:{"value":1,"total_cost":0,"cost_per_unit":0}`);
  expect(written.filter((entry) => !answer.text.includes(entry))).toEqual([]);
});

test('D1.1: nothing crosses projects', async () => {
  const [one, other] = await Promise.all([createInternalProject(farthing), createInternalProject(farthing)]);
  const event = customEvent('e');
  for (const project of [other, one]) {
    await project.define({ n: { event_type: 'e', aggregation: 'count' } });
    await project.post({ ...event, user: project.id }, customEvent('e', { user: project.id }));
    expect((await project.performance({ ...day, group_by: 'user' })).rows.map(brief)).toEqual([
      `2024-05-15 ${project.id} 0 n=2`,
    ]);
  }
});

test('D2: the trailing slash is optional, and the admin token with Farthing-Project asks too', async () => {
  const project = await createInternalProject(farthing);
  const answer = await farthing.send('POST', '/api/performance', {
    body: day,
    token: farthing.adminToken,
    headers: { 'Farthing-Project': project.id },
  });
  expect(expectStatus(answer, 200)).toMatchObject({ rows: [{ cost: 0, key_metrics: {} }] });
  expect(answer.headers.get('farthing-as-of')).not.toBeNull();
});
