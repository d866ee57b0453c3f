import { expect, test } from 'vitest';
import { type CostRow, costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';
import { longTest } from '../../support/long-test.ts';
import { dayOf } from '../../support/model.ts';
import { once } from '../../support/once.ts';
import { projectWith } from './support.ts';

const farthing = sharedFarthing();

/** The dates and the cost of a row in one line, to compare many rows at once. */
const brief = (row: CostRow) => `${row.date_from}..${row.date_to} ${row.cost}`;

test('2.2: an ungrouped row has its dates and three costs, and no dimension', async () => {
  const project = await projectWith({ cost: 0.25, tags: { customer: 'acme', feature: 'chat' } });
  const answer = await project.postCosts({ date_from: '2024-05-15', date_to: '2024-05-15' });
  expect(expectStatus(answer, 200)).toEqual({
    rows: [
      {
        date_from: '2024-05-15',
        date_to: '2024-05-15',
        cost: 0.25,
        avg_feature_run_cost: 0.25,
        max_feature_run_cost: 0.25,
      },
    ],
    next_cursor: null,
    has_more: false,
  });
  expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
});

const named = { customer: 'acme', feature: 'chat', model: 'm1', provider: 'p1' };
const { customer, feature, model, provider } = named;
const projectOfNames = once(() => projectWith({ cost: 0.5, model, provider, tags: { customer, feature } }));

test.each(['customer', 'feature', 'model', 'provider'] as const)(
  '2.2: a row grouped by %s carries that dimension only',
  async (dimension) => {
    const project = await projectOfNames();
    const day = { date_from: '2024-05-15', date_to: '2024-05-15' };
    const answer = await project.postCosts({ ...day, group_by: dimension });
    expect(expectStatus(answer, 200)).toMatchObject({
      rows: [
        {
          ...day,
          [dimension]: named[dimension],
          cost: 0.5,
          avg_feature_run_cost: 0.5,
          max_feature_run_cost: 0.5,
        },
      ],
    });
    const [row] = Object(answer.body).rows;
    const others = (['customer', 'feature', 'model', 'provider'] as const).filter((other) => other !== dimension);
    expect(others.filter((other) => other in row)).toEqual([]);
  },
);

longTest('2.2: credits of a project without grants change nothing', async () => {
  const project = await projectWith({ cost: 3 });
  expect(await project.totalCost({ apply_credits: true })).toBe(3);
  expect(await project.totalCost({ apply_credits: false })).toBe(3);
});

test('4.2: the default aggregate is day, and both dates are inclusive', async () => {
  const project = await projectWith(
    { cost: 1, timestamp: '2024-04-30T23:59:59.999Z' },
    { cost: 2, timestamp: '2024-05-01T00:00:00Z' },
    { cost: 4, timestamp: '2024-05-03T23:59:59.999Z' },
    { cost: 8, timestamp: '2024-05-04T00:00:00Z' },
  );
  const { rows } = await project.costs({ date_from: '2024-05-01', date_to: '2024-05-03' });
  expect(rows.map(brief)).toEqual(['2024-05-01..2024-05-01 2', '2024-05-02..2024-05-02 0', '2024-05-03..2024-05-03 4']);
});

const projectAroundNewYear = once(() =>
  projectWith(
    { cost: 1, timestamp: '2024-12-29T12:00:00Z' },
    { cost: 2, timestamp: '2024-12-30T00:00:00Z' },
    { cost: 4, timestamp: '2024-12-31T23:59:59Z' },
    { cost: 8, timestamp: '2025-01-01T00:00:00Z' },
    { cost: 16, timestamp: '2025-01-05T23:59:59Z' },
    { cost: 32, timestamp: '2025-01-06T00:00:00Z' },
    { cost: 64, timestamp: '2025-01-13T00:00:00Z' },
    { cost: 1000, timestamp: '2025-01-15T00:00:00Z' },
  ),
);

const clipped: [aggregate: string, expected: string[]][] = [
  [
    'week',
    ['2024-12-27..2024-12-29 1', '2024-12-30..2025-01-05 30', '2025-01-06..2025-01-12 32', '2025-01-13..2025-01-14 64'],
  ],
  ['month', ['2024-12-27..2024-12-31 7', '2025-01-01..2025-01-14 120']],
  ['quarter', ['2024-12-27..2024-12-31 7', '2025-01-01..2025-01-14 120']],
  ['year', ['2024-12-27..2024-12-31 7', '2025-01-01..2025-01-14 120']],
  ['all', ['2024-12-27..2025-01-14 127']],
];

test.each(someOf(clipped, 3))(
  'D6.1: %s periods are of the calendar and clipped to the range',
  async (aggregate, expected) => {
    const project = await projectAroundNewYear();
    const rows = await project.allCosts({ date_from: '2024-12-27', date_to: '2025-01-14', aggregate });
    expect(rows.map(brief)).toEqual(expected);
  },
);

longTest('D6.1: quarters start in January, April, July and October', async () => {
  const project = await projectWith({ cost: 1, timestamp: '2024-10-01T00:00:00Z' });
  const rows = await project.allCosts({ date_from: '2024-02-15', date_to: '2025-01-01', aggregate: 'quarter' });
  expect(rows.map(brief)).toEqual([
    '2024-02-15..2024-03-31 0',
    '2024-04-01..2024-06-30 0',
    '2024-07-01..2024-09-30 0',
    '2024-10-01..2024-12-31 1',
    '2025-01-01..2025-01-01 0',
  ]);
});

longTest('D6.1: February of a leap year has its 29th day', async () => {
  const project = await projectWith({ cost: 1, timestamp: '2024-02-29T12:00:00Z' });
  const rows = await project.allCosts({ date_from: '2024-02-28', date_to: '2024-03-01' });
  expect(rows.map(brief)).toEqual(['2024-02-28..2024-02-28 0', '2024-02-29..2024-02-29 1', '2024-03-01..2024-03-01 0']);
});

test('D6.2: for a project without calls an ungrouped answer has rows of zeros, a grouped one has no rows', async () => {
  const project = await farthing.createProject();
  const range = { date_from: '2024-05-01', date_to: '2024-05-02' };
  const zero = { cost: 0, avg_feature_run_cost: 0, max_feature_run_cost: 0 };
  expect((await project.costs(range)).rows).toEqual([
    { date_from: '2024-05-01', date_to: '2024-05-01', ...zero },
    { date_from: '2024-05-02', date_to: '2024-05-02', ...zero },
  ]);
  expect((await project.costs({ ...range, aggregate: 'all' })).rows).toEqual([{ ...range, ...zero }]);
  expect(await project.costs({ ...range, group_by: 'customer' })).toEqual({
    rows: [],
    next_cursor: null,
    has_more: false,
  });
});

test('D6.2: a grouped answer has a row only where there is a call, even one that costs nothing', async () => {
  const project = await projectWith(
    { cost: 0, timestamp: '2024-05-01T12:00:00Z', tags: { customer: 'free' } },
    { cost: 2, timestamp: '2024-05-03T12:00:00Z', tags: { customer: 'acme' } },
  );
  const rows = await project.allCosts({ date_from: '2024-05-01', date_to: '2024-05-04', group_by: 'customer' });
  expect(rows.map((row) => [row.date_from, row.customer, row.cost])).toEqual([
    ['2024-05-01', 'free', 0],
    ['2024-05-03', 'acme', 2],
  ]);
});

longTest('D6.2: an ungrouped answer keeps its rows of zeros when a filter selects nothing', async () => {
  const project = await projectWith({ cost: 1, tags: { customer: 'acme' } });
  const { rows } = await project.costs({ date_from: '2024-05-15', date_to: '2024-05-16', customers: ['nobody'] });
  expect(rows.map(brief)).toEqual(['2024-05-15..2024-05-15 0', '2024-05-16..2024-05-16 0']);
});

test('D4.5: the empty dimension value is a group and a filter value like any other', async () => {
  const project = await projectWith({ cost: 1, tags: { customer: 'acme' } }, { cost: 2 }, { cost: 4, model: 'm1' });
  expect(await project.costBy('customer')).toEqual({ '': 6, acme: 1 });
  expect(await project.costBy('model')).toEqual({ '': 3, m1: 4 });
  expect(await project.totalCost({ customers: [''] })).toBe(6);
  expect(await project.totalCost({ customers: ['', 'acme'] })).toBe(7);
  expect(await project.totalCost({ customers: [''], models: [''] })).toBe(2);
  expect(await project.totalCost({ features: [''] })).toBe(7);
  expect(await project.totalCost({ providers: [''] })).toBe(7);
});

test('D6.3: rows are ordered by date, then by value in code-point order', async () => {
  // In UTF-16 an emoji sorts before U+FF21 and U+FFFD; in most collations "a" sorts before "B".
  const values = [
    '',
    ' ',
    '"',
    '10',
    '9',
    'B',
    'Z',
    '\\',
    'a',
    'aa',
    'b',
    'ß',
    'é',
    'я',
    '中',
    '가',
    'Ａ',
    '\uFFFD',
    '😀',
    '🧀',
  ];
  const shuffled = [...values].sort((a, b) => a.length - b.length).reverse();
  const project = await farthing.createProject();
  await project.post(
    ...shuffled.map((customer) => costEvent({ cost: 1, tags: { customer, feature: customer }, model: customer })),
    costEvent({ cost: 1, timestamp: '2024-05-14T12:00:00Z', tags: { customer: '😀', feature: '😀' }, model: '😀' }),
  );
  for (const dimension of ['customer', 'feature', 'model'] as const) {
    const range = { date_from: '2024-05-14', date_to: '2024-05-15', group_by: dimension };
    const rows = await project.allCosts(range);
    expect(rows.map((row) => row[dimension])).toEqual(['😀', ...values]);
    if (dimension === 'customer') expect(await project.allCosts({ ...range, limit: 8 })).toEqual(rows);
  }
});

test('D5.1: a cost is the double nearest to the exact sum', async () => {
  const project = await projectWith(
    ...Array.from({ length: 10 }, () => ({ cost: 0.1, tags: { feature: 'f', run_id: 'r' } })),
  );
  const [row] = await project.allCosts({ date_from: '2024-05-15', date_to: '2024-05-15' });
  expect(row).toMatchObject({ cost: 1, avg_feature_run_cost: 1, max_feature_run_cost: 1 });
});

longTest('D5.1: the smallest and the largest costs are added without loss', async () => {
  const project = await projectWith({ cost: 1e-12 }, { cost: 1e-12 });
  expect(await project.totalCost()).toBe(2e-12);
  await project.post(costEvent({ cost: 0.5 }));
  expect(await project.totalCost()).toBe(0.500000000002);
  await project.post(costEvent({ cost: 100_000 }), costEvent({ cost: 100_000 }));
  expect(await project.totalCost()).toBe(200_000.5);
});

test('4.2: without date_to the range ends today, and an event without timestamp counts today (D3.9)', async () => {
  const project = await farthing.createProject();
  const dayBefore = dayOf(Date.now(), 'UTC');
  await project.post(costEvent({ cost: 2, timestamp: undefined }));
  const { rows } = await project.costs({ date_from: '2026-01-01', aggregate: 'all' });
  const dayAfter = dayOf(Date.now(), 'UTC');
  expect(rows).toHaveLength(1);
  expect(rows[0]?.cost).toBe(2);
  expect([dayBefore, dayAfter]).toContain(rows[0]?.date_to);
});

test.each(['Pacific/Kiritimati', 'Pacific/Niue', 'Asia/Kolkata'])(
  "D6.1: today is today in the project's timezone (%s)",
  async (timezone) => {
    const project = await farthing.createProject({ timezone });
    const before = dayOf(Date.now(), timezone);
    await project.post(costEvent({ cost: 2, timestamp: undefined }));
    const { rows } = await project.costs({ date_from: before });
    const after = dayOf(Date.now(), timezone);
    expect([before, after]).toContain(rows.at(-1)?.date_to);
    expect(rows.map((row) => row.cost).reduce((total, cost) => total + cost, 0)).toBe(2);
  },
);

const days: [timezone: string, before: string, dayBefore: string, after: string, dayAfter: string][] = [
  // An offset with half an hour.
  ['Asia/Kolkata', '2024-01-01T18:29:59.999Z', '2024-01-01', '2024-01-01T18:30:00Z', '2024-01-02'],
  ['Asia/Kathmandu', '2024-01-01T18:14:59.999Z', '2024-01-01', '2024-01-01T18:15:00Z', '2024-01-02'],
  // Days of a clock change last 23 and 25 hours.
  ['America/New_York', '2024-03-11T03:59:59.999Z', '2024-03-10', '2024-03-11T04:00:00Z', '2024-03-11'],
  ['America/New_York', '2024-03-10T04:59:59.999Z', '2024-03-09', '2024-03-10T05:00:00Z', '2024-03-10'],
  ['America/New_York', '2024-11-04T04:59:59.999Z', '2024-11-03', '2024-11-04T05:00:00Z', '2024-11-04'],
  ['Europe/Berlin', '2024-03-31T21:59:59.999Z', '2024-03-31', '2024-03-31T22:00:00Z', '2024-04-01'],
  // The clock changes at midnight: the day starts at one.
  ['America/Sao_Paulo', '2018-11-04T02:59:59.999Z', '2018-11-03', '2018-11-04T03:00:00Z', '2018-11-04'],
  // The timezones farthest ahead of UTC and behind it.
  ['Pacific/Kiritimati', '2023-12-31T09:59:59.999Z', '2023-12-31', '2023-12-31T10:00:00Z', '2024-01-01'],
  ['Pacific/Niue', '2024-01-01T10:59:59.999Z', '2023-12-31', '2024-01-01T11:00:00Z', '2024-01-01'],
];

test.each(someOf(days, 2))(
  'D4.3: in %s %s is on %s and %s on %s',
  async (timezone, before, dayBefore, after, dayAfter) => {
    const project = await farthing.createProject({ timezone });
    await project.post(costEvent({ cost: 1, timestamp: before }), costEvent({ cost: 2, timestamp: after }));
    const { rows } = await project.costs({ date_from: dayBefore, date_to: dayAfter });
    expect(rows.map(brief)).toEqual([`${dayBefore}..${dayBefore} 1`, `${dayAfter}..${dayAfter} 2`]);
  },
);

longTest('D6.1: months and years begin in the timezone of the project', async () => {
  const project = await farthing.createProject({ timezone: 'America/Los_Angeles' });
  await project.post(
    costEvent({ cost: 1, timestamp: '2025-01-01T07:59:59Z' }),
    costEvent({ cost: 2, timestamp: '2025-01-01T08:00:00Z' }),
  );
  const rows = await project.allCosts({ date_from: '2024-12-01', date_to: '2025-01-31', aggregate: 'year' });
  expect(rows.map(brief)).toEqual(['2024-12-01..2024-12-31 1', '2025-01-01..2025-01-31 2']);
});

longTest('D2: the trailing slash is optional', async () => {
  const project = await projectWith({ cost: 1 });
  const answer = await project.api('POST', '/api/costs', { date_from: '2024-05-15', date_to: '2024-05-15' });
  expect(expectStatus(answer, 200)).toMatchObject({ rows: [{ cost: 1 }] });
});

test('D2: the admin token with Farthing-Project reads the costs of that project', async () => {
  const project = await projectWith({ cost: 1.5 });
  const answer = await farthing.send('POST', '/api/costs/', {
    body: { date_from: '2024-05-15', date_to: '2024-05-15' },
    token: farthing.adminToken,
    headers: { 'Farthing-Project': project.id },
  });
  expect(expectStatus(answer, 200)).toMatchObject({ rows: [{ cost: 1.5 }] });
});

test('D1.1: nothing crosses projects', async () => {
  const [one, other] = await Promise.all([
    projectWith({ cost: 1, tags: { customer: 'acme' } }),
    projectWith({ cost: 2, tags: { customer: 'acme' } }),
  ]);
  const event_id = crypto.randomUUID();
  await one.post(costEvent({ event_id, cost: 4, tags: { customer: 'acme' } }));
  await other.post(costEvent({ event_id, cost: 8, tags: { customer: 'acme' } }));
  await one.tag({ customer_name: 'acme', tags: { plan: 'pro' } });
  expect(await one.costBy('customer')).toEqual({ acme: 5 });
  expect(await other.costBy('customer')).toEqual({ acme: 10 });
  expect(await one.totalCost({ customer_tags: { plan: 'pro' } })).toBe(5);
  expect(await other.totalCost({ customer_tags: { plan: 'pro' } })).toBe(0);
});

test('D6.5: the longest range and the earliest and latest dates are answered', async () => {
  const project = await farthing.createProject();
  const first = await project.costs({ date_from: '2000-01-01', date_to: '2010-01-07', aggregate: 'all' });
  expect(first.rows).toHaveLength(1);
  const last = await project.costs({ date_from: '2100-12-31', date_to: '2100-12-31' });
  expect(last.rows).toMatchObject([{ date_from: '2100-12-31', cost: 0 }]);
});

longTest('4.2: a content type with a charset is JSON too', async () => {
  const project = await projectWith({ cost: 1 });
  const answer = await project.postCosts(
    { date_from: '2024-05-15', date_to: '2024-05-15' },
    { contentType: 'application/json; charset=utf-8' },
  );
  expect(expectStatus(answer, 200)).toMatchObject({ rows: [{ cost: 1 }] });
});

test.each(['revenue', 'internal'])('1: costs are answered on a project of type %s', async (type) => {
  const project = await farthing.createProject({ type });
  await project.post(costEvent({ cost: 1 }));
  expect(await project.totalCost()).toBe(1);
});
