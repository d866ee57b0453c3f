// Asks for the drift of a close, and compares it with what margin answers now and as of the close.
import { expect } from 'vitest';
import { z } from 'zod';
import { expectStatus, type Json, onceCaughtUp, type Project, tokenEvent } from '../../support/client.ts';
import { closeDays } from '../../support/closes.ts';
import { allMargin } from '../../support/margin.ts';

export const may = { date_from: '2024-05-01', date_to: '2024-05-31' };

const driftRow = z.strictObject({
  day: z.string().optional(),
  customer: z.string().optional(),
  cause: z.string().optional(),
  cost: z.number().optional(),
  revenue: z.number().optional(),
  credits: z.number().optional(),
});
export const driftPage = z.strictObject({
  rows: z.array(driftRow),
  totals: z.strictObject({ cost: z.number(), revenue: z.number(), credits: z.number() }),
  next_cursor: z.string().nullable(),
  has_more: z.boolean(),
});

export const ask = (project: Project, close: string, body: Json = {}) =>
  onceCaughtUp(() => project.api('POST', `/api/closes/${close}/drift/`, body));

/** All rows, read page by page, and the totals. */
export async function driftOf(project: Project, close: string, limit = 100, asked: Json = {}) {
  const rows: z.infer<typeof driftRow>[] = [];
  let cursor: string | null = null;
  for (;;) {
    const body = { ...asked, limit, ...(cursor !== null && { cursor }) };
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
async function readMargins(project: Project, fields: Json) {
  const query = { ...may, aggregate: 'day', group_by: 'customer', ...fields };
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

/** What margin answers as of a close, which never changes. */
const asOf = new Map<string, Awaited<ReturnType<typeof readMargins>>>();

/** The drift, which must add up to the current answers minus those as of the close. */
export async function expectDrift(project: Project, close: string, limit?: number) {
  const now = await readMargins(project, {});
  const then = asOf.get(close) ?? (await readMargins(project, { as_of: close }));
  asOf.set(close, then);
  const drift = await driftOf(project, close, limit);
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
  return drift;
}

/** The drift by cause and by customer, which must add up the rows of the drift. */
export async function expectGrouped(
  project: Project,
  close: string,
  drift: Awaited<ReturnType<typeof driftOf>>,
  limit?: number,
) {
  for (const group of ['cause', 'customer'] as const) {
    const grouped = await driftOf(project, close, limit, { group_by: group });
    expect(grouped.totals).toEqual(drift.totals);
    const named = grouped.rows.flatMap((row) => amounts.map((of) => [row[group], of, nano(row[of] ?? 0)]));
    const summed = [...Map.groupBy(drift.rows, (row) => row[group])].flatMap(([name, rows]) =>
      amounts.map((of) => [name, of, rows.reduce((sum, row) => sum + nano(row[of] ?? 0), 0)]),
    );
    const isChange = ([, , amount]: unknown[]) => amount !== 0;
    expect(named.filter(isChange).sort()).toEqual(summed.filter(isChange).sort());
  }
}

export const call = (day: number, fields: Json, customer = 'acme'): Json =>
  tokenEvent({
    timestamp: `2024-05-${String(day).padStart(2, '0')}T23:30:00Z`,
    provider: 'p',
    prompt_tokens: 1_000_000,
    ...fields,
    tags: { customer },
  });

/** Three days of a model that costs 3 USD a call, and a close of May. */
export async function closeMay(project: Project, ...others: readonly Json[]) {
  await project.addPrice({ model: 'm1', input_per_mtok: 3, output_per_mtok: 1 });
  await project.post(call(2, {}), call(3, {}, 'bravo'), call(20, {}), ...others);
  return (await closeDays(project, may.date_to)).id;
}
