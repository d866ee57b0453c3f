import type { Supplement } from '../supplement-data.ts';

const batchGuide = 'https://console.groq.com/docs/batch';
const noStacking =
  'The discounts of batches and of cached tokens don’t add up: all tokens of a batch cost half of the input.';

/**
 * Some prices are left out. The performance tier's are not published. Compound's searches cost 5 or 8 for 1,000, and
 * calls don't tell which. Running code costs 0.18 an hour, and calls don't report hours.
 */
export const groqSupplements: readonly Supplement[] = [
  groq({
    source: 'https://console.groq.com/docs/flex-processing',
    when: { service_tier: ['on_demand', 'auto', 'default', 'flex'] },
    tokens: { factor: '1' },
  }),
  groq({
    source: batchGuide,
    match: { regex: '^(?!openai/gpt-oss-(?:20b|120b)|moonshotai/)' },
    when: { service_tier: ['batch'] },
    tokens: { factor: '0.5' },
  }),
  batch('openai/gpt-oss-120b', 0.075, 0.3),
  batch('openai/gpt-oss-20b', 0.0375, 0.15),
  batch('moonshotai/kimi-k2-instruct', 0.5, 1.5),
  batch('moonshotai/kimi-k2-instruct-0905', 0.5, 1.5),

  groq({
    note: 'Browser search, which is basic search; visiting a page is counted apart.',
    match: { contains: 'gpt-oss' },
    units: { web_searches: { usd: 5, per: 1_000 } },
  }),
  groq({ units: { web_fetches: { usd: 1, per: 1_000 } } }),
  groq({ match: { equals: 'whisper-large-v3' }, units: { audio_seconds: { usd: 0.111, per: 3_600 } } }),
  groq({ match: { equals: 'whisper-large-v3-turbo' }, units: { audio_seconds: { usd: 0.04, per: 3_600 } } }),
  groq({ match: { equals: 'distil-whisper-large-v3-en' }, units: { audio_seconds: { usd: 0.02, per: 3_600 } } }),
  groq({ match: { contains: 'orpheus-v1-english' }, units: { characters: { usd: 22, per: 1_000_000 } } }),
  groq({ match: { contains: 'orpheus-arabic-saudi' }, units: { characters: { usd: 40, per: 1_000_000 } } }),
  groq({ match: { starts_with: 'playai-tts' }, units: { characters: { usd: 50, per: 1_000_000 } } }),
];

function groq(
  supplement: Omit<Supplement, 'kind' | 'providers' | 'source' | 'checkedOn'> & { source?: string },
): Supplement {
  return {
    kind: 'supplement',
    providers: ['groq'],
    source: 'https://groq.com/pricing',
    checkedOn: '2026-11-24',
    ...supplement,
  };
}

function batch(model: string, input: number, output: number): Supplement {
  return groq({
    source: batchGuide,
    note: noStacking,
    match: { equals: model },
    when: { service_tier: ['batch'] },
    tokens: { prices: { input_mtok: input, cache_read_mtok: input, output_mtok: output } },
  });
}
