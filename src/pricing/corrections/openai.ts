import type { CatalogueModel, CataloguePrices, Correction } from '../catalogue-data.ts';
import { litellmPrices } from './sources.ts';

/** Fine-tuned models have their own prices; `ft:` rates apply to models tuned from the named one. */
export const openaiCorrections: readonly Correction[] = [
  gpt6('gpt-6-astra', { input: 10, cached: 1, output: 50 }),
  gpt6('gpt-6-sol', { input: 2, cached: 0.2, output: 10 }),
  gpt6('gpt-6-luna', { input: 0.1, cached: 0.01, output: 0.5 }),
  gpt6('gpt-6.1-sol', { input: 2, cached: 0.1, output: 10 }),
  gpt6('gpt-6.1-terra', { input: 1, cached: 0.05, output: 5 }),
  {
    ...gpt6('gpt-6.2-sol', { input: 2, cached: 0.1, output: 10 }),
    source: 'https://developers.openai.com/api/docs/models/gpt-6.2-sol',
    reason: 'The catalogue lacks the model.',
  },
  {
    ...gpt6('gpt-6.2-astra', { input: 8, cached: 0.4, output: 40 }),
    source: 'https://github.com/iyulab/TokenMeter/releases/tag/v0.17.0',
    reason:
      'The catalogue lacks the model. The release quotes the provider’s page; its 12-hour writes are those of the family.',
  },
  ...['sunburst', 'flare'].map(
    (name): Correction => ({
      provider: 'openai',
      source: `https://developers.openai.com/api/docs/models/gpt-image-2.6-${name}`,
      checkedOn: '2026-11-27',
      reason: 'The catalogue lacks the model.',
      model: {
        id: `gpt-image-2.6-${name}`,
        match: { regex: `^gpt-image-2\\.6-${name}(?:-\\d{4}-\\d{2}-\\d{2})?$` },
        prices: {
          input_mtok: 5,
          cache_read_mtok: 1.25,
          input_image_mtok: 8,
          cache_image_read_mtok: 2,
          output_mtok: 30,
        },
      },
    }),
  ),
  {
    provider: 'openai',
    source: 'https://github.com/kharvd/gpt-cli/pull/108',
    checkedOn: '2026-11-21',
    reason: 'The catalogue prices audio tokens as text.',
    model: {
      id: 'gpt-4o-audio-preview-2024-10-01',
      match: { equals: 'gpt-4o-audio-preview-2024-10-01' },
      prices: { input_mtok: 2.5, output_mtok: 10, input_audio_mtok: 100, output_audio_mtok: 200 },
    },
  },
  {
    provider: 'openai',
    source: 'https://developers.openai.com/api/docs/models/gpt-4o-audio-preview',
    checkedOn: '2026-11-21',
    reason: 'The catalogue prices audio tokens as text.',
    model: {
      id: 'gpt-4o-audio-preview',
      match: { starts_with: 'gpt-4o-audio-preview' },
      prices: { input_mtok: 2.5, output_mtok: 10, input_audio_mtok: 40, output_audio_mtok: 80 },
    },
  },
  {
    provider: 'openai',
    source: 'https://developers.openai.com/api/docs/models/gpt-4o-mini-audio-preview',
    checkedOn: '2026-11-21',
    reason: 'The catalogue prices audio tokens as text.',
    model: {
      id: 'gpt-4o-mini-audio-preview',
      match: { starts_with: 'gpt-4o-mini-audio' },
      prices: { input_mtok: 0.15, output_mtok: 0.6, input_audio_mtok: 10, output_audio_mtok: 20 },
    },
  },
  {
    provider: 'openai',
    source: litellmPrices,
    checkedOn: '2026-11-21',
    reason:
      'The catalogue prices the audio of the first snapshot as that of later ones, which is less than half as dear.',
    model: {
      id: 'gpt-4o-realtime-preview-2024-10-01',
      match: { equals: 'gpt-4o-realtime-preview-2024-10-01' },
      prices: {
        input_mtok: 5,
        cache_read_mtok: 2.5,
        output_mtok: 20,
        input_audio_mtok: 100,
        cache_audio_read_mtok: 20,
        output_audio_mtok: 200,
      },
    },
  },
  {
    provider: 'openai',
    source: 'https://github.com/going-doer/Paper2Code/blob/main/codes/utils.py',
    checkedOn: '2026-11-21',
    reason: 'The catalogue has the cached price of today also for the time before the price fell.',
    model: {
      id: 'o3',
      match: { or: [{ equals: 'o3' }, { equals: 'o3-2025-04-16' }] },
      prices: [
        { prices: { input_mtok: 10, cache_read_mtok: 2.5, output_mtok: 40 } },
        {
          constraint: { start_date: '2025-06-10' },
          prices: { input_mtok: 2, cache_read_mtok: 0.5, output_mtok: 8 },
        },
      ],
    },
  },
  {
    provider: 'openai',
    source: 'https://github.com/langfuse/langfuse/pull/5335',
    checkedOn: '2026-11-21',
    reason: 'The catalogue does not know that the model was dearer before o3-mini came.',
    model: {
      id: 'o1-mini',
      match: { or: [{ equals: 'o1-mini' }, { equals: 'o1-mini-2024-09-12' }] },
      prices: [
        { prices: { input_mtok: 3, cache_read_mtok: 1.5, output_mtok: 12 } },
        {
          constraint: { start_date: '2025-01-31' },
          prices: { input_mtok: 1.1, cache_read_mtok: 0.55, output_mtok: 4.4 },
        },
      ],
    },
  },
  fineTuned('gpt-4o', 'ft:gpt-4o-2024-', { input_mtok: 3.75, cache_read_mtok: 1.875, output_mtok: 15 }),
  fineTuned('gpt-4o-mini', 'ft:gpt-4o-mini-2024-', { input_mtok: 0.3, cache_read_mtok: 0.15, output_mtok: 1.2 }),
  fineTuned('gpt-4.1', 'ft:gpt-4.1-2025-', { input_mtok: 3, cache_read_mtok: 0.75, output_mtok: 12 }),
  fineTuned('gpt-4.1-mini', 'ft:gpt-4.1-mini-2025-', { input_mtok: 0.8, cache_read_mtok: 0.2, output_mtok: 3.2 }),
  fineTuned('gpt-4.1-nano', 'ft:gpt-4.1-nano-2025-', { input_mtok: 0.2, cache_read_mtok: 0.05, output_mtok: 0.8 }),
  fineTuned('o4-mini', 'ft:o4-mini-2025-', { input_mtok: 4, cache_read_mtok: 1, output_mtok: 16 }),
  fineTuned('davinci-002', 'ft:davinci-002', { input_mtok: 12, output_mtok: 12 }),
  fineTuned('babbage-002', 'ft:babbage-002', { input_mtok: 1.6, output_mtok: 1.6 }),
  unlisted(
    'gpt-5-search-api',
    { regex: '^gpt-5-search-api-\\d{4}-\\d{2}-\\d{2}$' },
    { input_mtok: 1.25, cache_read_mtok: 0.125, output_mtok: 10 },
  ),
  // Snapshots and Azure's dated names that the catalogue lacks, at the prices of the undated models.
  unlisted(
    'gpt-4o-mini-transcribe',
    { regex: '^gpt-4o-mini-transcribe-\\d{4}-\\d{2}-\\d{2}$' },
    { input_mtok: 1.25, output_mtok: 5, input_audio_mtok: 3 },
  ),
  unlisted(
    'gpt-4o-mini-tts',
    { regex: '^gpt-4o-mini-tts-\\d{4}-\\d{2}-\\d{2}$' },
    { input_mtok: 0.6, output_mtok: 12 },
  ),
  unlisted(
    'gpt-5.1',
    { or: [{ equals: 'gpt-5.1-chat-2025-11-13' }, { equals: 'gpt-5.1-codex-2025-11-13' }] },
    { input_mtok: 1.25, cache_read_mtok: 0.125, output_mtok: 10 },
  ),
  unlisted(
    'gpt-5.1-codex-mini',
    { equals: 'gpt-5.1-codex-mini-2025-11-13' },
    { input_mtok: 0.25, cache_read_mtok: 0.025, output_mtok: 2 },
  ),
  unlisted(
    'gpt-5.2',
    { equals: 'gpt-5.2-chat-2025-12-11' },
    { input_mtok: 1.75, cache_read_mtok: 0.175, output_mtok: 14 },
  ),
];

