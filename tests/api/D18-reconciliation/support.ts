// Invoices, and answers of POST /api/reconciliation/ with their exact fields.
import { expect } from 'vitest';
import { z } from 'zod';
import { expectStatus, type Json, onceCaughtUp, type Project } from '../../support/client.ts';

const part = z.strictObject({
  kind: z.string(),
  amount: z.number(),
  calls: z.number().int().optional(),
  hint: z.string().min(1),
  override: z.looseObject({ model: z.string(), effective_from: z.string() }).optional(),
});
const row = z.strictObject({
  date_from: z.string(),
  date_to: z.string(),
  provider: z.string().optional(),
  model: z.string().optional(),
  computed: z.number(),
  invoiced: z.number(),
  difference: z.number(),
  difference_pct: z.number().nullable(),
  parts: z.array(part),
});
export type ReconciliationRow = z.infer<typeof row>;
const page = z.strictObject({ rows: z.array(row), next_cursor: z.string().nullable(), has_more: z.boolean() });

/** One page. The parts of each of its rows add up to the difference. */
export async function reconcilePage(project: Project, body: Json): Promise<z.infer<typeof page>> {
  const answer = page.parse(
    expectStatus(await onceCaughtUp(() => project.api('POST', '/api/reconciliation/', body)), 200),
  );
  for (const { computed, invoiced, difference, difference_pct: pct, parts } of answer.rows) {
    expect(difference).toBeCloseTo(invoiced - computed, 9);
    expect(parts.reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(difference, 9);
    if (computed !== 0) expect(pct).toBeCloseTo((100 * difference) / computed, 6);
    else expect(pct).toBeNull();
  }
  return answer;
}

export async function reconcile(project: Project, body: Json): Promise<ReconciliationRow[]> {
  const { rows, has_more: hasMore } = await reconcilePage(project, { limit: 1_000, ...body });
  expect(hasMore).toBe(false);
  return rows;
}

export const postInvoices = (project: Project, entries: unknown, token?: string) =>
  project.api('POST', '/api/invoices/', { entries }, token === undefined ? {} : { token });

export async function addInvoices(project: Project, ...entries: Json[]): Promise<void> {
  expect(expectStatus(await postInvoices(project, entries), 201)).toEqual({ stored: entries.length });
}

/** The amounts of a row's parts by kind. */
export const amountsOf = ({ parts }: ReconciliationRow): Record<string, number> =>
  Object.fromEntries(parts.map(({ kind, amount }) => [kind, Number(amount.toFixed(9))]));
