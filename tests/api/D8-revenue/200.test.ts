import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';
import { longTest } from '../../support/long-test.ts';
import { addRevenue, type Entry, entriesOf, postRevenue } from '../../support/margin.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();

const entry = (external_id: string, fields: Partial<Entry> = {}): Entry => ({
  external_id,
  customer: 'acme',
  amount: 10,
  date_from: '2024-05-01',
  ...fields,
});

test('D8.1: entries are listed as posted; date_to defaults to date_from', async () => {
  const project = await farthing.createProject();
  const answer = await postRevenue(project, [
    entry('b', { amount: '-0.000000000001', date_to: '2024-05-31' }),
    entry('a', { amount: 499.99 }),
  ]);
  expect(expectStatus(answer, 200)).toEqual({ ok: true, entries_stored: 2 });
  const { rows, next_cursor, has_more } = await entriesOf(project);
  expect(rows).toMatchObject([
    { external_id: 'a', customer: 'acme', amount: 499.99, date_from: '2024-05-01', date_to: '2024-05-01' },
    { external_id: 'b', customer: 'acme', amount: -1e-12, date_from: '2024-05-01', date_to: '2024-05-31' },
  ]);
  expect([next_cursor, has_more]).toEqual([null, false]);
});

test('D8.1: amounts at the limits are kept exactly', async () => {
  const project = await farthing.createProject();
  const amounts = ['1e12', -1e12, '0', 0, '-0', '999999999999.999999999999', 1e-12, '1e-12', '+0.50', '007'];
  await addRevenue(project, ...amounts.map((amount, index) => entry(`${index}`, { amount })));
  expect((await entriesOf(project)).rows.map(({ amount }) => amount)).toEqual([
    1e12, -1e12, 0, 0, 0, 1e12, 1e-12, 1e-12, 0.5, 7,
  ]);
});

test('D8.1: the same external_id replaces the entry', async () => {
  const project = await farthing.createProject();
  await addRevenue(project, entry('a'), entry('b'));
  const [before] = (await entriesOf(project)).rows;
  await addRevenue(
    project,
    entry('c'),
    entry('a', { customer: 'globex', amount: -3, date_from: '2024-06-01', date_to: '2024-06-30' }),
  );
  const { rows } = await entriesOf(project);
  expect(rows.map(({ external_id }) => external_id)).toEqual(['a', 'b', 'c']);
  expect(rows[0]).toMatchObject({
    customer: 'globex',
    amount: -3,
    date_from: '2024-06-01',
    date_to: '2024-06-30',
    created_at: before?.created_at,
  });
  expect(Date.parse(rows[0]?.updated_at ?? '')).toBeGreaterThanOrEqual(Date.parse(before?.updated_at ?? ''));
});

longTest('D8.1: 1,000 entries of the longest span and with the longest names are stored at once', async () => {
  const project = await farthing.createProject();
  const entries = Array.from({ length: 1_000 }, (_, index) =>
    entry(`${String(index).padStart(4, '0')}${'😀'.repeat(252)}`, {
      customer: 'x'.repeat(1_024),
      date_from: '2000-01-01',
      date_to: '2010-01-07',
    }),
  );
  await addRevenue(project, ...entries);
  await addRevenue(project, ...entries);
  const { rows, has_more } = await entriesOf(project, { limit: '1000' });
  expect([rows.length, has_more]).toEqual([1_000, false]);
});

test('D8.1: concurrent requests with the same entries in different orders all succeed', async () => {
  const project = await farthing.createProject();
  const entries = Array.from({ length: 200 }, (_, index) => entry(`e${index}`));
  await Promise.all(
    Array.from({ length: 8 }, (_, round) => addRevenue(project, ...(round % 2 === 0 ? entries : entries.toReversed()))),
  );
  expect((await entriesOf(project, { limit: '1000' })).rows).toHaveLength(200);
});

test('D6.3, D6.4: pages are in code-point order and end at the last row', async () => {
  const project = await farthing.createProject();
  const ids = ['Z', 'a', 'a/b', 'é', 'ﬁ', '😀'];
  await addRevenue(project, ...ids.toReversed().map((id) => entry(id)));
  for (const limit of [1, 2, 3, 4, 6, 7]) {
    const pages: string[][] = [];
    let cursor: string | null = null;
    do {
      const page = await entriesOf(project, { limit: String(limit), ...(cursor !== null && { cursor }) });
      pages.push(page.rows.map(({ external_id }) => external_id));
      expect(page.has_more).toBe(page.next_cursor !== null);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(pages.flat()).toEqual(ids);
    expect(pages).toHaveLength(Math.ceil(ids.length / limit));
  }
});

test('D2: entries are listed by customer and by their days', async () => {
  const project = await farthing.createProject();
  await addRevenue(
    project,
    entry('1', { date_from: '2024-05-01', date_to: '2024-05-10' }),
    entry('2', { date_from: '2024-05-10', date_to: '2024-05-20', customer: 'globex' }),
    entry('3', { date_from: '2024-05-21' }),
  );
  const ids = async (query: Record<string, string>) =>
    (await entriesOf(project, query)).rows.map(({ external_id }) => external_id);
  expect(await ids({ customer: 'globex' })).toEqual(['2']);
  expect(await ids({ customer: '' })).toEqual([]);
  expect(await ids({ customer: 'a\0' })).toEqual([]);
  expect(await ids({ date_from: '2024-05-10' })).toEqual(['1', '2', '3']);
  expect(await ids({ date_from: '2024-05-11' })).toEqual(['2', '3']);
  expect(await ids({ date_to: '2024-05-09' })).toEqual(['1']);
  expect(await ids({ date_from: '2024-05-20', date_to: '2024-05-20' })).toEqual(['2']);
  expect(await ids({ date_from: '2024-05-10', date_to: '2024-05-21', customer: 'acme' })).toEqual(['1', '3']);
});

test('D2: an entry is deleted by its external_id, with any characters', async () => {
  const project = await farthing.createProject();
  const ids = [
    'plain',
    'a/b',
    'ä ö',
    '100%',
    '%2F',
    'a?b#c',
    '...',
    '../x',
    ' ',
    '😀',
    '+',
    '"\\',
    '<>',
    'x'.repeat(256),
  ];
  const tried = someOf(ids, 5);
  await addRevenue(project, ...tried.map((id) => entry(id)));
  for (const [index, id] of tried.entries()) {
    const path = `/api/revenue/${encodeURIComponent(id)}${index % 2 === 0 ? '/' : ''}`;
    expectStatus(await project.api('DELETE', path), 204);
    expectProblem(await project.api('DELETE', path), 404, 'not_found');
  }
  expect((await entriesOf(project)).rows).toEqual([]);
});

test('D1.1: entries belong to their project only', async () => {
  const [one, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  await addRevenue(one, entry('a', { amount: 1 }));
  await addRevenue(other, entry('a', { amount: 2 }));
  expectStatus(await other.api('DELETE', '/api/revenue/a/'), 204);
  expect((await entriesOf(one)).rows.map(({ amount }) => amount)).toEqual([1]);
  expect((await entriesOf(other)).rows).toEqual([]);
});
