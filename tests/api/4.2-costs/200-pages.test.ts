import { expect, test } from 'vitest';
import { type CostRow, costEvent, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { usualOrLong } from '../../support/effort.ts';
import { longTest } from '../../support/long-test.ts';

const farthing = sharedFarthing();

async function pagesOf(project: Project, query: Json): Promise<CostRow[][]> {
  const pages: CostRow[][] = [];
  let cursor: string | null = null;
  for (;;) {
    const page = await project.costs({ ...query, ...(cursor !== null && { cursor }) });
    pages.push(page.rows);
    expect(page.has_more).toBe(page.next_cursor !== null);
    if (page.next_cursor === null) return pages;
    cursor = page.next_cursor;
  }
}

test('8: a page has 100 rows by default and 1000 at most', async () => {
  const project = await farthing.createProject();
  const year = { date_from: '2021-01-01', date_to: '2023-12-31' };
  const first = await project.costs(year);
  expect([first.rows.length, first.has_more]).toEqual([100, true]);
  expect(first.rows.at(-1)?.date_to).toBe('2021-04-10');
  const longest = await project.costs({ ...year, limit: 1000 });
  expect([longest.rows.length, longest.has_more]).toEqual([1000, true]);
  const smallest = await project.costs({ ...year, limit: 1 });
  expect(smallest.rows.map((row) => row.date_from)).toEqual(['2021-01-01']);
});

test('D6.4: has_more is exact, even when the last page is full', async () => {
  const project = await farthing.createProject();
  const pages = await pagesOf(project, { date_from: '2024-05-01', date_to: '2024-05-06', limit: 3 });
  expect(pages.map((rows) => rows.map((row) => row.date_from.slice(-2)))).toEqual([
    ['01', '02', '03'],
    ['04', '05', '06'],
  ]);
  const one = await project.costs({ date_from: '2024-05-01', date_to: '2024-05-06', limit: 6 });
  expect([one.rows.length, one.has_more, one.next_cursor]).toEqual([6, false, null]);
});

test('D6.4: grouped pages continue through sparse periods and end at the last row', async () => {
  const project = await farthing.createProject();
  const at = (day: string, customer: string) =>
    costEvent({ cost: 1, timestamp: `${day}T12:00:00Z`, tags: { customer } });
  await project.post(
    at('2020-02-03', 'a'),
    at('2020-02-03', 'b'),
    at('2020-02-03', 'c'),
    at('2022-07-01', 'a'),
    at('2024-12-31', 'b'),
    at('2024-12-31', 'c'),
  );
  const query = { date_from: '2020-01-01', date_to: '2025-12-31', group_by: 'customer' };
  for (const limit of usualOrLong([4], [1, 4, 6])) {
    const pages = await pagesOf(project, { ...query, limit });
    expect(pages.map((rows) => rows.length)).toEqual(
      Array.from({ length: Math.ceil(6 / limit) }, (_, index) => Math.min(limit, 6 - index * limit)),
    );
    expect(pages.flat().map((row) => `${row.date_from} ${row.customer}`)).toEqual([
      '2020-02-03 a',
      '2020-02-03 b',
      '2020-02-03 c',
      '2022-07-01 a',
      '2024-12-31 b',
      '2024-12-31 c',
    ]);
  }
});

longTest('D6.4: limit may change from page to page', async () => {
  const project = await farthing.createProject();
  const query = { date_from: '2024-05-01', date_to: '2024-05-10' };
  const first = await project.costs({ ...query, limit: 2 });
  const second = await project.costs({ ...query, limit: 5, cursor: first.next_cursor });
  const third = await project.costs({ ...query, cursor: second.next_cursor });
  expect([first, second, third].map((page) => page.rows.map((row) => Number(row.date_from.slice(-2))))).toEqual([
    [1, 2],
    [3, 4, 5, 6, 7],
    [8, 9, 10],
  ]);
  expect(third.has_more).toBe(false);
});

test('D6.3: pages stay stable while events arrive', async () => {
  const project = await farthing.createProject();
  const at = (customer: string, cost: number) => costEvent({ cost, tags: { customer } });
  await project.post(at('b', 1), at('d', 1), at('f', 1));
  const query = { date_from: '2024-05-15', date_to: '2024-05-15', group_by: 'customer', limit: 2 };
  const first = await project.costs(query);
  expect(first.rows.map((row) => row.customer)).toEqual(['b', 'd']);
  await project.post(at('a', 50), at('d', 70), at('e', 1));
  const second = await project.costs({ ...query, cursor: first.next_cursor });
  expect(second.rows.map((row) => row.customer)).toEqual(['e', 'f']);
  expect(second.has_more).toBe(false);
});

test('D6.4: a cursor continues after values with any characters', async () => {
  const project = await farthing.createProject();
  const names = ['', '"', "'", '\\', '\u{1F600}', '\u{1F600}\u{1F600}', 'ｚ', 'x'.repeat(1024)];
  await project.post(...names.map((customer) => costEvent({ cost: 1, tags: { customer } })));
  const pages = await pagesOf(project, {
    date_from: '2024-05-15',
    date_to: '2024-05-15',
    group_by: 'customer',
    limit: 1,
  });
  expect(pages.map((rows) => rows.length)).toEqual(names.map(() => 1));
  expect(new Set(pages.flat().map((row) => row.customer))).toEqual(new Set(names));
});
