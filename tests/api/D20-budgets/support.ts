// Budgets over HTTP, for tests.
import { z } from 'zod';
import { expectStatus, type Json, onceCaughtUp, type Project } from '../../support/client.ts';
import { poll } from '../../support/poll.ts';

const budget = z.strictObject({
  name: z.string(),
  amount: z.number(),
  period: z.enum(['hour', 'day', 'week', 'month', 'quarter']).nullable(),
  window: z.string().nullable(),
  scope: z.record(z.string(), z.unknown()),
  each: z.enum(['customer', 'user', 'feature', 'run']).nullable(),
  thresholds: z.array(z.number().int()),
  apply_credits: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});
export type Budget = z.infer<typeof budget>;

const standing = {
  spent: z.number(),
  remaining: z.number().nullable(),
  spent_pct: z.number().nullable(),
  thresholds_passed: z.array(z.number().int()),
};

const shown = z.strictObject({
  ...budget.shape,
  period_from: z.iso.date(),
  period_to: z.iso.date(),
  resets_at: z.iso.datetime().nullable(),
  ...standing,
  forecast: z.number().nullable(),
  of: z.string().optional(),
  each_spent: z.array(z.strictObject({ of: z.string(), ...standing })).optional(),
});
export type Shown = z.infer<typeof shown>;

const check = z.strictObject({
  allowed: z.boolean(),
  spent: z.number(),
  remaining: z.number(),
  resets_at: z.iso.datetime().nullable(),
  as_of: z.iso.datetime(),
});
export type Check = z.infer<typeof check>;

export const budgetPath = (name: string): string => `/api/budgets/${encodeURIComponent(name)}/`;
const withOf = (path: string, of?: string) => (of === undefined ? path : `${path}?of=${encodeURIComponent(of)}`);

export async function addBudget(project: Project, fields: Json): Promise<Budget> {
  const body = { name: 'b', amount: 10, period: 'day', ...fields };
  return budget.parse(expectStatus(await project.api('POST', '/api/budgets/', body), 201));
}

export async function showBudget(project: Project, name = 'b', of?: string): Promise<Shown> {
  const answer = await onceCaughtUp(() => project.api('GET', withOf(budgetPath(name), of)));
  return shown.parse(expectStatus(answer, 200));
}

export async function checkBudget(project: Project, name = 'b', of?: string): Promise<Check> {
  const answer = await onceCaughtUp(() => project.api('GET', withOf(`${budgetPath(name)}check/`, of)));
  return check.parse(expectStatus(answer, 200));
}

/** The first check as of the instant at which it is called, or later. */
export async function checkFromNow(project: Project, name = 'b', of?: string): Promise<Check> {
  const now = Date.now();
  return await poll('the check includes all until now', { within: 60_000, every: 20 }, async () => {
    const answer = await checkBudget(project, name, of);
    return Date.parse(answer.as_of) >= now ? answer : undefined;
  });
}
