import { z } from 'zod';
import type { CoveredShare } from '../../credits/burn-down.ts';
import { divideToNumber, toJsonNumber, widen, wideToJsonNumber } from '../../lib/money.ts';
import type { CallCost, CostLine } from '../../pricing/cost.ts';
import type { BookInForce } from '../../pricing/price-books.ts';
import type { PriceSource } from '../../pricing/rates.ts';
import { bucketNames } from './call.ts';

const sourceSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('override'), override_id: z.string() }),
    z.object({
      kind: z.literal('catalogue'),
      version: z.string().describe('The version of the catalogue package.'),
      provider: z.string().describe("The catalogue's name of the provider whose list it is."),
      entry: z.string().describe("The catalogue's name of the model's entry."),
      correction_source: z
        .string()
        .nullable()
        .describe('The page that a correction of the entry rests on; null where it was not corrected.'),
    }),
  ])
  .describe('Where the unit price came from.');

const lineSchema = z.union([
  z.object({
    bucket: z.enum([...bucketNames.values()]),
    tokens: z.number().int(),
    rate_per_mtok: z.number().describe('USD per million tokens.'),
    amount: z.number().describe('USD: tokens × rate, rounded half-even at 12 digits.'),
    source: sourceSchema,
  }),
  z.object({
    bucket: z.literal('request'),
    requests: z.literal(1),
    rate_per_request: z.number().describe('USD a call.'),
    amount: z.number(),
    source: sourceSchema,
  }),
]);

/** How a call's cost was reached (D5.6). */
export const explanationSchema = z.object({
  lines: z
    .array(lineSchema)
    .describe('The products that the cost is the sum of; none where the cost is reported, or where there is none.'),
  price_book: z
    .object({ id: z.string(), activated_at: z.string() })
    .describe('The snapshot of prices that the call was costed by.'),
  credit: z
    .object({
      covered_fraction: z
        .number()
        .describe(
          "The share, 0 to 1, of the cost of the call's provider and model on its day that free credits cover.",
        ),
      net_cost: z.number().describe('USD, after free AI credits.'),
    })
    .describe('What free AI credits take off.'),
});

const coveredScale = 10n ** 18n;

/** What led to the cost of a call, in the names of the API; `share` is what credits cover of it, if any. */
export function toExplanation(cost: CallCost, book: BookInForce, share: CoveredShare | undefined) {
  const covered = share?.covered ?? 0n;
  return {
    lines: cost.lines.map(toLine),
    price_book: { id: book.id, activated_at: new Date(book.activatedAt).toISOString() },
    credit: {
      covered_fraction: divideToNumber(covered, coveredScale),
      net_cost: wideToJsonNumber(widen(cost.cost) - cost.cost * covered),
    },
  };
}

function toLine(line: CostLine) {
  const amount = toJsonNumber(line.amount);
  const source = toSource(line.source);
  return line.bucket === 'request'
    ? {
        bucket: line.bucket,
        requests: line.requests,
        rate_per_request: Number(line.ratePerRequest),
        amount,
        source,
      }
    : {
        bucket: bucketNames.get(line.bucket) ?? line.bucket,
        tokens: line.tokens,
        rate_per_mtok: Number(line.ratePerMtok),
        amount,
        source,
      };
}

const toSource = (source: PriceSource) =>
  source.kind === 'override'
    ? { kind: source.kind, override_id: source.overrideId }
    : {
        kind: source.kind,
        version: source.version,
        provider: source.provider,
        entry: source.entry,
        correction_source: source.correctionSource,
      };
