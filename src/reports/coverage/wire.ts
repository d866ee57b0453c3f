import { z } from 'zod';
import { maxCallTags } from '../../calls/merging/merge.ts';
import { rowDays } from '../../lib/http/row-fields.ts';

const count = z.number().int();
const money = z.number().describe('USD; the nearest double of the exact sum.');
const share = z.number().min(0).max(1).describe('From 0 to 1; 1 when the total is 0.');

const alike = z.object({
  calls: count,
  cost: money,
  models: z
    .array(z.object({ model: z.string(), provider: z.string(), calls: count, cost: money }))
    .describe('Most calls first; the first 1,000.'),
});

export const coverageSchema = z.object({
  ...rowDays,
  calls: count,
  priced_calls: count.describe(
    'Calls that are not unpriced. A failed call that reports no usage costs nothing and is counted here.',
  ),
  priced_share: share,
  unpriced_calls: count,
  partly_priced_calls: count.describe(
    'Calls with a unit or term without a known price, which cost the sum of their other parts; and calls with a kind of token that is charged like a wider kind, because its own price is not known. They count as priced.',
  ),
  cost: money,
  customer_attributed_cost: money,
  customer_attributed_share: share,
  feature_attributed_cost: money,
  feature_attributed_share: share,
  user_attributed_cost: money,
  user_attributed_share: share,
  unpriced: z
    .array(z.object({ model: z.string(), provider: z.string(), reason: z.string(), calls: count }))
    .describe('Models without a price and why, most calls first; the first 1,000.'),
  partly_priced: z
    .array(z.object({ name: z.string(), model: z.string(), provider: z.string(), calls: count }))
    .describe('Units, terms and kinds of token without a known price, by model, most calls first; the first 1,000.'),
  further_prices: z
    .object({
      calls: count,
      cost: money,
      lists: z.array(z.object({ list: z.string(), calls: count, cost: money })),
      models: z.array(
        z.object({
          provider: z.string(),
          model: z.string(),
          list: z.string(),
          version: z.string(),
          calls: count,
          cost: money,
          disagreeing: z
            .array(
              z.object({
                list: z.string(),
                version: z.string(),
                input_per_mtok: z.number().nullable(),
                output_per_mtok: z.number().nullable(),
                prices: z.array(z.string()).readonly(),
              }),
            )
            .describe(
              'Other lists with a price that differs by more than 1 %. `prices` names which: `cache_read`, `input_above_32000`.',
            ),
        }),
      ),
    })
    .describe(
      'Calls that a further list priced, which nobody reviewed: by list, and by model with most calls first; the first 1,000.',
    ),
  joined_alike: alike.describe(
    'Calls whose reports were joined only because process, model, output and time are alike. Reports that share an id are joined by it. `join_alike: false` leaves them apart.',
  ),
  possible_doubles: alike.describe(
    'Calls that are alike and may be the same request. All count, because the project has set `join_alike: false`.',
  ),
  open_calls: count.describe(
    'Ids whose last `.before` was received on these days, and that have no `.after` or `.error` received later or up to 48 hours before it, to the hour.',
  ),
  ignored: z
    .array(z.object({ field: z.string(), events: count }))
    .describe('Fields in events received on these days that could not be used, most events first.'),
  beyond_retention: count.describe(
    'Events received on these days for days that were already reduced to totals (`retention_days`). They are in the log, but in no total.',
  ),
  skipped_metric_values: z
    .array(z.object({ key_metric: z.string(), events: count }))
    .describe(
      'For each key metric, the events of its type on these days that hold no value it can use: no number for `sum`, no value or null for `unique`. Only key metrics that skip events, most events first.',
    ),
  unmapped_revenue: z
    .array(z.object({ stripe_customer: z.string(), amount: money, entries: count }))
    .describe(
      'Revenue on these days from Stripe customers that no call, metadata or pair maps to a customer, the most first; the first 1,000.',
    ),
  revenue_without_rate: z
    .array(z.object({ currency: z.string(), amount: z.number().describe('In `currency`.'), entries: count }))
    .describe('Revenue on these days that does not count, because its currency has no exchange rate yet.'),
  overused_ids: z
    .array(z.object({ event_id: z.string(), events: count, tags_left_out: z.boolean() }))
    .describe(
      `Ids whose last event was received on these days and that have had more than 1,000 events, or a call with more than ${maxCallTags} tags, most events first; the first 100. Only some of their events decide their calls; all are in the log. \`tags_left_out\`: a call keeps the tags that name a dimension or a run, and the first of the others by their keys.`,
    ),
  set_aside_ids: z
    .array(z.object({ event_id: z.string(), since: z.iso.datetime() }))
    .describe(
      'Ids whose events cannot be made into calls, of all time, the newest first; the first 100. Their events are in the log, and the log of the service has the cause.',
    ),
});

export type Coverage = z.output<typeof coverageSchema>;

export const exampleCoverage = {
  date_from: '2026-10-23',
  date_to: '2026-11-21',
  calls: 8,
  priced_calls: 7,
  priced_share: 0.875,
  unpriced_calls: 1,
  partly_priced_calls: 2,
  cost: 0.5,
  customer_attributed_cost: 0.3,
  customer_attributed_share: 0.6,
  feature_attributed_cost: 0.1,
  feature_attributed_share: 0.2,
  user_attributed_cost: 0.5,
  user_attributed_share: 1,
  unpriced: [{ model: 'house-llm', provider: '', reason: 'unknown_model', calls: 1 }],
  partly_priced: [{ name: 'file_searches', model: 'gpt-5', provider: 'azure', calls: 2 }],
  further_prices: {
    calls: 3,
    cost: 0.0096,
    lists: [{ list: 'litellm', calls: 3, cost: 0.0096 }],
    models: [
      {
        provider: 'dashscope',
        model: 'qwen3.8-max',
        list: 'litellm',
        version: '1.110.2',
        calls: 3,
        cost: 0.0096,
        disagreeing: [],
      },
    ],
  },
  joined_alike: {
    calls: 2,
    cost: 0.009,
    models: [{ model: 'gemini-2.5-flash', provider: 'google', calls: 2, cost: 0.009 }],
  },
  possible_doubles: { calls: 0, cost: 0, models: [] },
  open_calls: 2,
  ignored: [{ field: 'timestamp', events: 3 }],
  beyond_retention: 0,
  skipped_metric_values: [{ key_metric: 'refunds', events: 2 }],
  unmapped_revenue: [{ stripe_customer: 'cus_QXg1o8vcGmoR32', amount: 499, entries: 1 }],
  revenue_without_rate: [{ currency: 'EUR', amount: 120, entries: 2 }],
  overused_ids: [{ event_id: '0198f3a2-6d1b-7c40-9e55-2f1f0a7c9b11', events: 4210, tags_left_out: false }],
  set_aside_ids: [],
};
