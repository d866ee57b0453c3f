import { z } from 'zod';
import { projectOf } from '../../accounts/guard.ts';
import type { Clock } from '../../lib/clock.ts';
import { dayField } from '../../lib/day-field.ts';
import { dayOf, isDay, startOfDay } from '../../lib/days.ts';
import type { App } from '../../lib/http/app.ts';
import { Problem } from '../../lib/problem.ts';
import { textParameter } from '../../lib/query-fields.ts';
import { timeField, toTime } from '../../lib/times.ts';
import { maxTermLength, readTerms, type TermName, termNames, unitNames } from '../../lib/units.ts';
import { bucketNames, inputBuckets, outputBuckets, usageBuckets } from '../../lib/usage-buckets.ts';
import { geoOfModel } from '../../usage/model-geo.ts';
import { assumedParts } from '../assumed-rates.ts';
import { type NoModelPrice, type RateTexts, resolveModelPrice, type TieredTexts, type When } from '../model-price.ts';
import { priceSourceSchema, termChangeSchema, toPriceSource, toTermChange } from '../price-source.ts';
import { unitRateToNumber } from '../rates.ts';
import type { PriceBooks } from './price-books.ts';
import { openSmallerModels } from './smaller-model.ts';

const ratesSchema = z.object({
  per_mtok: z
    .object(Object.fromEntries(usageBuckets.map((bucket) => [bucketNames[bucket], z.number().nullable()])))
    .describe('USD per million tokens of each bucket. Null: no price, and a call that uses the bucket is unpriced.'),
  per_request: z.number().nullable().describe('USD per call.'),
});

const tieredRates = {
  rates: ratesSchema.describe('For prompts that exceed no bound of `tiers`.'),
  tiers: z
    .array(z.object({ above_input_tokens: z.number().int(), rates: ratesSchema }))
    .describe(
      'Ascending. The last tier whose bound the whole prompt exceeds, cached tokens included, prices the whole call.',
    ),
};

const whenSchema = z
  .partialRecord(z.enum(termNames), z.array(z.string()))
  .describe('The values of the terms to which it applies.');

const modelPriceSchema = z.object({
  model: z.string(),
  provider: z.string().describe('The provider of the request, or the maker of the model.'),
  service_tier: z.string().nullable(),
  at: timeField.describe('The time at which the price applies.'),
  price_book: z.object({ id: z.string(), activated_at: timeField }).describe('The snapshot of prices for new calls.'),
  source: priceSourceSchema.nullable().describe('Of the rates of tokens. Null: the model has only prices of units.'),
  by_hour: z.boolean().describe('Whether the list has other rates at other hours of a day; these are those of `at`.'),
  ...tieredRates,
  terms: z.array(termChangeSchema).describe('The terms of the request that changed the rates, which include them.'),
  partly_priced: z
    .array(z.enum(termNames))
    .describe('The terms of the request that may change the rates but have no known price.'),
  assumed_rates: z
    .array(z.enum(assumedParts))
    .describe('The kinds of token that have the rate of a wider kind, because their own is not known.'),
  term_prices: z
    .array(
      z.object({
        when: whenSchema,
        factor: z.number().nullable().describe('The factor on the list price; null with `prices`.'),
        prices: z.object(tieredRates).nullable().describe('Rates that replace the list price.'),
        source: priceSourceSchema,
      }),
    )
    .describe('What terms do to the rates; most specific first. Empty for an override, whose rates no term changes.'),
  units: z
    .array(
      z.object({
        unit: z.enum(unitNames),
        when: whenSchema,
        rate_per_unit: z.number().describe('USD per one.'),
        source: priceSourceSchema,
      }),
    )
    .describe('The prices of units. The first price of a unit whose `when` fits a call is used.'),
  smaller_model: z
    .string()
    .nullable()
    .describe('The next smaller model of the same maker, family and version that the price list has; null: none.'),
});

export type ModelPriceWire = z.output<typeof modelPriceSchema>;

const exampleSupplement = {
  kind: 'supplement',
  page: 'https://developers.openai.com/api/docs/pricing',
  checked_on: '2026-11-24',
};
const exampleModelPrice = {
  model: 'gpt-4o-2024-08-06',
  provider: 'openai',
  service_tier: null,
  at: '2026-11-21T07:10:51.211Z',
  price_book: { id: 'pbk_01M7YF26S2K80N6A7QDP0ARG7C', activated_at: '2026-11-01T09:00:00.000Z' },
  source: { kind: 'catalogue', version: '0.1.8', provider: 'openai', entry: 'gpt-4o', correction_source: null },
  by_hour: false,
  rates: {
    per_mtok: {
      ...Object.fromEntries(inputBuckets.map((bucket) => [bucketNames[bucket], 2.5])),
      ...Object.fromEntries(outputBuckets.map((bucket) => [bucketNames[bucket], 10])),
    },
    per_request: null,
  },
  tiers: [],
  terms: [],
  partly_priced: [],
  assumed_rates: ['input_audio', 'input_image', 'input_video', 'output_audio', 'output_image', 'output_video'],
  term_prices: [{ when: { service_tier: ['batch'] }, factor: 0.5, prices: null, source: exampleSupplement }],
  units: [{ unit: 'web_searches', when: {}, rate_per_unit: 0.01, source: exampleSupplement }],
  smaller_model: 'gpt-4o-mini',
};

