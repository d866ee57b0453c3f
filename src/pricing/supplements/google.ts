import type { CataloguePrices } from '../catalogue-data.ts';
import { litellmPrices } from '../corrections/sources.ts';
import type { Supplement } from '../supplement-data.ts';

/** The Gemini API (AI Studio) and Vertex AI have the same prices, unless a note says otherwise. */
const geminiPage = 'https://ai.google.dev/gemini-api/docs/pricing';
const claudeOnVertex = 'https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai';
const vertexPage = 'https://cloud.google.com/vertex-ai/generative-ai/pricing';

/** `serviceTier` of the Gemini API, and `trafficType` of Vertex. */
const ordinary = [
  'default',
  'auto',
  'standard',
  'unspecified',
  'on_demand',
  'traffic_type_unspecified',
  'service_tier_standard',
  'service_tier_unspecified',
];
const flex = ['flex', 'on_demand_flex', 'service_tier_flex'];
const priority = ['priority', 'on_demand_priority', 'service_tier_priority'];

/** The day on which Veo 3.1 Fast became cheaper. */
const fastVeoCut = '2026-04-07';

const p720 = ['720p', '1280x720', '720x1280'];
const p1080 = ['1080p', '1920x1080', '1080x1920'];
const p4k = ['4k', '2160p', '3840x2160', '2160x3840'];

/** Vertex's regions, and its groups of them. */
const regions = [
  ...[
    'us',
    'us-central1',
    'us-east1',
    'us-east4',
    'us-east5',
    'us-south1',
    'us-west1',
    'us-west2',
    'us-west3',
    'us-west4',
  ],
  ...['northamerica-northeast1', 'northamerica-northeast2', 'southamerica-east1', 'southamerica-west1'],
  ...['eu', 'europe-central2', 'europe-north1', 'europe-southwest1', 'europe-west1', 'europe-west2', 'europe-west3'],
  ...['europe-west4', 'europe-west6', 'europe-west8', 'europe-west9', 'europe-west12'],
  ...['asia-east1', 'asia-east2', 'asia-northeast1', 'asia-northeast2', 'asia-northeast3', 'asia-south1'],
  ...['asia-southeast1', 'asia-southeast2', 'australia-southeast1', 'australia-southeast2'],
  ...['me-central1', 'me-central2', 'me-west1', 'africa-south1'],
];

const gemini25Pro = '^gemini-2\\.5-pro(?!.*-tts(?:$|-))';
const gemini25Flash = '^gemini-2\\.5-flash(?:-latest|-preview-09-2025)?(?:@.*)?$';
const gemini25FlashLite = '^gemini-2\\.5-flash-lite(?!.*-tts(?:$|-))';
const gemini3Pro = '^gemini-3(?:\\.1)?-pro-(?:text-)?preview';
const gemini3Flash = '^gemini-3-flash-preview';
const newerFlash =
  '^gemini-(?:3\\.(?:1-flash-lite|[5-8]-flash)|4-(?:argon|carbon|neon|hydrogen))(?!.*-(?:image|live|tts)(?:$|-))';

const noAllowance =
  'The free allowance (2.5 and older: a number of prompts a day; 3: 5,000 queries a month) is shared by all calls of an account and is not deducted.';

