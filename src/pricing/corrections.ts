import { type Snapshot, snapshotOf } from './catalogue.ts';
import type { CataloguePrices, Correction } from './catalogue-data.ts';

/**
 * Reviewed corrections of the catalogue package: entries that it has wrong or stale, each with the page that it rests on:
 * the provider's own where a copy of it was read, otherwise one that quotes it.
 * They are stored with every price book, so changing them changes no past number (D5.5, D5.7). Drop one when the package is right.
 */
export const corrections: readonly Correction[] = [
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
    provider: 'mistral',
    source: 'https://github.com/simonw/llm-prices/pull/63',
    checkedOn: '2026-11-21',
    reason:
      'The alias moved from Mistral Large 2.1 to Mistral Large 3 on its release; the catalogue has the old prices.',
    model: {
      id: 'mistral-large-latest',
      match: { equals: 'mistral-large-latest' },
      prices: [
        { prices: { input_mtok: 2, output_mtok: 6 } },
        {
          constraint: { start_date: '2025-12-02' },
          prices: { input_mtok: 0.5, cache_read_mtok: 0.05, output_mtok: 1.5 },
        },
      ],
    },
  },
  deepseekAlias('deepseek-chat', { input_mtok: 0.27, cache_read_mtok: 0.07, output_mtok: 1.1 }),
  deepseekAlias('deepseek-reasoner', { input_mtok: 0.55, cache_read_mtok: 0.14, output_mtok: 2.19 }),
  deepseekV4('deepseek-v4-flash', {
    atFirst: { input_mtok: 0.14, cache_read_mtok: 0.0028, output_mtok: 0.28 },
    offPeak: { input_mtok: 0.22, cache_read_mtok: 0.007, output_mtok: 0.66 },
    peak: { input_mtok: 0.44, cache_read_mtok: 0.014, output_mtok: 1.32 },
  }),
  deepseekV4('deepseek-v4-pro', {
    atFirst: { input_mtok: 0.435, cache_read_mtok: 0.003625, output_mtok: 0.87 },
    offPeak: { input_mtok: 0.66, cache_read_mtok: 0.022, output_mtok: 1.98 },
    peak: { input_mtok: 1.32, cache_read_mtok: 0.044, output_mtok: 3.96 },
  }),
];

/** The corrections of this version of Farthing, to be stored with every price book that is made now. */
export function currentCorrections(): Snapshot {
  installedCorrections ??= snapshotOf(corrections);
  return installedCorrections;
}

let installedCorrections: Snapshot | undefined;

/** DeepSeek's two old names: V3 and R1 with hours of the day, from V3.1 on one price for both, from V4 on those of V4 Flash. */
function deepseekAlias(id: string, standard: CataloguePrices): Correction {
  // The catalogue's own discount for the hours from 16:30 to 00:30.
  const discounted: CataloguePrices = { input_mtok: 0.135, cache_read_mtok: 0.035, output_mtok: 0.55 };
  return {
    provider: 'deepseek',
    source: 'https://api-docs.deepseek.com/quick_start/pricing',
    checkedOn: '2026-11-21',
    reason: 'The catalogue stopped at the prices of July 2025.',
    model: {
      id,
      match: { equals: id },
      prices: [
        { prices: discounted },
        { constraint: { start_time: '00:30:00Z', end_time: '16:30:00Z' }, prices: standard },
        {
          constraint: { start_date: '2025-09-05T16:00:00Z' },
          prices: { input_mtok: 0.56, cache_read_mtok: 0.07, output_mtok: 1.68 },
        },
        // https://github.com/BerriAI/litellm/pull/18884
        {
          constraint: { start_date: '2025-09-29' },
          prices: { input_mtok: 0.28, cache_read_mtok: 0.028, output_mtok: 0.42 },
        },
        // https://github.com/BerriAI/litellm/pull/29345
        {
          constraint: { start_date: '2026-04-24' },
          prices: { input_mtok: 0.14, cache_read_mtok: 0.028, output_mtok: 0.28 },
        },
        {
          constraint: { start_date: '2026-04-26' },
          prices: { input_mtok: 0.14, cache_read_mtok: 0.0028, output_mtok: 0.28 },
        },
      ],
    },
  };
}

/**
 * Since 17 August 2026 V4 is dearer at 01:00–04:00 and 06:00–10:00 UTC, since the 23rd not at weekends. The rates and dates are the
 * catalogue's own, whose comment says what its format can't hold. Chinese holidays, which are off-peak too, are not known here.
 */
function deepseekV4(
  id: string,
  { atFirst, offPeak, peak }: { atFirst: CataloguePrices; offPeak: CataloguePrices; peak: CataloguePrices },
): Correction {
  return {
    provider: 'deepseek',
    source: 'https://github.com/pydantic/genai-prices/issues/582',
    checkedOn: '2026-11-21',
    reason:
      'The catalogue applies peak hours before they began and at weekends: its format joins no date with hours or weekdays.',
    model: {
      id,
      match: { starts_with: id },
      prices: [
        { prices: atFirst },
        { constraint: { start_date: '2026-08-17' }, prices: offPeak },
        { constraint: { start_date: '2026-08-17', start_time: '01:00:00Z', end_time: '04:00:00Z' }, prices: peak },
        { constraint: { start_date: '2026-08-17', start_time: '06:00:00Z', end_time: '10:00:00Z' }, prices: peak },
        { constraint: { start_date: '2026-08-23', weekdays: [0, 6] }, prices: offPeak },
      ],
    },
  };
}
