import { litellmPrices } from '../corrections/sources.ts';
import type { Supplement } from '../supplement-data.ts';

const priceList = 'https://developers.openai.com/api/docs/pricing';

const square = '1024x1024';
const portrait = ['1024x1536', '1536x1024'];

/** Searches, containers, sound, images and video of OpenAI. */
export const openaiUnits: readonly Supplement[] = [
  units({
    note:
      'The older tool web_search_preview costs 25 for 1,000 calls with models that don’t reason, which its calls don’t tell. ' +
      'Containers cost 0.03 for 20 minutes with 1 GB; larger ones 0.12, 0.48 and 1.92, shorter sessions less since June 2026.',
    units: {
      web_searches: { usd: 10, per: 1_000 },
      file_searches: { usd: 2.5, per: 1_000 },
      code_sessions: { usd: 0.03, per: 1 },
    },
  }),
  units({
    note: 'These models search with the older tool, and don’t reason.',
    match: { regex: '^gpt-4o(?:-mini)?-search-preview(?:-\\d{4}-\\d{2}-\\d{2})?$' },
    units: { web_searches: { usd: 25, per: 1_000 } },
  }),

  perMinute('whisper-1', 0.006),
  perMinute('gpt-4o-transcribe', 0.006, 'The page’s estimate; calls that report tokens are charged by tokens.'),
  perMinute('gpt-4o-transcribe-diarize', 0.006, 'The page’s estimate; calls that report tokens are charged by tokens.'),
  perMinute('gpt-4o-mini-transcribe', 0.003, 'The page’s estimate; calls that report tokens are charged by tokens.'),
  perMinute('gpt-transcribe', 0.0045),
  { ...perMinute('gpt-realtime-whisper', 0.017), source: litellmPrices },
  units({ match: { regex: '^tts-1(?:-1106)?$' }, units: { characters: { usd: 15, per: 1_000_000 } } }),
  units({ match: { regex: '^tts-1-hd(?:-1106)?$' }, units: { characters: { usd: 30, per: 1_000_000 } } }),

  ...images('gpt-image-2', { low: [0.006, 0.005], medium: [0.053, 0.041], high: [0.211, 0.165] }),
  ...images('gpt-image-1\\.5', { low: [0.009, 0.013], medium: [0.034, 0.05], high: [0.133, 0.2] }),
  ...images('gpt-image-1', { low: [0.011, 0.016], medium: [0.042, 0.063], high: [0.167, 0.25] }),
  ...images('gpt-image-1-mini', { low: [0.005, 0.006], medium: [0.011, 0.015], high: [0.036, 0.052] }),
  dalle('dall-e-3', { size: [square], quality: ['standard', 'auto'] }, 0.04),
  dalle('dall-e-3', { size: ['1024x1792', '1792x1024'], quality: ['standard', 'auto'] }, 0.08),
  dalle('dall-e-3', { size: [square], quality: ['hd'] }, 0.08),
  dalle('dall-e-3', { size: ['1024x1792', '1792x1024'], quality: ['hd'] }, 0.12),
  dalle('dall-e-2', { size: ['256x256'] }, 0.016),
  dalle('dall-e-2', { size: ['512x512'] }, 0.018),
  dalle('dall-e-2', { size: [square] }, 0.02),

  ...video('sora-2', ['720x1280', '1280x720', '720p'], 0.1),
  ...video('sora-2-pro', ['720x1280', '1280x720', '720p'], 0.3),
  ...video('sora-2-pro', ['1024x1792', '1792x1024', '1024p'], 0.5),
  ...video('sora-2-pro', ['1080x1920', '1920x1080', '1080p'], 0.7),
];

function units(supplement: Omit<Supplement, 'kind' | 'providers' | 'source' | 'checkedOn'>): Supplement {
  return { kind: 'supplement', providers: ['openai'], source: priceList, checkedOn: '2026-11-24', ...supplement };
}

function perMinute(model: string, usd: number, note?: string): Supplement {
  return units({
    ...(note && { note }),
    match: { regex: `^${model}(?:-\\d{4}-\\d{2}-\\d{2})?$` },
    units: { audio_seconds: { usd, per: 60 } },
  });
}

/** US dollars for a square image and for one that is half as high or as wide again, by quality. */
function images(model: string, prices: Record<string, readonly [square: number, other: number]>): Supplement[] {
  return Object.entries(prices).flatMap(([quality, [ofSquare, ofOther]]) =>
    [
      { size: [square], usd: ofSquare },
      { size: portrait, usd: ofOther },
    ].map(({ size, usd }) =>
      units({
        note: 'The page’s price of an image’s output; calls that report tokens are charged by tokens.',
        match: { regex: `^${model}(?:-\\d{4}-\\d{2}-\\d{2})?$` },
        when: { size, quality: [quality] },
        units: { images: { usd, per: 1 } },
      }),
    ),
  );
}

function dalle(model: string, when: Supplement['when'], usd: number): Supplement {
  return units({ match: { equals: model }, when, units: { images: { usd, per: 1 } } });
}

/** The price of a second. A batch costs half of it. */
function video(model: string, size: string[], usd: number): Supplement[] {
  const match = { regex: `^${model}(?:-\\d{4}-\\d{2}-\\d{2})?$` };
  return [
    units({ match, when: { size }, units: { video_seconds: { usd, per: 1 } } }),
    units({ match, when: { size, service_tier: ['batch'] }, units: { video_seconds: { usd: usd / 2, per: 1 } } }),
  ];
}