export const googleSupplements: readonly Supplement[] = [
  google('', { when: { service_tier: ordinary }, tokens: { factor: '1' } }),

  // Batch and flex halve token prices. Cached tokens of models up to Gemini 3.1 Pro keep their price, hence the lists.
  halvedButCached(gemini25Pro, {
    input_mtok: { base: 0.625, tiers: [{ start: 200_000, price: 1.25 }] },
    cache_read_mtok: { base: 0.125, tiers: [{ start: 200_000, price: 0.25 }] },
    output_mtok: { base: 5, tiers: [{ start: 200_000, price: 7.5 }] },
  }),
  halvedButCached(gemini25Flash, {
    input_mtok: 0.15,
    cache_read_mtok: 0.03,
    output_mtok: 1.25,
    input_audio_mtok: 0.5,
    cache_audio_read_mtok: 0.1,
  }),
  halvedButCached(gemini25FlashLite, {
    input_mtok: 0.05,
    cache_read_mtok: 0.01,
    output_mtok: 0.2,
    input_audio_mtok: 0.15,
    cache_audio_read_mtok: 0.03,
  }),
  halvedButCached(gemini3Pro, {
    input_mtok: { base: 1, tiers: [{ start: 200_000, price: 2 }] },
    cache_read_mtok: { base: 0.2, tiers: [{ start: 200_000, price: 0.4 }] },
    output_mtok: { base: 6, tiers: [{ start: 200_000, price: 9 }] },
  }),
  halvedButCached(gemini3Flash, {
    input_mtok: 0.25,
    cache_read_mtok: 0.05,
    output_mtok: 1.5,
    input_audio_mtok: 0.5,
    cache_audio_read_mtok: 0.1,
  }),
  google('^gemini-2\\.0-flash(?:-00\\d|-exp|-latest)?(?:@.*)?$', {
    note: 'Vertex charges half as much again (0.075 and 0.30) for Gemini 2.0 Flash, also without batch.',
    when: { service_tier: ['batch'] },
    tokens: {
      prices: {
        input_mtok: 0.05,
        cache_read_mtok: 0.025,
        output_mtok: 0.2,
        input_audio_mtok: 0.35,
        cache_audio_read_mtok: 0.175,
      },
    },
  }),
  google(newerFlash, {
    note: 'Vertex writes the price of cached tokens in flex of 3.5 Flash as 0.08, of 3.5 Flash-Lite as 0.02, which are halves rounded to cents. A guide of the batch API says that cached tokens keep their price; the price page halves them.',
    when: { service_tier: ['batch', ...flex] },
    tokens: { factor: '0.5' },
  }),
  google('^gemini-(?:2\\.5-flash-image|3\\.1-flash(?:-lite)?-image|3-pro-image)', {
    source: vertexPage,
    when: { service_tier: ['batch', ...flex] },
    tokens: { factor: '0.5' },
  }),
  google('^gemini-(?:2\\.0-flash-lite|embedding-001|2\\.5-(?:flash|pro)(?:-preview)?-tts|3\\.1-flash-tts)', {
    when: { service_tier: ['batch'] },
    tokens: { factor: '0.5' },
  }),

  ...[gemini25Pro, gemini25Flash, gemini25FlashLite, gemini3Pro, gemini3Flash, newerFlash].map((model) =>
    google(model, {
      note: 'A request that exceeds the limit of the tier is answered and charged as `standard`.',
      when: { service_tier: priority },
      tokens: { factor: '1.8' },
    }),
  ),

  // Vertex's endpoints of a region or a group of regions.
  google('', { source: vertexPage, when: { geo: ['global'] }, tokens: { factor: '1' } }),
  google('^gemini-[12]\\.', { source: vertexPage, when: { geo: regions }, tokens: { factor: '1' } }),
  google(newerFlash, {
    source: vertexPage,
    note: 'The same as the global endpoint until July 2026.',
    until: '2026-07-01',
    when: { geo: regions },
    tokens: { factor: '1' },
  }),
  google(newerFlash, { source: vertexPage, from: '2026-07-01', when: { geo: regions }, tokens: { factor: '1.1' } }),
  google('^claude-(?:3|opus-4(?:@|-1|$)|sonnet-4(?:@|$))', {
    source: claudeOnVertex,
    when: { geo: regions },
    tokens: { factor: '1' },
  }),
  google('^claude-(?:(?:opus|sonnet|haiku)-(?:4-[5-9]|[5-9])|fable-)', {
    source: claudeOnVertex,
    when: { geo: regions },
    tokens: { factor: '1.1' },
  }),

  google('^claude-', {
    source: litellmPrices,
    note: 'Listed for Claude Opus 4.1 and Sonnet 4.5; the batch guide of Vertex names the others too.',
    when: { service_tier: ['batch'] },
    tokens: { factor: '0.5' },
  }),
  google('^claude-', { source: litellmPrices, units: { web_searches: { usd: 10, per: 1000 } } }),

  google('^gemini-[12]\\.', {
    note: `${noAllowance} Web grounding for enterprise on Vertex costs 45 per 1,000 prompts; the answer does not tell it from Google Search.`,
    units: {
      grounded_prompts: { usd: 35, per: 1000 },
      // The prompt is charged once, for any number of queries.
      grounded_queries: { usd: 0, per: 1000 },
      maps_prompts: { usd: 25, per: 1000 },
    },
  }),
  google('^gemini-3', {
    source: vertexPage,
    note: 'Grounding of Gemini 3 is charged since 5 January 2026.',
    until: '2026-01-05',
    units: { grounded_queries: { usd: 0, per: 1000 }, grounded_prompts: { usd: 0, per: 1000 } },
  }),
  google('^gemini-[34]', {
    note: noAllowance,
    from: '2026-01-05',
    // The queries are charged, not the prompt that made them.
    units: { grounded_queries: { usd: 14, per: 1000 }, grounded_prompts: { usd: 0, per: 1000 } },
  }),

  images('^imagen-4\\.0-fast-generate', 0.02),
  images('^imagen-4\\.0-generate', 0.04),
  images('^imagen-4\\.0-ultra-generate', 0.06),
  images('^imagen-3\\.0-fast-generate', 0.02, vertexPage),
  images('^imagen-3\\.0-(?:generate-001|capability-001)', 0.04, vertexPage),

  // Video with sound, in 720p unless the size is named. Vertex's silent video costs less, but calls don't name it.
  ordinarySize('^veo-3\\.1-', p720),
  ordinarySize('^veo-3\\.1-generate', p1080),
  ordinarySize('^veo-3\\.1-fast-generate', p1080, { until: fastVeoCut }),
  video('^veo-3\\.1-generate', 0.4),
  video('^veo-3\\.1-generate', 0.6, { size: p4k }),
  video('^veo-3\\.1-fast-generate', 0.15, { until: fastVeoCut }),
  video('^veo-3\\.1-fast-generate', 0.35, { size: p4k, until: fastVeoCut }),
  video('^veo-3\\.1-fast-generate', 0.1, { from: fastVeoCut }),
  video('^veo-3\\.1-fast-generate', 0.12, { size: p1080, from: fastVeoCut }),
  video('^veo-3\\.1-fast-generate', 0.3, { size: p4k, from: fastVeoCut }),
  video('^veo-3\\.1-lite-generate', 0.05),
  video('^veo-3\\.1-lite-generate', 0.08, { size: p1080 }),
  video('^veo-3\\.0-generate', 0.4, { from: '2025-10-17', note: 'It cost more until a day before 17 October 2025.' }),
  video('^veo-3\\.0-fast-generate', 0.15, {
    from: '2025-10-17',
    note: 'It cost more until a day before 17 October 2025.',
  }),
  google('^lyria-3-clip', { units: { requests: { usd: 0.04, per: 1 } } }),
  google('^lyria-3-pro', { units: { requests: { usd: 0.08, per: 1 } } }),
];

