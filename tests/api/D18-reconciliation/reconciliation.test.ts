import { expect, test } from 'vitest';
import { expectStatus, type Json, type Project, sharedFarthing, tokenEvent } from '../../support/client.ts';
import { usualOrLong } from '../../support/effort.ts';
import { longTest } from '../../support/long-test.ts';
import { once } from '../../support/once.ts';
import { expectProblem } from '../../support/problem.ts';
import { repriceDays } from '../../support/reprice.ts';
import { addInvoices, amountsOf, reconcile, reconcilePage } from './support.ts';

const farthing = sharedFarthing();
const range = { date_from: '2025-05-01', date_to: '2025-05-10' };
const days = Array.from({ length: 10 }, (_, index) => `2025-05-${String(index + 1).padStart(2, '0')}`);

/** A call at noon, which costs as many dollars as `dollars` by the list price of 2.5 and 10. */
const call = (day: string, [inputDollars, outputDollars]: readonly [number, number], fields: Json = {}): Json =>
  tokenEvent({
    ...{ provider: 'openai', model: 'gpt-4o-2024-08-06', timestamp: `${day}T12:00:00Z` },
    prompt_tokens: inputDollars * 400_000,
    completion_tokens: outputDollars * 100_000,
    ...fields,
  });

const invoiceOf = (day: string, amount: number, fields: Json = {}): Json => ({
  external_id: `${day}-${String(fields.model ?? 'gpt')}-${String(fields.kind ?? 'usage')}`,
  provider: 'openai',
  model: 'gpt-4o-2024-08-06',
  date_from: day,
  date_to: day,
  amount: amount.toFixed(4),
  ...fields,
});

/** Different dollars of input and output on every day. */
const dollarsOn = (index: number): readonly [number, number] => [2 + (index % 4), 1 + ((index * 3) % 5)];
const costOn = (index: number): number => dollarsOn(index)[0] + dollarsOn(index)[1];

const setAndReprice = async (project: Project, override: Json | undefined) => {
  expectStatus(await project.api('POST', '/api/prices/', override), 201);
  await repriceDays(project, { ...range, dry_run: false });
};

test('D18.2: a factor of all prices from a day on is named, and the offered override closes the difference', async () => {
  const project = await farthing.createProject();
  await project.post(...days.map((day, index) => call(day, dollarsOn(index))));
  await addInvoices(
    project,
    ...days.map((day, index) => invoiceOf(day, costOn(index) * (index < 4 ? 1 : 0.8), { provider: 'OpenAI' })),
  );
  const [row] = await reconcile(project, { ...range, aggregate: 'all' });
  const override = {
    ...{ provider: 'openai', model: 'gpt-4o-2024-08-06', effective_from: '2025-05-05' },
    ...{ input_per_mtok: 2, output_per_mtok: 8, cache_read_per_mtok: 1 },
  };
  expect(row?.parts).toEqual([
    { kind: 'price', amount: expect.any(Number), hint: expect.stringContaining('0.8 times'), override },
  ]);
  await setAndReprice(project, row?.parts[0]?.override);
  const [after] = await reconcile(project, { ...range, aggregate: 'all' });
  expect(after).toMatchObject({ difference: 0, parts: [] });
});

longTest('D18.2: a price of one bucket is told from the others', async () => {
  const project = await farthing.createProject();
  await project.post(...days.map((day, index) => call(day, dollarsOn(index))));
  await addInvoices(project, ...days.map((day, index) => invoiceOf(day, costOn(index) + dollarsOn(index)[1] * 0.5)));
  const [row] = await reconcile(project, { ...range, aggregate: 'month' });
  expect(row?.parts.map(({ override }) => override)).toMatchObject([
    { input_per_mtok: 2.5, output_per_mtok: 15, effective_from: '2025-05-01' },
  ]);
  await setAndReprice(project, row?.parts[0]?.override);
  expect(await reconcile(project, { ...range, aggregate: 'all' })).toMatchObject([{ difference: 0, parts: [] }]);
});

