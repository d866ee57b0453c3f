import type { CatalogueModel, CataloguePrices, Correction } from '../catalogue-data.ts';

type Schedule = Extract<CatalogueModel['prices'], readonly unknown[]>;

/** DeepSeek's discount from 16:30 to 00:30 UTC, from 26 February to 5 September 2025. */
const nightly: Schedule[number] = {
  constraint: { start_date: '2025-02-26T16:30:00Z', start_time: '16:30:00Z', end_time: '00:30:00Z' },
  prices: { input_mtok: 0.135, cache_read_mtok: 0.035, output_mtok: 0.55 },
};

/** When peak hours began. */
const firstPeaks = '2026-08-16T16:00:00Z';

const peakHours = [
  { start_time: '01:00:00Z', end_time: '04:00:00Z' },
  { start_time: '06:00:00Z', end_time: '10:00:00Z' },
] as const;

/** The first instants of and after China's holidays since then: https://www.gov.cn/zhengce/content/202511/content_7047090.htm */
const chineseHolidays = [
  ['2026-09-24T16:00:00Z', '2026-09-27T16:00:00Z'],
  ['2026-09-30T16:00:00Z', '2026-10-07T16:00:00Z'],
] as const;

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
  v4('deepseek-v4-flash', '^deepseek-(?:v4-flash|v4\\.1-flash|flash)', [
    { prices: { input_mtok: 0.14, cache_read_mtok: 0.0028, output_mtok: 0.28 } },
    ...flashSincePeaks(),
  ]),
  v4('deepseek-v4-pro', '^deepseek-v4-pro', [
    { prices: { input_mtok: 0.435, cache_read_mtok: 0.003625, output_mtok: 0.87 } },
    ...peaks({ input: 0.66, cached: 0.022, output: 1.98 }, { start: firstPeaks, hasWeekends: false }),
    ...peaks({ input: 0.66, cached: 0.022, output: 1.98 }, { start: '2026-08-23', hasWeekends: true }),
    ...holidays({ input: 0.66, cached: 0.022, output: 1.98 }),
  ]),
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
        ...flashSincePeaks(),
      ],
    },
  };
}

function v4(id: string, pattern: string, prices: Schedule): Correction {
  return {
    provider: 'deepseek',
    source: 'https://api-docs.deepseek.com/quick_start/pricing',
    checkedOn: '2026-11-27',
    reason:
      'The catalogue applies peak hours before they began and at weekends: its format joins no date with hours or weekdays.',
    model: { id, match: { regex: pattern }, prices },
  };
}

/** Flash: V4, and from 10 September 2026 V4.1, which also answers to the older names. */
function flashSincePeaks(): Schedule[number][] {
  const v4 = { input: 0.22, cached: 0.007, output: 0.66 };
  const v41 = { input: 0.15, cached: 0.003, output: 0.6 };
  return [
    ...peaks(v4, { start: firstPeaks, hasWeekends: false }),
    ...peaks(v4, { start: '2026-08-23', hasWeekends: true }),
    // https://api-docs.deepseek.com/news/news260910/
    ...peaks(v41, { start: '2026-09-10T04:00:00Z', hasWeekends: true }),
    ...holidays(v41),
  ];
}

/** The off-peak price; the peak price is twice of it. */
type OffPeak = { readonly input: number; readonly cached: number; readonly output: number };

/**
 * From `start`, twice the price at 01:00–04:00 and 06:00–10:00 UTC, which is 9 to 12 and 14 to 18 o'clock in Beijing. In
 * these hours the day of the week is the same there.
 */
function peaks(price: OffPeak, { start, hasWeekends }: { start: string; hasWeekends: boolean }): Schedule[number][] {
  const peak = {
    prices: pricesOf({ input: price.input * 2, cached: price.cached * 2, output: price.output * 2 }),
    constraint: { start_date: start, ...(hasWeekends ? { weekdays: [1, 2, 3, 4, 5] } : {}) },
  };
  return [
    { constraint: { start_date: start }, prices: pricesOf(price) },
    ...peakHours.map((hours) => ({ ...peak, constraint: { ...peak.constraint, ...hours } })),
  ];
}

/** Public holidays in China, which have no peak hours. */
function holidays(price: OffPeak): Schedule[number][] {
  return chineseHolidays.flatMap(([start, end]) => [
    { constraint: { start_date: start }, prices: pricesOf(price) },
    ...peaks(price, { start: end, hasWeekends: true }),
  ]);
}

function pricesOf({ input, cached, output }: OffPeak): CataloguePrices {
  return { input_mtok: input, cache_read_mtok: cached, output_mtok: output };
}
