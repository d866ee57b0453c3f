import type { CatalogueModel, CataloguePrices, Correction } from '../catalogue-data.ts';

type Schedule = Extract<CatalogueModel['prices'], readonly unknown[]>;

/** DeepSeek's discount from 16:30 to 00:30 UTC, from 26 February to 5 September 2025. */
const nightly: Schedule[number] = {
  constraint: { start_date: '2025-02-26T16:30:00Z', start_time: '16:30:00Z', end_time: '00:30:00Z' },
  prices: { input_mtok: 0.135, cache_read_mtok: 0.035, output_mtok: 0.55 },
};

export const deepseekCorrections: readonly Correction[] = [
  alias('deepseek-chat', [
    { prices: { input_mtok: 0.14, cache_read_mtok: 0.014, output_mtok: 0.28 } },
    // https://github.com/simonw/llm-prices/blob/main/data/deepseek.json
    {
      constraint: { start_date: '2025-02-08T16:00:00Z' },
      prices: { input_mtok: 0.27, cache_read_mtok: 0.07, output_mtok: 1.1 },
    },
    nightly,
  ]),
  alias('deepseek-reasoner', [{ prices: { input_mtok: 0.55, cache_read_mtok: 0.14, output_mtok: 2.19 } }, nightly]),
  v4('deepseek-v4-flash', {
    atFirst: { input_mtok: 0.14, cache_read_mtok: 0.0028, output_mtok: 0.28 },
    offPeak: { input_mtok: 0.22, cache_read_mtok: 0.007, output_mtok: 0.66 },
    peak: { input_mtok: 0.44, cache_read_mtok: 0.014, output_mtok: 1.32 },
  }),
  v4('deepseek-v4-pro', {
    atFirst: { input_mtok: 0.435, cache_read_mtok: 0.003625, output_mtok: 0.87 },
    offPeak: { input_mtok: 0.66, cache_read_mtok: 0.022, output_mtok: 1.98 },
    peak: { input_mtok: 1.32, cache_read_mtok: 0.044, output_mtok: 3.96 },
  }),
];

/**
 * DeepSeek's two old names: first V3 and R1 at separate prices, from V3.1 on at one, from V4 on at that of V4 Flash.
 */
function alias(id: string, atFirst: Schedule): Correction {
  return {
    provider: 'deepseek',
    source: 'https://api-docs.deepseek.com/quick_start/pricing',
    checkedOn: '2026-11-21',
    reason: 'The catalogue stopped at the prices of July 2025 and knows none before them.',
    model: {
      id,
      match: { equals: id },
      prices: [
        ...atFirst,
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
 * From 17 August 2026, V4 costs more at 01:00–04:00 and 06:00–10:00 UTC; from the 23rd, not at weekends. Rates and
 * dates are from a comment in the catalogue, whose format can't express them. Chinese public holidays are off-peak too,
 * but count as ordinary days here.
 */
function v4(
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