const instant = z.iso.datetime({ offset: true });

/** The time of a price: an instant, or a day, which stands for its first instant in the project's timezone. */
const atField = z
  .string()
  .refine((text) => dayField.safeParse(text).success || instant.safeParse(text).success, {
    error: 'must be a day, YYYY-MM-DD, or a time with its offset, such as 2026-11-01T12:00:00Z',
  })
  .meta({ example: '2026-11-01' });

const readAt = (at: string, timezone: string): number => (isDay(at) ? startOfDay(timezone, at) : Date.parse(at));

const termParameters = Object.fromEntries(
  termNames.map((name) => [
    name,
    textParameter(maxTermLength).optional().describe('A term of the call. Default: none.'),
  ]),
) as Record<TermName, z.ZodOptional<z.ZodString>>;

/** `GET /api/models/{name}/price/` (D2, D5.6). */
export function registerModelPrice(
  app: App,
  { priceBooks, clock }: { readonly priceBooks: PriceBooks; readonly clock: Clock },
): void {
  app.get('/api/models/:name/price/', {
    config: { access: 'read' },
    schema: {
      summary: 'The price of a model, and where it comes from',
      description:
        'What a call of the model costs in this project by the prices in force. Percent-encode the name in the path.',
      tags: ['Prices'],
      params: z.object({ name: z.string().min(1).describe('The name of the model.') }),
      querystring: z.strictObject({
        provider: textParameter(1_024).default('').describe('Default: the maker of the model.'),
        ...termParameters,
        at: atField.optional().describe('The time of the call; a day is its first instant. Default: now.'),
      }),
      response: { 200: modelPriceSchema.meta({ description: 'The price.', examples: [exampleModelPrice] }) },
    },
    handler: async (request) => {
      const { name: model } = request.params;
      const { provider, at } = request.query;
      const terms = readTerms({ ...request.query, geo: request.query.geo ?? geoOfModel(model) });
      const project = projectOf(request);
      const { newest: book } = await priceBooks.ofProject(project.id);
      const time = at === undefined ? clock() : readAt(at, project.timezone);
      const day = dayOf(book.timezone, time);
      const price = resolveModelPrice({ model, provider, terms, time, day }, book.opened);
      if ('unpricedReason' in price) throw noPrice(model, price);
      return {
        model,
        provider: price.provider,
        service_tier: terms.service_tier ?? null,
        at: toTime(time),
        price_book: { id: book.id, activated_at: toTime(book.activatedAt) },
        source: price.source && toPriceSource(price.source),
        by_hour: price.isByHour,
        ...toTieredRates(price),
        terms: price.terms.map(toTermChange),
        partly_priced: [...price.unknownTerms],
        assumed_rates: [...price.assumed],
        term_prices: price.termPrices.map(({ when, factor, prices, source }) => ({
          when: toWhen(when),
          factor: toNumber(factor),
          prices: prices && toTieredRates(prices),
          source: toPriceSource(source),
        })),
        units: price.units.map(({ unit, when, rate, source }) => ({
          unit,
          when: toWhen(when),
          rate_per_unit: unitRateToNumber(rate),
          source: toPriceSource(source),
        })),
        smaller_model: openSmallerModels(book, day)(model) ?? null,
      };
    },
  });
}

const toNumber = (text: string | null): number | null => (text === null ? null : Number(text));

const toRates = ({ perMtok, perRequest }: RateTexts) => ({
  per_mtok: Object.fromEntries(usageBuckets.map((bucket) => [bucketNames[bucket], toNumber(perMtok[bucket])])),
  per_request: toNumber(perRequest),
});

const toTieredRates = ({ rates, tiers }: TieredTexts) => ({
  rates: toRates(rates),
  tiers: tiers.map((tier) => ({ above_input_tokens: tier.aboveInputTokens, rates: toRates(tier.rates) })),
});

const toWhen = (when: When): Partial<Record<TermName, string[]>> =>
  Object.fromEntries([...when].map(([name, values]) => [name, [...values]]));

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
