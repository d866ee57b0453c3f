import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  costEvent,
  expectStatus,
  type Json,
  onceCaughtUp,
  type Project,
  sharedFarthing,
  tokenEvent,
} from '../../support/client.ts';
import { closeDays } from '../../support/closes.ts';
import { addRevenue, allMargin } from '../../support/margin.ts';
import { expectInvalid, expectProblem } from '../../support/problem.ts';
import { changeTimezone, repriceDays } from '../../support/reprice.ts';
import { freezeBefore } from '../../support/retention.ts';
import { erase } from '../D2-erasure/support.ts';
import { addGrant } from '../D7-credits/support.ts';

const farthing = sharedFarthing();
const may = { date_from: '2024-05-01', date_to: '2024-05-31' };

const driftRow = z.strictObject({
  day: z.string(),
  customer: z.string(),
  cause: z.string(),
  cost: z.number().optional(),
  revenue: z.number().optional(),
  credits: z.number().optional(),
});
const driftPage = z.strictObject({
  rows: z.array(driftRow),
  totals: z.strictObject({ cost: z.number(), revenue: z.number(), credits: z.number() }),
  next_cursor: z.string().nullable(),
  has_more: z.boolean(),
});

const ask = (project: Project, close: string, body: Json = {}) =>
  onceCaughtUp(() => project.api('POST', `/api/closes/${close}/drift/`, body));

/** All rows, read in pages of two, and the totals. */
async function driftOf(project: Project, close: string) {
  const rows: z.infer<typeof driftRow>[] = [];
  let cursor: string | null = null;
  for (;;) {
    const body = { limit: 2, ...(cursor !== null && { cursor }) };
    const page: z.infer<typeof driftPage> = driftPage.parse(expectStatus(await ask(project, close, body), 200));
    rows.push(...page.rows);
    if (!page.has_more) return { rows, totals: page.totals };
    cursor = page.next_cursor;
  }
}

const amounts = ['cost', 'revenue', 'credits'] as const;
/** Whole numbers of 1e-9 USD. */
const nano = (amount: number) => Math.round(amount * 1e9);

/** What margin answers by day and customer: cost before credits, revenue, and what credits cover. */
async function readMargins(project: Project, asOf: Json) {
  const query = { ...may, aggregate: 'day', group_by: 'customer', ...asOf };
  const gross = await allMargin(project, query);
  const net = await allMargin(project, { ...query, apply_credits: true });
  const sums = new Map<string, number>();
  const add = (row: (typeof gross)[number], of: string, amount: number) => {
    const key = JSON.stringify([row.date_from, row.customer, of]);
    sums.set(key, (sums.get(key) ?? 0) + nano(amount));
  };
  for (const row of gross) {
    add(row, 'cost', row.cost);
    add(row, 'revenue', row.revenue);
    add(row, 'credits', row.cost);
  }
  for (const row of net) add(row, 'credits', -row.cost);
  return sums;
}

/** The drift, which must add up to the current answers minus those as of the close. */
async function expectDrift(project: Project, close: string) {
  const [now, then] = [await readMargins(project, {}), await readMargins(project, { as_of: close })];
  const drift = await driftOf(project, close);
  const found = new Map<string, number>();
  for (const row of drift.rows) {
    for (const of of amounts) {
      const key = JSON.stringify([row.day, row.customer, of]);
      if (row[of] !== undefined) found.set(key, (found.get(key) ?? 0) + nano(row[of]));
    }
  }
  const expected = new Map<string, number>();
  for (const key of new Set([...now.keys(), ...then.keys()])) {
    const difference = (now.get(key) ?? 0) - (then.get(key) ?? 0);
    if (difference !== 0) expected.set(key, difference);
  }
  for (const [key, amount] of found) if (amount === 0) found.delete(key);
  expect(found).toEqual(expected);
  for (const of of amounts) {
    expect(nano(drift.totals[of])).toBe(drift.rows.reduce((sum, row) => sum + nano(row[of] ?? 0), 0));
  }
  return drift.rows;
}

const call = (day: number, fields: Json, customer = 'acme'): Json =>
  tokenEvent({
    timestamp: `2024-05-${String(day).padStart(2, '0')}T23:30:00Z`,
    provider: 'p',
    prompt_tokens: 1_000_000,
    ...fields,
    tags: { customer },
  });

/** Three days of a model that costs 3 USD a call, and a close of May. */
async function close(project: Project, ...others: readonly Json[]) {
  await project.addPrice({ model: 'm1', input_per_mtok: 3, output_per_mtok: 1 });
  await project.post(call(2, {}), call(3, {}, 'bravo'), call(20, {}), ...others);
  return (await closeDays(project, may.date_to)).id;
}

