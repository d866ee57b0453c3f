import { expect, test } from 'vitest';
import { costEvent, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { usualOrLong } from '../../support/effort.ts';
import { addRevenue, allMargin, type Entry, type MarginRow, marginOf } from '../../support/margin.ts';

const farthing = sharedFarthing();

const call = (day: string, customer: string, cost = 1): Json =>
  costEvent({ cost, timestamp: `${day}T12:00:00Z`, tags: { customer } });

let entries = 0;
const entry = (customer: string, amount: number, date_from: string, date_to = date_from): Entry => {
  entries += 1;
  return { external_id: `e${entries}`, customer, amount, date_from, date_to };
};

const spell = (rows: readonly MarginRow[]) =>
  rows.map(({ date_from, customer, revenue, cost }) => `${date_from} ${customer} ${revenue} ${cost}`);

/** Pages of every size must have the same rows as one large page. */
async function expectSameInPages(project: Project, query: Json, sizes: readonly number[]): Promise<MarginRow[]> {
  const whole = await allMargin(project, query);
  for (const limit of sizes) expect(await allMargin(project, { ...query, limit })).toEqual(whole);
  return whole;
}

test('D6.4: pages of rows with calls, revenue or both are in order and end at the last row', async () => {
  const project = await farthing.createProject();
  await project.post(
    call('2024-02-03', 'a'),
    call('2024-02-03', 'c'),
    call('2024-02-03', ''),
    call('2024-07-01', 'b'),
    call('2024-12-31', 'd'),
  );
  await addRevenue(
    project,
    entry('b', 4, '2024-02-03', '2024-02-04'),
    entry('c', 8, '2024-02-03'),
    entry('a', 16, '2024-07-02'),
    entry('e', 32, '2024-12-31', '2025-01-03'),
    entry('e', 32, '2010-01-01', '2019-12-31'),
  );
  const query = { date_from: '2024-01-01', date_to: '2024-12-31', group_by: 'customer' };
  const rows = await expectSameInPages(project, query, usualOrLong([4], [1, 4, 9]));
  expect(spell(rows)).toEqual([
    '2024-02-03  0 1',
    '2024-02-03 a 0 1',
    '2024-02-03 b 2 0',
    '2024-02-03 c 8 1',
    '2024-02-04 b 2 0',
    '2024-07-01 b 0 1',
    '2024-07-02 a 16 0',
    '2024-12-31 d 0 1',
    '2024-12-31 e 8 0',
  ]);
});

test('D6.3: rows are in code-point order, from either store', async () => {
  const project = await farthing.createProject();
  const names = ['Z', 'a', 'é', 'ﬁ', '😀', '😀a', '\u{10FFFF}', 'ab', 'a b'];
  await project.post(...names.filter((_, index) => index % 3 !== 0).map((name) => call('2024-05-15', name)));
  await addRevenue(
    project,
    ...names.filter((_, index) => index % 3 !== 1).map((name) => entry(name, 1, '2024-05-14', '2024-05-16')),
  );
  const query = { date_from: '2024-05-15', date_to: '2024-05-15', group_by: 'customer' };
  const rows = await expectSameInPages(project, query, [usualOrLong(2, 1)]);
  expect(rows.map(({ customer }) => customer)).toEqual(['Z', 'a', 'a b', 'ab', 'é', 'ﬁ', '😀', '😀a', '\u{10FFFF}']);
});

test('D6.4: a cursor continues after values with any characters', async () => {
  const project = await farthing.createProject();
  const names = ['', '"', "'", '\\', 'nul\0l', '😀', '%', 'x'.repeat(1_024)];
  await project.post(...names.map((name) => call('2024-05-15', name)));
  await addRevenue(project, entry('nul', 1, '2024-05-15'), entry('nula', 1, '2024-05-15'), entry('%', 1, '2024-05-15'));
  const query = { date_from: '2024-05-15', date_to: '2024-05-15', group_by: 'customer' };
  const rows = await expectSameInPages(project, query, [1]);
  expect(rows.map(({ customer }) => customer)).toEqual([
    '',
    '"',
    '%',
    "'",
    '\\',
    'nul',
    'nul\0l',
    'nula',
    'x'.repeat(1_024),
    '😀',
  ]);
});

test('8: an ungrouped page has 100 rows by default', async () => {
  const project = await farthing.createProject();
  await addRevenue(project, entry('a', 731, '2023-01-01', '2024-12-31'));
  const years = { date_from: '2023-01-01', date_to: '2024-12-31' };
  const first = await marginOf(project, years);
  expect([first.rows.length, first.has_more, first.rows.at(-1)?.date_to]).toEqual([100, true, '2023-04-10']);
  const rows = await expectSameInPages(project, years, usualOrLong([365], [365, 731]));
  expect(rows.map(({ revenue }) => revenue)).toEqual(Array(731).fill(1));
});

test('D6.3: pages stay stable while calls and revenue arrive', async () => {
  const project = await farthing.createProject();
  await project.post(call('2024-05-15', 'b'), call('2024-05-15', 'd'));
  await addRevenue(project, entry('f', 1, '2024-05-15'));
  const query = { date_from: '2024-05-15', date_to: '2024-05-15', group_by: 'customer', limit: 2 };
  const first = await marginOf(project, query);
  expect(first.rows.map(({ customer }) => customer)).toEqual(['b', 'd']);
  await project.post(call('2024-05-15', 'a'), call('2024-05-15', 'e'));
  await addRevenue(project, entry('c', 1, '2024-05-15'), entry('d', 1, '2024-05-15'));
  const second = await marginOf(project, { ...query, cursor: first.next_cursor });
  expect(second.rows.map(({ customer }) => customer)).toEqual(['e', 'f']);
  expect(second.has_more).toBe(false);
});