test('D18.2: every other cause has its part, in a timezone of its own, by day, model and provider, and page by page', async () => {
  const project = await farthing.createProject({ timezone: 'America/New_York' });
  // 23:00 in New York is the next day at the provider.
  const late = (day: string) => call(day, [1, 0], { timestamp: `${day}T23:00:00-04:00` });
  await project.post(
    ...days.map((day, index) => call(day, dollarsOn(index))),
    ...['2025-04-30', ...days].map(late),
    ...days.map((day) => call(day, [1, 1], { model: 'house-llm', provider: 'openai' })),
    ...days.map((day) => call(day, [4, 1], { model: 'gpt-4o-mini-2024-07-18' })),
  );
  await addInvoices(
    project,
    ...days.map((day, index) => invoiceOf(day, costOn(index) + 1)),
    ...days.map((day) => invoiceOf(day, 0.7, { model: 'house-llm' })),
    ...days.map((day) => invoiceOf(day, 3, { model: 'o3-2025-04-16' })),
    invoiceOf('2025-05-10', -2.5, { kind: 'discount', model: undefined }),
    invoiceOf('2025-05-10', -4, { kind: 'credit', model: undefined }),
    invoiceOf('2025-05-10', 9.5, { kind: 'tax', model: undefined }),
    invoiceOf('2025-05-10', 1.25, { kind: 'other', model: undefined }),
  );
  const [whole, ...none] = await reconcile(project, { ...range, aggregate: 'all' });
  expect(none).toEqual([]);
  const mini = 10 * 0.3;
  expect(whole && amountsOf(whole)).toEqual({
    ...{ unpriced: 7, not_seen: 30, not_invoiced: -mini, discount: -2.5, credit: -4, tax: 9.5, rest: 1.25 },
  });
  expect(whole?.parts.find(({ kind }) => kind === 'unpriced')).toMatchObject({
    calls: 10,
    hint: '10 calls of house-llm count as $0: $7.00 is what the invoice charges for them. Coverage tells which lack a price (set it, and reprice) and which report no usage.',
  });
  expect(whole?.parts.find(({ kind }) => kind === 'not_invoiced')).toMatchObject({ calls: 10 });

  // One day alone: what moves over its two edges is equal, except where the costs of the nights differ.
  await project.post(call('2025-05-10', [7, 0], { timestamp: '2025-05-10T23:30:00-04:00' }));
  const byDay = await reconcile(project, range);
  expect(byDay).toHaveLength(10);
  expect(byDay.at(-1)?.parts[0]).toMatchObject({
    kind: 'timing',
    amount: -7,
    hint: expect.stringContaining(
      'It has 1 call of 2025-05-09 on 2025-05-10 ($1.00), 2 calls of 2025-05-10 on 2025-05-11 ($8.00)',
    ),
  });

  const byModel = await reconcile(project, { ...range, aggregate: 'all', group_by: 'model' });
  expect(byModel.map(({ model }) => model)).toEqual([
    ...['', 'gpt-4o-2024-08-06', 'gpt-4o-mini-2024-07-18', 'house-llm', 'o3-2025-04-16'],
  ]);
  const costs = await project.allCosts({ ...range, aggregate: 'all', group_by: 'model' });
  for (const { model, cost } of costs) {
    expect(byModel.find((row) => row.model === model)?.computed).toBeCloseTo(cost, 9);
  }
  const total = byDay.reduce((sum, { difference }) => sum + difference, 0);
  expect(byModel.reduce((sum, { difference }) => sum + difference, 0)).toBeCloseTo(total, 9);
  expect(await reconcile(project, { ...range, aggregate: 'all', group_by: 'provider' })).toMatchObject([
    { provider: 'openai', difference: expect.closeTo(total, 9) },
  ]);

  const all = await reconcile(project, { ...range, group_by: 'model' });
  const paged = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await reconcilePage(project, {
      ...range,
      group_by: 'model',
      limit: usualOrLong(25, 7),
      ...(cursor && { cursor }),
    });
    paged.push(...page.rows);
    cursor = page.next_cursor;
  }
  expect(paged).toEqual(all);
});

test('D18.2: an invoice of a month by provider is compared as a whole, and its days differ by their shares alone', async () => {
  const project = await farthing.createProject();
  await project.post(...days.map((day, index) => call(day, dollarsOn(index))));
  const sum = days.reduce((total, _, index) => total + costOn(index), 0);
  const month = { ...invoiceOf('2025-05-01', sum), model: undefined, date_to: '2025-05-10' };
  await addInvoices(project, month);
  expect(await reconcile(project, { ...range, aggregate: 'all' })).toMatchObject([{ difference: 0, parts: [] }]);
  const byDay = await reconcile(project, range);
  expect(new Set(byDay.flatMap(({ parts }) => parts.map(({ kind }) => kind)))).toEqual(new Set(['timing']));
  expect(byDay.every(({ invoiced }) => Math.abs(invoiced - sum / 10) < 1e-9)).toBe(true);
});

test('D18.2: without invoices all is not invoiced; without calls nothing is there', async () => {
  const project = await farthing.createProject();
  expect(await reconcile(project, { ...range, aggregate: 'month' })).toEqual([
    { ...range, computed: 0, invoiced: 0, difference: 0, difference_pct: null, parts: [] },
  ]);
  expect(await reconcile(project, { ...range, group_by: 'provider' })).toEqual([]);
  await project.post(call('2025-05-03', [1, 2]));
  expect(await reconcile(project, { ...range, aggregate: 'all' })).toMatchObject([
    {
      computed: 3,
      invoiced: 0,
      difference: -3,
      difference_pct: -100,
      parts: [{ kind: 'not_invoiced', amount: -3, calls: 1 }],
    },
  ]);
});

const projectAsked = once(() => farthing.createProject());

test.each([
  ['an unknown grouping', { group_by: 'customer' }],
  ['a filter', { customers: ['acme'] }],
  ['an end before the beginning', { date_to: '2025-04-01' }],
  ['an unknown period', { aggregate: 'decade' }],
  ['a limit of 0', { limit: 0 }],
])('D18.2, D11.2: %s is a 400', async (_name, fields) => {
  const project = await projectAsked();
  expectProblem(await project.api('POST', '/api/reconciliation/', { ...range, ...fields }), 400, 'invalid_body');
});
