import type { CatalogueModel, CataloguePrices, Correction } from '../catalogue-data.ts';
import { cachePrices, surcharged } from './cache-prices.ts';
import { litellmPrices } from './sources.ts';

export const googleCorrections: readonly Correction[] = [
  {
    provider: 'google',
    source: 'https://github.com/simonw/llm-prices/blob/main/data/google.json',
    checkedOn: '2026-11-21',
    reason: 'The catalogue takes it for Gemini 1.5 Flash, which costs twice as much.',
    model: {
      id: 'gemini-1.5-flash-8b',
      match: { contains: 'gemini-1.5-flash-8b' },
      prices: {
        input_mtok: { base: 0.0375, tiers: [{ start: 128_000, price: 0.075 }] },
        cache_read_mtok: { base: 0.01, tiers: [{ start: 128_000, price: 0.02 }] },
        output_mtok: { base: 0.15, tiers: [{ start: 128_000, price: 0.3 }] },
      },
    },
  },
  {
    provider: 'google',
    source: 'https://github.com/pydantic/genai-prices/blob/main/prices/providers/google.yml',
    checkedOn: '2026-11-21',
    reason: 'The catalogue has the price of cached tokens only under the name that OpenRouter gave to the model.',
    model: {
      id: 'gemini-1.5-pro',
      match: { contains: 'gemini-1.5-pro' },
      prices: {
        input_mtok: { base: 1.25, tiers: [{ start: 128_000, price: 2.5 }] },
        cache_read_mtok: { base: 0.3125, tiers: [{ start: 128_000, price: 0.625 }] },
        output_mtok: { base: 5, tiers: [{ start: 128_000, price: 10 }] },
      },
    },
  },
  {
    provider: 'google',
    source: litellmPrices,
    checkedOn: '2026-11-21',
    reason: 'The catalogue lacks the model.',
    model: {
      id: 'gemini-2.5-computer-use-preview-10-2025',
      match: { starts_with: 'gemini-2.5-computer-use-preview' },
      prices: {
        input_mtok: { base: 1.25, tiers: [{ start: 200_000, price: 2.5 }] },
        output_mtok: { base: 10, tiers: [{ start: 200_000, price: 15 }] },
      },
    },
  },
  {
    provider: 'google',
    source: 'https://github.com/pydantic/genai-prices/blob/main/prices/providers/google.yml',
    checkedOn: '2026-11-24',
    reason:
      'The catalogue takes these for the text models with which their names begin. No price was found, so their tokens have none.',
    model: {
      id: 'gemini-3-flash-variants',
      match: {
        regex: '^gemini-3\\.(?:[678]-flash-lite|(?:5-flash-lite|[678]-flash).*-(?:tts|live|image|native-audio)(?:$|-))',
      },
      prices: { requests_kcount: 0 },
    },
  },
  cachedDearer(
    'gemini-2.5-flash',
    { or: [{ equals: 'gemini-2.5-flash' }, { equals: 'gemini-2.5-flash-latest' }] },
    {
      before: {
        input_mtok: 0.3,
        cache_read_mtok: 0.075,
        output_mtok: 2.5,
        input_audio_mtok: 1,
        cache_audio_read_mtok: 0.25,
      },
      since: {
        input_mtok: 0.3,
        cache_read_mtok: 0.03,
        output_mtok: 2.5,
        input_audio_mtok: 1,
        cache_audio_read_mtok: 0.1,
      },
    },
  ),
  cachedDearer(
    'gemini-2.5-flash-lite',
    { or: [{ equals: 'gemini-2.5-flash-lite' }, { equals: 'gemini-2.5-flash-lite-preview-06-17' }] },
    {
      before: {
        input_mtok: 0.1,
        cache_read_mtok: 0.025,
        output_mtok: 0.4,
        input_audio_mtok: 0.5,
        cache_audio_read_mtok: 0.125,
      },
      since: {
        input_mtok: 0.1,
        cache_read_mtok: 0.01,
        output_mtok: 0.4,
        input_audio_mtok: 0.3,
        cache_audio_read_mtok: 0.03,
      },
    },
  ),
  cachedDearer(
    'gemini-2.5-pro',
    { regex: '^gemini-2\\.5-pro(?!.*-tts(?:$|-))' },
    {
      before: gemini25Pro([0.31, 0.625]),
      since: gemini25Pro([0.125, 0.25]),
    },
  ),
  claude('claude-3-7-sonnet', '^claude-3-7-sonnet', cachePrices({ input: 3, output: 15 })),
  claude(
    'claude-4-sonnet',
    '^claude-(?:sonnet-4(?:@.*|-0.*|-2025.*)?|4-sonnet.*)$',
    surcharged({ input: 3, output: 15 }, { above: 200_000, input: 6, output: 22.5 }),
  ),
  claude(
    'claude-4-opus',
    '^claude-(?:opus-4(?:@.*|-[01].*|-2025.*)?|4-opus.*)$',
    cachePrices({ input: 15, output: 75 }),
  ),
  claude(
    'claude-sonnet-4-5',
    '^claude-sonnet-4[-.]5',
    surcharged({ input: 3, output: 15 }, { above: 200_000, input: 6, output: 22.5 }),
  ),
  claude('claude-sonnet-4-6', '^claude-sonnet-4[-.]6', cachePrices({ input: 3, output: 15 })),
  {
    ...claude('claude-opus-4-6', '^claude-opus-4[-.]6', [
      { prices: surcharged({ input: 5, output: 25 }, { above: 200_000, input: 10, output: 37.5 }) },
      { constraint: { start_date: '2026-03-13' }, prices: cachePrices({ input: 5, output: 25 }) },
    ]),
    reason:
      'The catalogue lacks the price of cache writes for an hour and still surcharges prompts above 200,000 tokens, as nobody does since 13 March 2026.',
  },
  claude('claude-opus-4-7', '^claude-opus-4[-.]7', cachePrices({ input: 5, output: 25 })),
  claude('claude-opus-4-8', '^claude-opus-4[-.]8', cachePrices({ input: 5, output: 25 })),
  claude('claude-opus-5', '^claude-opus-5(?:@.*)?$', cachePrices({ input: 5, output: 25 })),
  claude('claude-fable-5', '^claude-fable-5(?:@.*)?$', cachePrices({ input: 10, output: 50 })),
];

