import { z } from 'zod';
import { parseMoney, parseWideMoney, toJsonNumber, wideToJsonNumber } from '../../lib/money.ts';
import { bucketNames, usageBuckets } from '../../lib/usage-buckets.ts';
import type { CallRecord } from './sql.ts';

/** One AI call in the names of the API. */
export const callFields = {
  event_id: z.string(),
  ordinal: z.number().int().describe('0, or higher when the id was used again for another call.'),
  day: z.string().describe('The day of the call in the timezone of the project.'),
  time: z.string().describe('The time of the outcome of the call that was received first.'),
  customer: z.string(),
  user: z.string(),
  feature: z.string(),
  run: z.string().describe('The run that the call names; without one, the call is its own run.'),
  model: z.string(),
  provider: z.string(),
  tags: z.record(z.string(), z.string()),
  failed: z.boolean(),
  elapsed_ms: z.number().nullable(),
  cost: z.number().describe('USD, gross.'),
  net_cost: z.number().optional().describe('USD, after free AI credits; only with `apply_credits`.'),
  cost_source: z
    .enum(['reported', 'override', 'catalogue', 'none', 'unpriced'])
    .describe('What the cost rests on; `none`: the call reports no usage, `unpriced`: its model has no price.'),
  unpriced_reason: z.string().nullable().describe('Why the call has no price; null when it has one.'),
  tokens: z
    .object(Object.fromEntries(usageBuckets.map((bucket) => [bucketNames[bucket], z.number().int()])))
    .describe('Token counts in buckets that share no token.'),
};

export const callSchema = z.object(callFields);

/** A call as it is answered; `net_cost` only where credits are asked for. */
export function toCall(record: CallRecord, { withNetCost }: { readonly withNetCost: boolean }) {
  return {
    event_id: record.id,
    ordinal: record.ordinal,
    day: record.on_day,
    time: new Date(Number(record.time_ms)).toISOString(),
    customer: record.customer,
    user: record.user,
    feature: record.feature,
    run: record.run,
    model: record.model,
    provider: record.provider,
    tags: record.tags,
    failed: record.failed,
    elapsed_ms: record.elapsed_ms,
    cost: toJsonNumber(parseMoney(record.gross_cost) ?? 0n),
    ...(withNetCost && { net_cost: wideToJsonNumber(parseWideMoney(record.net_cost)) }),
    cost_source: record.cost_source,
    unpriced_reason: record.unpriced_reason === '' ? null : record.unpriced_reason,
    tokens: Object.fromEntries(
      usageBuckets.map((bucket, index) => [bucketNames[bucket], Number(record.tokens[index] ?? 0)]),
    ),
  };
}
