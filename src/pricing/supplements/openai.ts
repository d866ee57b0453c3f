import { litellmPrices } from '../corrections/sources.ts';
import type { Supplement } from '../supplement-data.ts';
import { openaiUnits } from './openai-units.ts';

const priceList = 'https://developers.openai.com/api/docs/pricing';
/** From 30 July 2026, priority processing is also called fast mode. Requests and answers may have either name. */
const fastModeList = 'https://openai.com/api-fast-mode/';

/** US dollars per million tokens. If the page lists no price for cached input, the tier gives no discount for it. */
type Rates = readonly [input: number, cached: number | null, output: number];

/**
 * Models whose batch and flex prices are half of every token price, including those of cached tokens and long prompts.
 */
const halved = {
  batch:
    'gpt-5(?:-mini|-nano|-pro)?|gpt-5[.-]1|gpt-5[.-]2(?:-pro)?|gpt-5[.-]4-(?:mini|nano|pro)|gpt-5[.-]5(?:-pro)?|gpt-5[.-]6(?:-sol|-terra|-luna)?|gpt-6(?:[.-][12])?-(?:astra|sol|terra|luna)',
  flex: 'gpt-5(?:-mini|-nano)?|gpt-5[.-][12]|gpt-5[.-]4-(?:mini|nano|pro)|gpt-5[.-]5(?:-pro)?|gpt-5[.-]6(?:-sol|-terra|-luna)?|gpt-6(?:[.-]1)?-(?:astra|sol|terra|luna)',
};

/** The page's batch prices of models whose cached tokens have no discount in a batch. */
const batch: Readonly<Record<string, Rates>> = {
  'gpt-4[.-]1': [1, null, 4],
  'gpt-4[.-]1-mini': [0.2, null, 0.8],
  'gpt-4[.-]1-nano': [0.05, null, 0.2],
  'gpt-4o(?!-2024-05-13)': [1.25, null, 5],
  'gpt-4o-2024-05-13': [2.5, null, 7.5],
  'gpt-4o-mini': [0.075, null, 0.3],
  'o1-pro': [75, null, 300],
  o1: [7.5, null, 30],
  'o1-mini': [0.55, null, 2.2],
  'o3-pro': [10, null, 40],
  'o3-mini': [0.55, null, 2.2],
  'o4-mini': [0.55, null, 2.2],
  'o3-deep-research': [5, null, 20],
  'o4-mini-deep-research': [1, null, 4],
  'computer-use-preview': [1.5, null, 6],
  'gpt-4-turbo|gpt-4-turbo-preview|gpt-4-(?:0125|1106)-preview|gpt-4-1106-vision-preview': [5, null, 15],
  'gpt-4|gpt-4-0613|gpt-4-0314': [15, null, 30],
  'gpt-4-32k(?:-0314|-0613)?': [30, null, 60],
  'gpt-3.5-turbo(?:-0125)?': [0.25, null, 0.75],
  'gpt-3.5-turbo-1106': [1, null, 2],
  'gpt-3.5-turbo-0613|gpt-3.5-0301': [1.5, null, 2],
  'gpt-3.5-turbo-16k(?:-0613)?': [1.5, null, 2],
  'davinci-002': [1, null, 1],
  'babbage-002': [0.2, null, 0.2],
};

/** The models with absolute prices here don't serve prompts above 272,000 tokens at priority. */
const priority: Readonly<Record<string, Rates>> = {
  'gpt-5[.-]5': [12.5, 1.25, 75],
  'gpt-5[.-]4': [5, 0.5, 30],
  'gpt-5[.-]4-mini': [1.5, 0.15, 9],
  'gpt-5[.-]2': [3.5, 0.35, 28],
  'gpt-5[.-]1(?:-codex)?': [2.5, 0.25, 20],
  'gpt-5(?:-codex)?': [2.5, 0.25, 20],
  'gpt-5-mini': [0.45, 0.045, 3.6],
  'gpt-4[.-]1': [3.5, 0.875, 14],
  'gpt-4[.-]1-mini': [0.7, 0.175, 2.8],
  'gpt-4[.-]1-nano': [0.2, 0.05, 0.8],
  'gpt-4o(?!-2024-05-13)': [4.25, 2.125, 17],
  'gpt-4o-2024-05-13': [8.75, null, 26.25],
  'gpt-4o-mini': [0.25, 0.125, 1],
  o3: [3.5, 0.875, 14],
  'o4-mini': [2, 0.5, 8],
};

/** Priority prices by LiteLLM, which the provider's page doesn't list any more. */
const quotedPriority: Readonly<Record<string, Rates>> = {
  'gpt-5[.-][23]-codex': [3.5, 0.35, 28],
  'gpt-5[.-]1-codex-mini': [0.45, 0.045, 3.6],
};

