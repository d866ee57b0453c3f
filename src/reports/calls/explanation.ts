import { z } from 'zod';
import { joinedBy, type MergedCall } from '../../calls/merging/merge.ts';
import { divideToNumber, type Money, toJsonNumber, widen, wideToJsonNumber } from '../../lib/money.ts';
import { partNames, unitNames } from '../../lib/units.ts';
import { bucketNames } from '../../lib/usage-buckets.ts';
import type { BookInForce } from '../../pricing/books/price-books.ts';
import type { CallCost, CostLine } from '../../pricing/cost.ts';
import { priceSourceSchema, termChangeSchema, toPriceSource, toTermChange } from '../../pricing/price-source.ts';
import { unitRateToNumber } from '../../pricing/rates.ts';

const lineSchema = z.union([
  z.object({
    bucket: z.enum(Object.values(bucketNames)),
    tokens: z.number().int(),
    rate_per_mtok: z.number().describe('USD per million tokens.'),
    amount: z.number().describe('USD: tokens × rate, rounded half-even at 12 digits.'),
    source: priceSourceSchema,
    terms: z
      .array(termChangeSchema)
      .optional()
      .describe('The terms of the call that changed the rate; absent when none did.'),
    rate_of: z
      .enum(Object.values(bucketNames))
      .optional()
      .describe('The kind of token whose rate this is, because its own is not known; absent where it is.'),
    model: z
      .string()
      .optional()
      .describe("The model that used the tokens, such as an advisor or a tool's; absent for the call's own model."),
  }),
  z.object({
    unit: z.enum(unitNames),
    count: z.number(),
    rate_per_unit: z.number().describe('USD per one.'),
    amount: z.number().describe('USD: count × rate, rounded half-even at 12 digits.'),
    source: priceSourceSchema,
  }),
  z.object({
    bucket: z.literal('request'),
    requests: z.literal(1),
    rate_per_request: z.number().describe('USD per call.'),
    amount: z.number(),
    source: priceSourceSchema,
  }),
]);

/** How a call's cost was computed (D5.6). */
export const explanationSchema = z.object({
  reproduced: z
    .boolean()
    .describe(
      'Whether the events and the price book still give the stored cost. False, without lines, when this version of ' +
        'Farthing reads them differently from the version that costed the call. The stored cost stays until its day is ' +
        'repriced or rebuilt.',
    ),
  lines: z
    .array(lineSchema)
    .describe('The products that add up to the cost; empty if the cost was reported or if there is none.'),
  partly_priced: z
    .array(z.enum(partNames))
    .describe(
      'The units and terms of the call without a known price, `other_models` for tokens of another model without one, ' +
        '`prompt_sizes` where a sum of requests may hold one with a higher price, and kinds of token without a rate of ' +
        'their own, which are charged like a wider kind (`rate_of`): the cost is that of all else.',
    ),
  note: z.string().nullable().describe('The reason for a cost that no price explains.'),
  reported_cost: z
    .number()
    .nullable()
    .describe(
      'USD: the cost that a gateway or another tool computed. It is the cost of the call if Farthing has no price.',
    ),
  price_book: z
    .object({ id: z.string(), activated_at: z.string().meta({ format: 'date-time' }) })
    .describe('The snapshot of prices that the cost was computed with.'),
  wraps: z
    .string()
    .optional()
    .describe(
      'The event id of the call that counts for this one: the same request, or the first of several that this one adds ' +
        'up. Only if `cost_source` is `wrapper`.',
    ),
  reports: z
    .array(
      z.object({
        event_id: z.string(),
        emitter: z
          .string()
          .nullable()
          .describe(
            'The name of its instrumentation scope or gateway; `null` for other events and names of several words.',
          ),
        joined_by: z
          .enum(joinedBy)
          .describe(
            "The id of the provider's answer, spans inside each other, or likeness (process, model, output, time).",
          ),
      }),
    )
    .describe('The other reports of the same request, the outermost first. They are wrappers, and cost nothing.'),
  credit: z
    .object({
      covered_fraction: z
        .number()
        .describe("The share of the day's cost of the call's provider and model that free credits cover, from 0 to 1."),
      net_cost: z.number().describe('USD, after free AI credits.'),
    })
    .describe('The discount by free AI credits.'),
});