test('D19.2: late events are in the drift of their day and customer, and nothing else is', async () => {
  const project = await farthing.createProject();
  const moved = randomUUID();
  const id = await close(project, call(5, { event_id: moved, prompt_tokens: 2_000_000 }, 'charlie'));
  expect(await driftOf(project, id)).toEqual({ rows: [], totals: { cost: 0, revenue: 0, credits: 0 } });

  await project.post(
    call(20, {}, 'bravo'),
    costEvent({ cost: 7, timestamp: '2024-06-01T12:00:00Z' }),
    // Another outcome: the call is of another customer and uses more.
    call(5, { event_id: moved, prompt_tokens: 3_000_000 }, 'delta'),
  );
  expect(await expectDrift(project, id)).toEqual([
    { day: '2024-05-05', customer: 'charlie', cause: 'late_events', cost: -6 },
    { day: '2024-05-05', customer: 'delta', cause: 'late_events', cost: 9 },
    { day: '2024-05-20', customer: 'bravo', cause: 'late_events', cost: 3 },
  ]);
  const some = driftPage.parse(
    expectStatus(await ask(project, id, { date_from: '2024-05-05', date_to: '2024-05-10' }), 200),
  );
  expect(some).toMatchObject({
    rows: [{ day: '2024-05-05', cost: -6 }, { cost: 9 }],
    totals: { cost: 3 },
    has_more: false,
  });
});

test('D19.2: a reprice and a new timezone are told apart from each other and from late events', async () => {
  const project = await farthing.createProject();
  const id = await close(project);
  await project.addPrice({ model: 'm1', input_per_mtok: 5, output_per_mtok: 1 });
  await repriceDays(project, { date_from: '2024-05-03', date_to: '2024-05-03', dry_run: false });
  await project.post(call(3, {}, 'bravo'));
  expect(await expectDrift(project, id)).toEqual([
    { day: '2024-05-03', customer: 'bravo', cause: 'late_events', cost: 5 },
    { day: '2024-05-03', customer: 'bravo', cause: 'reprice', cost: 2 },
  ]);
  await changeTimezone(project, 'Europe/Berlin');
  const rows = await expectDrift(project, id);
  expect(rows.filter(({ customer }) => customer === 'acme')).toEqual([
    { day: '2024-05-02', customer: 'acme', cause: 'timezone', cost: -3 },
    { day: '2024-05-03', customer: 'acme', cause: 'timezone', cost: 3 },
    { day: '2024-05-20', customer: 'acme', cause: 'timezone', cost: -3 },
    { day: '2024-05-21', customer: 'acme', cause: 'timezone', cost: 3 },
  ]);
});

test('D19.2: revenue and credits are in the drift of the days on which they count', async () => {
  const project = await farthing.createProject();
  await addRevenue(
    project,
    { external_id: 'i-1', customer: 'acme', amount: 10, date_from: '2024-05-02', date_to: '2024-05-03' },
    { external_id: 'i-2', customer: 'bravo', amount: 62, ...may },
  );
  const id = await close(project);
  await addRevenue(project, {
    external_id: 'i-1',
    customer: 'acme',
    amount: 4,
    date_from: '2024-05-03',
    date_to: '2024-05-03',
  });
  await addGrant(project, { provider: 'p', amount: 4, starts_on: '2024-05-01' });
  expect(await expectDrift(project, id)).toEqual([
    { day: '2024-05-02', customer: 'acme', cause: 'revenue', revenue: -5 },
    { day: '2024-05-02', customer: 'acme', cause: 'credits', credits: 3 },
    { day: '2024-05-03', customer: 'acme', cause: 'revenue', revenue: -1 },
    { day: '2024-05-03', customer: 'bravo', cause: 'credits', credits: 1 },
  ]);
});

test('D19.2: what an erasure takes away is told as erased, without a name', async () => {
  const project = await farthing.createProject();
  await addRevenue(project, {
    external_id: 'i-1',
    customer: 'acme',
    amount: 2,
    date_from: '2024-05-02',
    date_to: '2024-05-03',
  });
  const id = await close(project, costEvent({ cost: 1 }));
  await erase(project, '/api/customers/acme/');
  const rows = await expectDrift(project, id);
  expect(rows).toEqual([
    { day: '2024-05-02', customer: '', cause: 'erasure', cost: -3, revenue: -1 },
    { day: '2024-05-03', customer: '', cause: 'erasure', revenue: -1 },
    { day: '2024-05-20', customer: '', cause: 'erasure', cost: -3 },
  ]);
});

test('D19.2: the drift of days that were frozen since the close stays', async () => {
  const project = await farthing.createProject();
  const id = await close(project);
  await project.post(call(2, {}, 'bravo'));
  const before = await expectDrift(project, id);
  await freezeBefore(project, '2024-05-10');
  expect(await expectDrift(project, id)).toEqual(before);
});

test('D19.2: a drift is of a close of the project, and its days are those of the close', async () => {
  const project = await farthing.createProject();
  const id = await close(project);
  expectProblem(await ask(project, 'cls_none'), 404, 'not_found');
  expectInvalid(await ask(project, id, { date_from: '2024-06-02', date_to: '2024-06-01', extra: 1 }), ['/extra']);
  expectInvalid(await ask(project, id, { date_from: '2024-06-02', date_to: '2024-06-01' }), ['/date_to', '/date_from']);
  expectProblem(await ask(project, id, { cursor: 'x' }), 400, 'invalid_cursor');
});