/** Without the scale tier, which is bought ahead at unpublished prices. */
export const openaiSupplements: readonly Supplement[] = [
  openai({ when: { service_tier: ['default', 'auto', 'standard'] }, tokens: { factor: '1' } }),

  openai({ match: dated(halved.batch), when: { service_tier: ['batch'] }, tokens: { factor: '0.5' } }),
  openai({ match: dated(halved.flex), when: { service_tier: ['flex'] }, tokens: { factor: '0.5' } }),
  openai({
    note: 'Half, but for cached input: the page rounds its half up to 0.13.',
    match: dated('gpt-5[.-]4'),
    when: { service_tier: ['batch', 'flex'] },
    tokens: {
      prices: {
        input_mtok: { base: 1.25, tiers: [{ start: 272_000, price: 2.5 }] },
        cache_read_mtok: { base: 0.13, tiers: [{ start: 272_000, price: 0.25 }] },
        output_mtok: { base: 7.5, tiers: [{ start: 272_000, price: 11.25 }] },
      },
    },
  }),
  ...tier(['batch'], batch),
  openai({ match: dated('o3'), from: '2025-06-10', ...prices(['batch'], [1, null, 4]) }),
  openai({ match: dated('o3'), from: '2025-06-10', ...prices(['flex'], [1, 0.25, 4]) }),
  openai({
    note: 'Half of the price before it fell.',
    match: dated('o3'),
    until: '2025-06-10',
    when: { service_tier: ['batch', 'flex'] },
    tokens: { factor: '0.5' },
  }),
  openai({
    note: 'The page has 0.138 for cached input, LiteLLM its exact half, 0.1375.',
    match: dated('o4-mini'),
    ...prices(['flex'], [0.55, 0.138, 2.2]),
  }),
  openai({
    source: 'https://developers.openai.com/api/docs/guides/batch',
    match: { starts_with: 'text-embedding-' },
    when: { service_tier: ['batch'] },
    tokens: { factor: '0.5' },
  }),
  openai({
    note: 'The page rounds the half of cached text up for GPT Image 1 and 1.5 (0.63), but not for 2 (0.625).',
    match: { or: [{ starts_with: 'gpt-image-' }, { equals: 'chatgpt-image-latest' }] },
    when: { service_tier: ['batch'] },
    tokens: { factor: '0.5' },
  }),
  openai({
    source: litellmPrices,
    note: 'Half for input and output; nothing quotes cached input.',
    match: { regex: '^ft:(?:gpt-3\\.5-turbo|gpt-4o|gpt-4\\.1|o4-mini)' },
    when: { service_tier: ['batch'] },
    tokens: { factor: '0.5' },
  }),

  ...tier(['priority', 'fast'], priority, {
    source: fastModeList,
    note: 'LiteLLM quotes 10, 1 and 60 for GPT-5.5; the provider’s page is followed.',
  }),
  ...tier(['priority', 'fast'], quotedPriority, { source: litellmPrices }),
  openai({
    source: fastModeList,
    note: 'Twice every token price, through all price cuts, also for long prompts.',
    match: dated('gpt-5[.-]6(?:-sol|-terra|-luna)?'),
    when: { service_tier: ['priority', 'fast'] },
    tokens: { factor: '2' },
  }),
  openai({
    source: 'https://github.com/amine123max/Codex-Manager/releases/tag/0.4.7',
    note: 'The release quotes twice for GPT-6.1 Sol, LiteLLM for GPT-6 Astra, Vercel’s gateway for GPT-6 Luna.',
    match: dated('gpt-6(?:[.-][12])?-(?:astra|sol|terra|luna)'),
    when: { service_tier: ['priority', 'fast'] },
    tokens: { factor: '2' },
  }),
  openai({
    source: 'https://vercel.com/changelog/openai-ultrafast-mode-now-available-on-ai-gateway',
    note: 'Six times every token price: 60 and 300 for input and output, which LiteLLM quotes too.',
    match: dated('gpt-6-astra|gpt-6[.-]1-sol'),
    when: { service_tier: ['ultrafast'] },
    tokens: { factor: '6' },
  }),
  openai({
    source: 'https://developers.openai.com/api/docs/models/gpt-6.2-sol',
    note: 'Three times every token price through February 2027, six times after it.',
    match: dated('gpt-6[.-]2-sol'),
    until: '2027-03-01',
    when: { service_tier: ['ultrafast'] },
    tokens: { factor: '3' },
  }),
  openai({
    source: 'https://developers.openai.com/api/docs/models/gpt-6.2-sol',
    match: dated('gpt-6[.-]2-sol'),
    from: '2027-03-01',
    when: { service_tier: ['ultrafast'] },
    tokens: { factor: '6' },
  }),

  openai({ when: { geo: ['global'] }, tokens: { factor: '1' } }),
  openai({
    note: 'Regional processing costs 10 % more for models released from 5 March 2026 on.',
    match: { regex: '^gpt-(?:5[.-][4-9]|6)' },
    when: { geo: ['us', 'eu'] },
    tokens: { factor: '1.1' },
  }),
  openai({
    note: 'Regional processing costs nothing more for models released before 5 March 2026.',
    match: { regex: '^(?:ft:)?(?:gpt-[34]|gpt-5(?![.-][4-9])|o[134](?:-|$)|text-embedding-)' },
    when: { geo: ['us', 'eu'] },
    tokens: { factor: '1' },
  }),
  ...openaiUnits,
];

function openai(
  supplement: Omit<Supplement, 'kind' | 'providers' | 'source' | 'checkedOn'> & { source?: string },
): Supplement {
  return { kind: 'supplement', providers: ['openai'], source: priceList, checkedOn: '2026-11-24', ...supplement };
}

/** The prices of a service tier, by a pattern of the model's name without its date. */
function tier(
  names: [string, ...string[]],
  models: Readonly<Record<string, Rates>>,
  about: { source?: string; note?: string } = {},
): Supplement[] {
  return Object.entries(models).map(([name, rates]) =>
    openai({ ...about, match: dated(name), ...prices(names, rates) }),
  );
}

function prices(names: [string, ...string[]], [input, cached, output]: Rates): Pick<Supplement, 'when' | 'tokens'> {
  return {
    when: { service_tier: names },
    tokens: { prices: { input_mtok: input, cache_read_mtok: cached ?? input, output_mtok: output } },
  };
}

/** The model's name, with or without a date at its end. */
function dated(name: string): { regex: string } {
  return { regex: `^(?:${name})(?:-\\d{4}-\\d{2}-\\d{2})?$` };
}
