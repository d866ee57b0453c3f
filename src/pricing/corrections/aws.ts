import type { CatalogueModel, CataloguePrices, Correction } from '../catalogue-data.ts';
import { cachePrices, surcharged } from './cache-prices.ts';
import { litellmPrices, modelsDev } from './sources.ts';

/** An AWS price list that quotes the Bedrock price page, for the global and the US regions. */
const hourWrites = 'https://github.com/BerriAI/litellm/pull/26800';

export const awsCorrections: readonly Correction[] = [
  ...nova('micro', { apac: [0.037, 0.00925, 0.148], eu: [0.046, 0.0115, 0.184] }),
  ...nova('lite', { apac: [0.063, 0.01575, 0.252], eu: [0.078, 0.0195, 0.312] }),
  ...nova('pro', { apac: [0.84, 0.21, 3.36], eu: [1.05, 0.2625, 4.2] }),
  ...claude('sonnet-4-5', { model: 'claude-sonnet-4-5(?:-20250929.*)?', input: 3, output: 15, dear: [6, 22.5] }),
  ...claude('haiku-4-5', { model: 'claude-haiku-4-5(?:-20251001.*)?', input: 1, output: 5 }),
  {
    provider: 'aws',
    source: litellmPrices,
    checkedOn: '2026-11-21',
    reason: 'The catalogue lacks the price of prompts above 200,000 tokens.',
    model: {
      id: 'anthropic.claude-sonnet-4-20250514-v1:0',
      match: { regex: '^(?:(?:us|eu|apac|au|jp|global)\\.)?(?:anthropic\\.)?claude-sonnet-4-20250514' },
      prices: withoutHourWrites(surcharged({ input: 3, output: 15 }, { above: 200_000, input: 6, output: 22.5 })),
    },
  },
  {
    provider: 'aws',
    source: modelsDev,
    checkedOn: '2026-11-21',
    reason: 'The catalogue lacks the model.',
    model: {
      id: 'deepseek.v3-v1:0',
      match: { regex: '^(?:us\\.)?deepseek\\.v3-v1:0$' },
      prices: { input_mtok: 0.58, output_mtok: 1.68 },
    },
  },
  {
    provider: 'aws',
    source: litellmPrices,
    checkedOn: '2026-11-21',
    reason: 'The catalogue lacks the models.',
    model: {
      id: 'cohere.embed-v3',
      match: { or: [{ equals: 'cohere.embed-english-v3' }, { equals: 'cohere.embed-multilingual-v3' }] },
      prices: { input_mtok: 0.1 },
    },
  },
];

/**
 * A Claude model with its price for one-hour cache writes, which is twice the input price. The global profile has
 * Anthropic's prices; a regional profile costs a tenth more.
 */
function claude(
  name: string,
  entry: { model: string; input: number; output: number; dear?: [input: number, output: number]; source?: string },
): readonly Correction[] {
  const { model, input, output, dear, source = hourWrites } = entry;
  const prices = (factor: number): CataloguePrices => {
    const base = { input: input * factor, output: output * factor };
    return dear === undefined
      ? cachePrices(base)
      : surcharged(base, { above: 200_000, input: dear[0] * factor, output: dear[1] * factor });
  };
  const correction = (id: string, match: CatalogueModel['match'], factor: number): Correction => ({
    provider: 'aws',
    source,
    checkedOn: '2026-11-21',
    reason:
      dear === undefined
        ? 'The catalogue lacks the price of cache writes for an hour.'
        : 'The catalogue lacks the prices of cache writes for an hour and of prompts above 200,000 tokens.',
    model: { id, match, prices: prices(factor) },
  });
  return [
    correction(`global.anthropic.claude-${name}`, { regex: `^global\\.anthropic\\.${model}$` }, 1),
    correction(
      `regional.anthropic.claude-${name}`,
      { regex: `^(?:(?:us|eu|apac|au|jp)\\.)?(?:anthropic\\.)?${model}$` },
      1.1,
    ),
  ];
}

/** Sonnet 4 can't write to the cache for an hour on Bedrock. */
function withoutHourWrites({ cache_write_1h_mtok: _, ...prices }: CataloguePrices): CataloguePrices {
  return prices;
}

/** US dollars per million tokens. */
type NovaRates = readonly [input: number, cached: number, output: number];

/** Nova in the profiles of regions where it costs more than in the US. */
function nova(size: string, rates: Readonly<Record<'apac' | 'eu', NovaRates>>): Correction[] {
  return Object.entries(rates).map(([region, [input, cached, output]]) => ({
    provider: 'aws',
    source: litellmPrices,
    checkedOn: '2026-11-27',
    reason: 'The catalogue has the price of the US for every region.',
    model: {
      id: `${region}.amazon.nova-${size}-v1:0`,
      match: { starts_with: `${region}.amazon.nova-${size}` },
      prices: { input_mtok: input, cache_read_mtok: cached, output_mtok: output },
    },
  }));
}