const exampleSource = {
  kind: 'catalogue',
  version: '0.1.8',
  provider: 'openai',
  entry: 'gpt-4o',
  correction_source: null,
};

export const exampleExplanation = {
  reproduced: true,
  lines: [
    { bucket: 'input', tokens: 412, rate_per_mtok: 2.5, amount: 0.00103, source: exampleSource },
    { bucket: 'output', tokens: 87, rate_per_mtok: 10, amount: 0.00087, source: exampleSource },
  ],
  partly_priced: [],
  reports: [],
  note: null,
  reported_cost: null,
  price_book: { id: 'pbk_01M7YF26S2K80N6A7QDP0ARG7C', activated_at: '2026-11-01T09:00:00.000Z' },
  credit: { covered_fraction: 0.25, net_cost: 0.001425 },
};

const coveredScale = 10n ** 18n;

interface Explained {
  readonly gross: Money;
  readonly cost: CallCost;
  readonly isReproduced: boolean;
  readonly priceBook: BookInForce;
  /** The share that credits cover, in units of 1e-18. */
  readonly covered: bigint;
  /** The call that a wrapper encloses. */
  readonly wraps?: string;
  readonly reports: NonNullable<MergedCall['reports']>;
  /** The cost that a gateway or another tool computed for the call (D16.1). */
  readonly costElsewhere: Money | null;
}

const ofGatewayCache = 'A gateway answered from its own cache: no provider was called, so the call costs nothing.';
const ofElsewhere = 'Farthing has no price for the call, so the cost is the one that the events report.';

function toNote({ source }: CallCost, costElsewhere: Money | null): string | null {
  if (source === 'gateway_cache') return ofGatewayCache;
  return source === 'reported' && costElsewhere !== null ? ofElsewhere : null;
}

export function toExplanation({
  gross,
  cost,
  isReproduced,
  priceBook,
  covered,
  costElsewhere,
  wraps,
  reports,
}: Explained) {
  return {
    reproduced: isReproduced,
    lines: isReproduced ? cost.lines.map(toLine) : [],
    partly_priced: isReproduced ? [...cost.partlyPriced] : [],
    note: isReproduced ? toNote(cost, costElsewhere) : null,
    reported_cost: costElsewhere === null ? null : toJsonNumber(costElsewhere),
    price_book: { id: priceBook.id, activated_at: new Date(priceBook.activatedAt).toISOString() },
    ...(wraps !== undefined && { wraps }),
    reports: reports.map(({ eventId, emitter, by }) => ({
      event_id: eventId,
      emitter: emitter === '' ? null : emitter,
      joined_by: by,
    })),
    credit: {
      covered_fraction: divideToNumber(covered, coveredScale),
      net_cost: wideToJsonNumber(widen(gross) - gross * covered),
    },
  };
}

function toLine(line: CostLine) {
  const amount = toJsonNumber(line.amount);
  const source = toPriceSource(line.source);
  if ('unit' in line) {
    const { unit, count, rate } = line;
    return { unit, count: toJsonNumber(count), rate_per_unit: unitRateToNumber(rate), amount, source };
  }
  if (line.bucket === 'request') {
    const { bucket, requests, ratePerRequest } = line;
    return { bucket, requests, rate_per_request: Number(ratePerRequest), amount, source };
  }
  return {
    bucket: bucketNames[line.bucket],
    tokens: line.tokens,
    rate_per_mtok: Number(line.ratePerMtok),
    amount,
    source,
    ...(line.terms && { terms: line.terms.map(toTermChange) }),
    ...(line.rateOf !== undefined && { rate_of: bucketNames[line.rateOf] }),
    ...(line.model !== undefined && { model: line.model }),
  };
}
