import { z } from 'zod';
import type { App } from '../http/app.ts';
import type { Clock } from '../lib/clock.ts';
import { dayField } from '../lib/day-field.ts';
import { dayOf, isDay, startOfDay } from '../lib/days.ts';
import { Problem } from '../lib/problem.ts';
import { timeField, toTime } from '../lib/times.ts';
import { bucketNames, inputBuckets, outputBuckets, usageBuckets } from '../lib/usage-buckets.ts';
import { projectOf } from '../projects/guard.ts';
import { type NoModelPrice, type RateTexts, resolveModelPrice } from './model-price.ts';
import type { PriceBooks } from './price-books.ts';
import { priceSourceSchema, toPriceSource } from './price-source.ts';

const ratesSchema = z.object({
  per_mtok: z
    .object(Object.fromEntries(usageBuckets.map((bucket) => [bucketNames[bucket], z.number().nullable()])))
    .describe('USD per million tokens of each bucket. Null: no price, and a call that uses the bucket is unpriced.'),
  per_request: z.number().nullable().describe('USD per call.'),
});

const modelPriceSchema = z.object({
  model: z.string(),
  provider: z.string().describe('The provider of the request, or the maker of the model.'),
  service_tier: z.string().nullable(),
  at: timeField.describe('The time at which the price applies.'),
  price_book: z.object({ id: z.string(), activated_at: timeField }).describe('The snapshot of prices for new calls.'),
  source: priceSourceSchema,
  rates: ratesSchema.describe('For prompts that exceed no bound of `tiers`.'),
  tiers: z
    .array(z.object({ above_input_tokens: z.number().int(), rates: ratesSchema }))
    .describe(
      'Ascending. The last tier whose bound the whole prompt exceeds, cached tokens included, prices the whole call.',
    ),
});

const exampleModelPrice = {
  model: 'gpt-4o-2024-08-06',
  provider: 'openai',
  service_tier: null,
  at: '2026-11-21T07:10:51.211Z',
  price_book: { id: 'pbk_01M7YF26S2K80N6A7QDP0ARG7C', activated_at: '2026-11-01T09:00:00.000Z' },
  source: { kind: 'catalogue', version: '0.1.8', provider: 'openai', entry: 'gpt-4o', correction_source: null },
  rates: {
    per_mtok: {
      ...Object.fromEntries(inputBuckets.map((bucket) => [bucketNames[bucket], 2.5])),
      ...Object.fromEntries(outputBuckets.map((bucket) => [bucketNames[bucket], 10])),
    },
    per_request: null,
  },
  tiers: [],
};

const instant = z.iso.datetime({ offset: true });

/** The time of a price: an instant, or a day, which means its first instant in the timezone of the project. */
const atField = z
  .string()
  .refine((text) => dayField.safeParse(text).success || instant.safeParse(text).success, {
    error: 'must be a day, YYYY-MM-DD, or a time with its offset, such as 2026-11-01T12:00:00Z',
  })
  .meta({ example: '2026-11-01' });

const readAt = (at: string, timezone: string): number => (isDay(at) ? startOfDay(timezone, at) : Date.parse(at));

/** `GET /api/models/{name}/price/` (D2, D5.6). */
export function registerModelPrice(
  app: App,
  { priceBooks, clock }: { readonly priceBooks: PriceBooks; readonly clock: Clock },
): void {
  app.get(
    '/api/models/:name/price/',
    {
      config: { access: 'read' },
      schema: {
        summary: 'The price of a model, and where it comes from',
        description:
          'What a call of the model costs in this project by the prices in force. Percent-encode the name in the path.',
        tags: ['Prices'],
        params: z.object({ name: z.string().min(1).describe('The name of the model.') }),
        querystring: z.strictObject({
          provider: z.string().max(1_024).default('').describe('Default: the maker of the model.'),
          service_tier: z.string().max(1_024).default('').describe('Default: none.'),
          at: atField.optional().describe('The time of the call; a day is its first instant. Default: now.'),
        }),
        response: { 200: modelPriceSchema.meta({ description: 'The price.', examples: [exampleModelPrice] }) },
      },
    },
    async (request) => {
      const { name: model } = request.params;
      const { provider, service_tier: serviceTier, at } = request.query;
      const project = projectOf(request);
      const { newest: book } = await priceBooks.ofProject(project.id);
      const time = at === undefined ? clock() : readAt(at, project.timezone);
      const day = dayOf(book.timezone, time);
      const price = resolveModelPrice({ model, provider, serviceTier, time, day }, book.opened);
      if ('unpricedReason' in price) throw noPrice(model, price);
      return {
        model,
        provider: price.provider,
        service_tier: serviceTier === '' ? null : serviceTier,
        at: toTime(time),
        price_book: { id: book.id, activated_at: toTime(book.activatedAt) },
        source: toPriceSource(price.source),
        rates: toRates(price.rates),
        tiers: price.tiers.map(({ aboveInputTokens, rates }) => ({
          above_input_tokens: aboveInputTokens,
          rates: toRates(rates),
        })),
      };
    },
  );
}

const toNumber = (text: string | null): number | null => (text === null ? null : Number(text));

const toRates = ({ perMtok, perRequest }: RateTexts) => ({
  per_mtok: Object.fromEntries(usageBuckets.map((bucket) => [bucketNames[bucket], toNumber(perMtok[bucket])])),
  per_request: toNumber(perRequest),
});

function noPrice(model: string, { provider, unpricedReason }: NoModelPrice): Problem {
  const why =
    unpricedReason === 'unknown_provider'
      ? `The price catalogue does not know the provider ${JSON.stringify(provider)}`
      : `There is no price for the model ${JSON.stringify(model)}${provider && ` of ${provider}`}`;
  return new Problem(
    'not_found',
    `${why}. Set one: POST /api/prices/ with ${JSON.stringify({ model })} and its input_per_mtok and output_per_mtok.`,
  );
}
