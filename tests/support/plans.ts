// Plans over HTTP, for tests.
import { z } from 'zod';
import { expectStatus, type Json, onceCaughtUp, type Project } from './client.ts';

const count = z.number().int();
const sums = { revenue: z.number(), cost: z.number(), margin: z.number() };

const planRow = z.strictObject({
  date_from: z.string(),
  date_to: z.string(),
  plan: z.string(),
  customers: count,
  ...sums,
  margin_pct: z.number(),
  cost_per_customer: z.strictObject({
    p10: z.number(),
    p50: z.number(),
    p90: z.number(),
    p99: z.number(),
    most: z.number(),
  }),
  below_zero: count,
  below_zero_share: z.number(),
  below_target: count.nullable(),
  below_target_share: z.number().nullable(),
  dearest_tenth: z.strictObject({ customers: count, ...sums }),
  features: z.array(z.strictObject({ feature: z.string(), cost: z.number() })),
  other_features_cost: z.number(),
});

const plansPage = z.strictObject({
  rows: z.array(planRow),
  next_cursor: z.string().nullable(),
  has_more: z.boolean(),
});
export type PlansPage = z.infer<typeof plansPage>;

/** One page; the answer must be a 200. */
export const plansOf = async (project: Project, query: Json): Promise<PlansPage> =>
  plansPage.parse(expectStatus(await onceCaughtUp(() => project.api('POST', '/api/plans/', query)), 200));
