import type { CatalogueModel, CataloguePrices, Correction } from '../catalogue-data.ts';
import { cachePrices, surcharged } from './cache-prices.ts';
import { litellmPrices } from './sources.ts';

export const googleCorrections: readonly Correction[] = [
  {
    provider: 'google',
    source: 'https://ai.google.dev/gemini-api/docs/pricing',
    checkedOn: '2026-11-27',
    reason: 'The catalogue has the price of the model that the name means now also for the models before it.',
    model: {
      id: 'gemini-flash-latest',
      match: { equals: 'gemini-flash-latest' },
      prices: [
        { prices: { input_mtok: 0.5, cache_read_mtok: 0.05, output_mtok: 3 } },
        { constraint: { start_date: '2026-05-19' }, prices: flash(9) },
        { constraint: { start_date: '2026-07-21' }, prices: flash(7.5) },
        {
          constraint: { start_date: '2026-08-13' },
          prices: { input_mtok: 0.75, cache_read_mtok: 0.075, output_mtok: 3.75 },
        },
        { constraint: { start_date: '2027-01-01' }, prices: flash(7.5) },
      ],
    },
  },
  {
    provider: 'google',
    source: 'https://ai.google.dev/gemini-api/docs/pricing',
    checkedOn: '2026-11-27',
    reason: 'The catalogue has the price of the model that the name means now also for the model before it.',
    model: {
      id: 'gemini-flash-lite-latest',
      match: { equals: 'gemini-flash-lite-latest' },
      prices: [
        { prices: { input_mtok: 0.25, cache_read_mtok: 0.025, output_mtok: 1.5 } },
        {
          constraint: { start_date: '2026-07-21' },
          prices: { input_mtok: 0.3, cache_read_mtok: 0.03, output_mtok: 2.5 },
        },
      ],
    },
  },
  {
    provider: 'google',
    source: 'https://web.archive.org/web/20260813181124/https://ai.google.dev/gemini-api/docs/pricing',
    checkedOn: '2026-11-27',
    reason: 'The catalogue has the halved price also for the weeks before it: the models.dev list has the first one.',
    model: {
      id: 'gemini-3.6-flash',
      match: { regex: '^gemini-3\\.6-flash(?!-lite|.*-(?:image|live|tts))' },
      prices: [
        { prices: { input_mtok: 1.5, cache_read_mtok: 0.15, output_mtok: 7.5 } },
        {
          constraint: { start_date: '2026-08-13' },
          prices: { input_mtok: 0.75, cache_read_mtok: 0.075, output_mtok: 3.75 },
        },
        {
          constraint: { start_date: '2027-01-01' },
          prices: { input_mtok: 1.5, cache_read_mtok: 0.15, output_mtok: 7.5 },
        },
      ],
    },
  },
  {
    provider: 'google',
    source: 'https://docs.laozhang.ai/en/announcements/gemini-4-carbon-2026-11',
    checkedOn: '2026-11-27',
    reason: 'The catalogue lacks the model, which has the price of Gemini 4 Argon and changes it on the same day.',
    model: {
      id: 'gemini-4-carbon',
      match: { regex: '^gemini-4-carbon(?:-preview.*|-\\d.*)?$' },
      prices: [
        { prices: { input_mtok: 2, cache_read_mtok: 0.1, output_mtok: 10 } },
        {
          constraint: { start_date: '2026-12-01' },
          prices: { input_mtok: 4, cache_read_mtok: 0.2, output_mtok: 20 },
        },
      ],
    },
  },
  gemini4('neon', { input_mtok: 3, cache_read_mtok: 0.15, output_mtok: 15 }),
  gemini4('hydrogen', { input_mtok: 1.5, cache_read_mtok: 0.075, output_mtok: 7.5 }),
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
  {
    ...claude('claude-opus-4-6', '^claude-opus-4[-.]6', [
      { prices: surcharged({ input: 5, output: 25 }, { above: 200_000, input: 10, output: 37.5 }) },
      { constraint: { start_date: '2026-03-13' }, prices: cachePrices({ input: 5, output: 25 }) },
    ]),
    reason:
      'The catalogue lacks the price of cache writes for an hour and still surcharges prompts above 200,000 tokens, as nobody does since 13 March 2026.',
  },
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

/** The price of 3.5 Flash and later. */
function flash(output: number): CataloguePrices {
  return { input_mtok: 1.5, cache_read_mtok: 0.15, output_mtok: output };
}

function gemini4(name: string, prices: CataloguePrices): Correction {
  return {
    provider: 'google',
    source: 'https://github.com/iyulab/TokenMeter/releases/tag/v0.17.0',
    checkedOn: '2026-11-27',
    reason:
      'The catalogue lacks the model. The release quotes the provider’s page, which lists no change of the price.',
    model: { id: `gemini-4-${name}`, match: { regex: `^gemini-4-${name}(?:-preview.*|-\\d.*)?$` }, prices },
  };
}
