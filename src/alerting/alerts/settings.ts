import { z } from 'zod';
import type { AlertKind } from '../notifications/alert-kinds.ts';

const days = z.number().int().min(1).max(90);
const usd = z.number().min(0).max(1_000_000_000);
const count = z.number().int().min(1).max(1_000_000_000);

/**
 * The settings of each kind of alert, with their defaults (D20.3). Settings of the same name have the same bounds in
 * all kinds.
 */
export const settingsOfKinds = {
  budget: z.strictObject({
    forecast: z
      .boolean()
      .default(false)
      .describe('Also fires when the forecast for the end of the period is above the amount of the budget.'),
  }),
  anomaly: z.strictObject({
    least_amount: usd.default(5).describe('USD: a smaller difference from the expected cost is no anomaly.'),
  }),
  unprofitable_customer: z.strictObject({
    margin_below_pct: z
      .number()
      .min(-100_000)
      .max(100)
      .default(0)
      .describe('Percent: fires for customers with a lower margin.'),
    least_cost: usd.default(1).describe('USD: customers that cost less are left out.'),
    apply_credits: z.boolean().default(false).describe('Uses the cost after free AI credits.'),
  }),
  unpriced_model: z.strictObject({
    days: days.default(7).describe('How many days to look at, the last being today.'),
    least_calls: count.default(1).describe('Fires from this many calls without a price on.'),
  }),
  price_change: z.strictObject({
    days: days
      .default(7)
      .describe('How many days a change lasts, and on how many days, the last being today, a model must have calls.'),
  }),
  coverage_drop: z.strictObject({
    drop_points: z
      .number()
      .min(1)
      .max(100)
      .default(10)
      .describe('Percentage points by which a share must be below its usual value.'),
    least_calls: count.default(100).describe('Days with fewer calls are not judged.'),
  }),
  credit_ending: z.strictObject({
    days: days.default(14).describe('Fires when a grant runs out or expires within this many days.'),
  }),
  no_events: z.strictObject({
    factor: z
      .number()
      .min(1)
      .max(100)
      .default(1.5)
      .describe('How many times the longest silence of the last 28 days a silence must last.'),
    least_minutes: z.number().int().min(15).max(43_200).default(60).describe('A shorter silence never fires.'),
  }),
} as const satisfies { readonly [K in AlertKind]: z.ZodObject };

export type Settings<K extends AlertKind> = z.output<(typeof settingsOfKinds)[K]>;

/** The settings of a kind: those stored for a project, and the defaults of all others. */
export const resolveSettings = <K extends AlertKind>(kind: K, stored: unknown): Settings<K> =>
  // The table has the schema of each kind, which the compiler does not relate to K.
  z.object(settingsOfKinds[kind].shape).parse(stored) as Settings<K>;