/** Cached tokens cost a quarter of input at first, and a tenth from a day between mid-July and November 2025. */
function cachedDearer(
  id: string,
  match: CatalogueModel['match'],
  { before, since }: { before: CataloguePrices; since: CataloguePrices },
): Correction {
  return {
    provider: 'google',
    source: 'https://github.com/pydantic/genai-prices/pull/174',
    checkedOn: '2026-11-21',
    reason:
      'The catalogue has the cached price of today also for the time until which the old one is known to have held.',
    model: { id, match, prices: [{ prices: before }, { constraint: { start_date: '2025-07-14' }, prices: since }] },
  };
}

function gemini25Pro([cached, cachedDear]: [cached: number, cachedDear: number]): CataloguePrices {
  return {
    input_mtok: { base: 1.25, tiers: [{ start: 200_000, price: 2.5 }] },
    cache_read_mtok: { base: cached, tiers: [{ start: 200_000, price: cachedDear }] },
    output_mtok: { base: 10, tiers: [{ start: 200_000, price: 15 }] },
  };
}

/** A Claude model on Vertex AI's global endpoint, at Anthropic's prices. */
function claude(id: string, regex: string, prices: CatalogueModel['prices']): Correction {
  return {
    provider: 'google',
    source: litellmPrices,
    checkedOn: '2026-11-21',
    reason: 'The catalogue lacks the price of cache writes for an hour.',
    model: { id, match: { regex }, prices },
  };
}