function google(model: string, supplement: Partial<Supplement>): Supplement {
  return {
    kind: 'supplement',
    providers: ['google'],
    source: geminiPage,
    checkedOn: '2026-11-24',
    ...(model === '' ? {} : { match: { regex: model } }),
    ...supplement,
  };
}

/** Batch and flex, with cached tokens at their ordinary price. */
function halvedButCached(model: string, prices: CataloguePrices): Supplement {
  return google(model, {
    note: 'Cached tokens cost the same as without batch or flex. They cost more before 14 July 2025.',
    from: '2025-07-14',
    when: { service_tier: ['batch', ...flex] },
    tokens: { prices },
  });
}

/** US dollars an image. */
function images(model: string, usd: number, source = geminiPage): Supplement {
  return google(model, { source, units: { images: { usd, per: 1 } } });
}

/** US dollars a second. */
function video(
  model: string,
  usd: number,
  { size, ...rest }: { size?: string[] } & Pick<Supplement, 'from' | 'until' | 'note'> = {},
): Supplement {
  return google(model, {
    ...rest,
    ...(size === undefined ? {} : { when: { size } }),
    units: { video_seconds: { usd, per: 1 } },
  });
}

/** Sizes that have the price of 720p. */
function ordinarySize(model: string, size: string[], period: Pick<Supplement, 'until'> = {}): Supplement {
  return google(model, { ...period, when: { size } });
}
