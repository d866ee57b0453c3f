// Revenue and margin over HTTP, for tests.
import { z } from 'zod';
import { type Answer, expectStatus, type Json, onceCaughtUp, type Project, type SendOptions } from './client.ts';

const marginRow = z.strictObject({
  shared_cost: z.number().optional(),
  date_from: z.string(),
  date_to: z.string(),
  customer: z.string().optional(),
  tag: z.string().optional(),
  revenue: z.number(),
  cost: z.number(),
  margin: z.number(),
  margin_pct: z.number(),
  risk_status: z.enum(['healthy', 'at_risk', 'unprofitable']),
});
export type MarginRow = z.infer<typeof marginRow>;

const marginPage = z.strictObject({
  rows: z.array(marginRow),
  next_cursor: z.string().nullable(),
  has_more: z.boolean(),
});
export type MarginPage = z.infer<typeof marginPage>;

const storedAnswer = z.strictObject({ ok: z.literal(true), entries_stored: z.number().int() });

export interface Entry {
  external_id: string;
  customer: string;
  amount: number | string;
  date_from: string;
  date_to?: string;
}

export const postMargin = (project: Project, query: unknown, options?: SendOptions): Promise<Answer> =>
  project.api('POST', '/api/margin/', query, options);

/** One page; the answer must be a 200. */
export const marginOf = async (project: Project, query: Json): Promise<MarginPage> =>
  marginPage.parse(expectStatus(await onceCaughtUp(() => postMargin(project, query)), 200));

/** The rows of all pages. Every page but the last must be full; only the first may be empty. */
export async function allMargin(project: Project, query: Json & { limit?: number }): Promise<MarginRow[]> {
  const { limit = 1_000 } = query;
  const rows: MarginRow[] = [];
  let cursor: string | null = null;
  do {
    const page: MarginPage = await marginOf(project, { ...query, limit, ...(cursor !== null && { cursor }) });
    if (page.has_more !== (page.next_cursor !== null)) throw new Error('has_more and next_cursor disagree');
    if (page.has_more && page.rows.length !== limit) throw new Error('a page before the last is not full');
    if (cursor !== null && page.rows.length === 0) throw new Error('a page after the first is empty');
    if (page.next_cursor !== null && page.next_cursor === cursor) throw new Error('the cursor did not advance');
    if (rows.length > 1_000 * limit) throw new Error('the pages do not end');
    rows.push(...page.rows);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return rows;
}

export const postRevenue = (project: Project, entries: unknown, options?: SendOptions): Promise<Answer> =>
  project.api('POST', '/api/revenue/', { entries }, options);

/** Stores entries; the answer must be a success. */
export async function addRevenue(project: Project, ...entries: Entry[]): Promise<void> {
  const stored = storedAnswer.parse(expectStatus(await postRevenue(project, entries), 200));
  if (stored.entries_stored !== entries.length) throw new Error(`${stored.entries_stored} entries were stored`);
}

const entryPage = z.strictObject({
  rows: z.array(
    z.strictObject({
      external_id: z.string(),
      customer: z.string(),
      amount: z.number(),
      date_from: z.string(),
      date_to: z.string(),
      created_at: z.iso.datetime(),
      updated_at: z.iso.datetime(),
      currency: z.string(),
      original_amount: z.number(),
      source: z.enum(['api', 'stripe']),
    }),
  ),
  next_cursor: z.string().nullable(),
  has_more: z.boolean(),
});

/** One page of entries; the answer must be a 200. */
export const entriesOf = async (
  project: Project,
  query: Record<string, string> = {},
): Promise<z.infer<typeof entryPage>> =>
  entryPage.parse(expectStatus(await project.api('GET', `/api/revenue/?${new URLSearchParams(query)}`), 200));
