import { z } from 'zod';
import { byName } from '../../lib/by-name.ts';
import { namedDimensions } from '../../lib/dimensions.ts';
import { askedField, moneyField } from '../../lib/http/row-fields.ts';
import { parseMoney, parseWideMoney, toJsonNumber, wideToJsonNumber } from '../../lib/money.ts';
import { termNames } from '../../lib/units.ts';
import { costSources } from '../../pricing/cost.ts';
import { tokensSchema, toTokens, toUnits, unitsSchema } from '../asking/usage-fields.ts';
import type { CallRecord } from './sql.ts';

export const callFields = {
  event_id: z.string(),
  ordinal: z.number().int().describe('0, or higher when the id was used again for another call.'),
  day: z.string().meta({ format: 'date' }).describe('The day of the call in the timezone of the project.'),
  time: z.string().meta({ format: 'date-time' }).describe('The time of the first outcome received for the call.'),
  ...byName(namedDimensions, () => z.string()),
  run: z.string().describe('The run that the call names; without one, the call is its own run.'),
  model: z.string(),
  provider: z.string(),
  tags: z.record(z.string(), z.string()),
  failed: z.boolean(),
  aborted: z.boolean().describe('Whether its answer was not read to the end, according to an event.'),
  elapsed_ms: z.number().nullable(),
  cost: moneyField('USD, gross.'),
  net_cost: askedField(moneyField('USD, after free AI credits; only with `apply_credits`.'), 'apply_credits', true),
  cost_source: z
    .enum(costSources)
    .describe(
      'Where the cost comes from. `further_list`: a public price list that nobody reviewed; `none`: the call failed or is free, and reports no usage; `unpriced`: its model has no price, or nobody reports its usage; `wrapper`: ' +
        'another call within it has its usage and its cost; `gateway_cache`: a gateway answered from its own cache, and ' +
        'no provider was called.',
    ),
  unpriced_reason: z.string().nullable().describe('Why the call has no price; null when it has one.'),
  partly_priced: z
    .array(z.string())
    .describe('The units and terms without a known price: the cost is that of all else. Empty if there are none.'),
  tokens: tokensSchema.describe('Token counts by bucket; each token is in exactly one.'),
  units: unitsSchema,
  terms: z
    .partialRecord(z.enum(termNames), z.string())
    .describe('What changes the rates of the call; only terms that its events name.'),
};

export const callSchema = z.object(callFields);

export type CallWire = z.output<typeof callSchema>;

export const exampleCall = {
  event_id: '96655a63-38f8-44f0-9fe0-ec3e942c0132',
  ordinal: 0,
  day: '2026-11-20',
  time: '2026-11-20T14:03:27.118Z',
  customer: 'acme',
  user: '',
  feature: 'chat',
  run: '96655a63-38f8-44f0-9fe0-ec3e942c0132',
  model: 'gpt-4o-2024-08-06',
  provider: 'openai',
  tags: { customer: 'acme', feature: 'chat' },
  failed: false,
  aborted: false,
  elapsed_ms: 840,
  cost: 0.0019,
  cost_source: 'catalogue',
  unpriced_reason: null,
  partly_priced: [],
  tokens: { ...toTokens([]), input: 412, output: 87 },
  units: {},
  terms: { service_tier: 'default' },
};

/** Converts a call to the API's form; `net_cost` only if `withNetCost`. */
export function toCall(record: CallRecord, { withNetCost }: { readonly withNetCost: boolean }) {
  return {
    event_id: record.id,
    ordinal: record.ordinal,
    day: record.on_day,
    time: new Date(Number(record.time_ms)).toISOString(),
    ...byName(namedDimensions, (name) => record[name]),
    run: record.run,
    model: record.model,
    provider: record.provider,
    tags: record.call_tags,
    failed: record.failed,
    aborted: record.aborted,
    elapsed_ms: record.elapsed_ms,
    cost: toJsonNumber(parseMoney(record.gross_cost) ?? 0n),
    ...(withNetCost && { net_cost: wideToJsonNumber(parseWideMoney(record.net_cost)) }),
    cost_source: record.cost_source,
    unpriced_reason: record.unpriced_reason === '' ? null : record.unpriced_reason,
    partly_priced: record.partly_priced,
    tokens: toTokens(record.tokens),
    units: toUnits(record.units),
    terms: record.terms,
  };
}
