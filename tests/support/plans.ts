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
  features: z.array(z.strictObject({ feature: z.string(), cost: z.number() })).nullable(),
  other_features_cost: z.number().nullable(),
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

const simulatedSums = {
  ...sums,
  shared_cost: z.number().optional(),
  simulated_revenue: z.number(),
  simulated_margin: z.number(),
};
const percentages = { margin_pct: z.number(), simulated_margin_pct: z.number() };

const simulation = z.strictObject({
  date_from: z.string(),
  date_to: z.string(),
  target_margin_pct: z.number().nullable(),
  plans: z.array(
    z.strictObject({
      name: z.string(),
      customers: count,
      ...simulatedSums,
      ...percentages,
      simulated_base: z.number(),
      pay_more: count,
      pay_less: count,
      below_zero: count,
      simulated_below_zero: count,
      target_base: z.strictObject({ base_per_month: z.number().nullable(), reason: z.string().nullable() }),
      target_included: z.strictObject({
        unit: z.string().nullable(),
        amount: z.number().nullable(),
        reason: z.string().nullable(),
      }),
      rows: z.array(z.strictObject({ customer: z.string(), ...simulatedSums })),
      other_customers: count,
    }),
  ),
  others: z.strictObject({ customers: count, ...sums, shared_cost: z.number().optional() }),
  total: z.strictObject({ ...simulatedSums, ...percentages }),
});
export type Simulation = z.infer<typeof simulation>;

export const postSimulation = (project: Project, body: unknown) => project.api('POST', '/api/plans/simulate/', body);

/** What plans would have earned; the answer must be a 200. */
export const simulationOf = async (project: Project, body: Json): Promise<Simulation> =>
  simulation.parse(expectStatus(await onceCaughtUp(() => postSimulation(project, body)), 200));