/**
 * GPT-6: cache writes cost 1.25 times the input, those for 12 hours 2.5 times. Above 272,000 tokens of the prompt, input
 * and caching double, and output costs half as much again.
 */
function gpt6(id: string, { input, cached, output }: { input: number; cached: number; output: number }): Correction {
  const tier = (base: number, factor: number) => ({
    base,
    tiers: [{ start: 272_000, price: Number((base * factor).toPrecision(12)) }],
  });
  return {
    provider: 'openai',
    source: 'https://developers.openai.com/api/docs/pricing',
    checkedOn: '2026-11-27',
    reason: 'The catalogue lacks the price of 12-hour cache writes.',
    model: {
      id,
      match: { regex: `^${id.replace('.', '[.-]')}(?:-\\d{4}-\\d{2}-\\d{2})?$` },
      prices: {
        input_mtok: tier(input, 2),
        cache_read_mtok: tier(cached, 2),
        cache_write_mtok: tier(Number((input * 1.25).toPrecision(12)), 2),
        cache_write_1h_mtok: tier(input * 2.5, 2),
        output_mtok: tier(output, 1.5),
      },
    },
  };
}

/** The price of models fine-tuned from `base`. */
function fineTuned(base: string, prefix: string, prices: CataloguePrices): Correction {
  return {
    provider: 'openai',
    source: base === 'o4-mini' ? 'https://modelpedia.dev/openai/o4-mini-2025-04-16' : litellmPrices,
    checkedOn: '2026-11-21',
    reason: 'The catalogue lacks the fine-tuned model, or its price of cached tokens.',
    model: { id: `ft:${base}`, match: { starts_with: prefix }, prices },
  };
}

function unlisted(id: string, match: CatalogueModel['match'], prices: CataloguePrices): Correction {
  return {
    provider: 'openai',
    source: litellmPrices,
    checkedOn: '2026-11-21',
    reason: 'The catalogue does not know the name.',
    model: { id, match, prices },
  };
}
