import { z } from 'zod';
import { changedOrder } from '../../lib/dimensions.ts';
import { causes } from '../../reports/changes/causes.ts';
import { stepSchema } from '../advice/step.ts';
import { digestIntervals } from './schedule.ts';

const day = z.string().meta({ format: 'date' });
const usd = z.number().describe('USD.');
const compared = (about: string) => z.object({ now: z.number(), before: z.number() }).nullable().describe(about);

/** What a digest says. Each figure is that of its route for the same days. */
export const digestSchema = z.object({
  every: z.enum(digestIntervals),
  ...{ date_from: day, date_to: day, before_from: day, before_to: day },
  cost: compared('USD, as in `POST /api/costs/`.').unwrap(),
  calls: compared('As in `POST /api/usage/`.').unwrap(),
  revenue: compared('USD, as in `POST /api/margin/`; null for internal projects.'),
  margin: compared('USD; null for internal projects.'),
  margin_pct: compared('Null for internal projects.'),
  changes: z
    .array(
      z.object({
        dimension: z.enum(changedOrder),
        name: z.string(),
        difference: usd,
        cause: z
          .object({ name: z.enum(causes), amount: usd })
          .nullable()
          .describe('The largest part of the difference in its direction, of `POST /api/changes/`.'),
      }),
    )
    .describe(
      'What changed the cost most: at most five rows of `POST /api/changes/`, the largest first. Empty if calls of the days are deleted.',
    ),
  unprofitable: z.object({
    count: z.number().int(),
    customers: z
      .array(z.object({ customer: z.string(), margin: usd }))
      .describe('Customers with a margin below 0, the lowest first; at most five, and none without revenue.'),
  }),
  alerts: z.object({
    open: z.number().int(),
    newest: z.array(z.object({ title: z.string(), path: z.string() })).describe('At most five.'),
  }),
  next_steps: z.array(stepSchema).describe('At most three, of `GET /api/next-steps/`.'),
  budgets: z
    .array(z.object({ name: z.string(), of: z.string().nullable(), spent: usd, amount: usd, date_to: day }))
    .describe('Budgets that have passed a threshold in their period; at most five.'),
  credits: z
    .array(z.object({ name: z.string(), remaining: usd, ends_on: day }))
    .describe('Free credits that end within 30 days.'),
  completeness: z
    .object({
      priced_share: z.number().describe('Of the calls; as in `GET /api/coverage/`.'),
      customer_attributed_share: z.number().describe('Of the cost.'),
      unpriced_calls: z.number().int(),
    })
    .nullable()
    .describe('Null if calls of the days are deleted.'),
});

export type Digest = z.output<typeof digestSchema>;

export const exampleDigest: Digest = {
  every: 'weekly',
  ...{ date_from: '2026-11-16', date_to: '2026-11-22', before_from: '2026-11-09', before_to: '2026-11-15' },
  cost: { now: 412.5, before: 380 },
  calls: { now: 18_200, before: 17_950 },
  revenue: { now: 900, before: 880 },
  margin: { now: 487.5, before: 500 },
  margin_pct: { now: 54.166666666666664, before: 56.81818181818182 },
  changes: [{ dimension: 'customer', name: 'acme', difference: 21.4, cause: { name: 'calls', amount: 18.2 } }],
  unprofitable: { count: 1, customers: [{ customer: 'acme', margin: -12.5 }] },
  alerts: { open: 1, newest: [{ title: 'house-llm has no price', path: '/models/house-llm' }] },
  next_steps: [],
  budgets: [],
  credits: [{ name: 'Start-up credits', remaining: 312.5, ends_on: '2026-12-09' }],
  completeness: { priced_share: 0.998, customer_attributed_share: 1, unpriced_calls: 36 },
};
