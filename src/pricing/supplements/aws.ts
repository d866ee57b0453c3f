import { litellmPrices } from '../corrections/sources.ts';
import type { Supplement } from '../supplement-data.ts';

const pricePage = 'https://aws.amazon.com/bedrock/pricing/';

/** AWS's own list of the prices that its page shows by scripts. */
const priceList = 'https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonBedrock/current/us-east-1/index.json';

/** The models with priority and flex. On Bedrock, Claude and OpenAI's GPT-5.x have neither. */
const tieredModels = [
  '(?:^|\\.)amazon\\.nova-(?:pro|premier|2-)',
  '(?:^|\\.)openai\\.gpt-oss-',
  '(?:^|\\.)qwen\\.',
  '(?:^|\\.)deepseek\\.v3',
  '(?:^|\\.)mistral\\.(?:mistral-large-3|ministral-3|magistral|voxtral|devstral)',
  '(?:^|\\.)google\\.gemma-3',
  '(?:^|\\.)nvidia\\.nemotron',
  '(?:^|\\.)minimax\\.',
  '(?:^|\\.)moonshot(?:ai)?\\.',
];

/** The catalogue has the prices of these regions, and of the global endpoints. */
const regionsOfList = ['us', 'us-east-1', 'us-east-2', 'us-west-2', 'global'];

export const awsSupplements: readonly Supplement[] = [
  aws('', { when: { service_tier: ['default', 'standard', 'auto', 'on_demand'] }, tokens: { factor: '1' } }),
  aws('', { when: { geo: regionsOfList }, tokens: { factor: '1' } }),
  aws('', { when: { service_tier: ['batch'] }, tokens: { factor: '0.5' } }),
  ...tieredModels.flatMap((model) => [
    aws(model, { source: priceList, when: { service_tier: ['flex'] }, tokens: { factor: '0.5' } }),
    aws(model, { source: priceList, when: { service_tier: ['priority'] }, tokens: { factor: '1.75' } }),
  ]),

  aws('(?:^|\\.)cohere\\.rerank-v3-5', { units: { search_units: { usd: 2, per: 1000 } } }),
  aws('(?:^|\\.)amazon\\.rerank-v1', { units: { search_units: { usd: 1, per: 1000 } } }),

  // Images without a named size and quality have the default size, 1024x1024, and standard quality.
  ordinaryImages('(?:^|\\.)amazon\\.(?:nova-canvas|titan-image-generator)-', { size: ['1024x1024'] }),
  ordinaryImages('(?:^|\\.)amazon\\.(?:nova-canvas|titan-image-generator)-', { quality: ['standard'] }),
  ordinaryImages('(?:^|\\.)amazon\\.nova-canvas-', { size: ['512x512', '768x768'] }),
  ...novaCanvas(0.04, 0.06),
  ...novaCanvas(0.06, 0.08, '2048x2048'),
  ...titanImage(0.01, 0.012),
  ...titanImage(0.008, 0.01, '512x512'),

  images('stability\\.sd3-(?:5-)?large', 0.08),
  images('stability\\.stable-image-core', 0.04),
  images('stability\\.stable-image-ultra', 0.14),
  images('stability\\.stable-conservative-upscale', 0.4),
  images('stability\\.stable-creative-upscale', 0.6),
  images('stability\\.stable-fast-upscale', 0.03),
  images('stability\\.stable-outpaint', 0.06),
  images(
    'stability\\.stable-image-(?:control-(?:sketch|structure)|erase-object|inpaint|remove-background|search-(?:recolor|replace)|style-guide)',
    0.07,
  ),
  images('stability\\.stable-style-transfer', 0.08),

  aws('(?:^|\\.)amazon\\.nova-reel-', { units: { video_seconds: { usd: 0.08, per: 1 } } }),
  ordinaryImages('(?:^|\\.)luma\\.ray-v2', { size: ['720p', '1280x720', '720x1280'] }),
  aws('(?:^|\\.)luma\\.ray-v2', { units: { video_seconds: { usd: 1.5, per: 1 } } }),
  aws('(?:^|\\.)luma\\.ray-v2', {
    when: { size: ['540p', '960x540', '540x960'] },
    units: { video_seconds: { usd: 0.75, per: 1 } },
  }),

  // Embedded or read media other than text.
  media('(?:^|\\.)amazon\\.titan-embed-image-', { images: { usd: 0.00006, per: 1 } }),
  media('(?:^|\\.)amazon\\.nova-2-multimodal-embeddings', {
    images: { usd: 0.00006, per: 1 },
    video_seconds: { usd: 0.0007, per: 1 },
    audio_seconds: { usd: 0.00014, per: 1 },
  }),
  media('(?:^|\\.)twelvelabs\\.marengo-', {
    images: { usd: 0.0001, per: 1 },
    video_seconds: { usd: 0.0007, per: 1 },
    audio_seconds: { usd: 0.00014, per: 1 },
  }),
  media('(?:^|\\.)twelvelabs\\.pegasus-1-2', { video_seconds: { usd: 0.00049, per: 1 } }),
];

/** A model's name may begin with a group of regions, such as `us.`, so the pattern begins with `(?:^|\.)`. */
function aws(model: string, supplement: Partial<Supplement>): Supplement {
  return {
    kind: 'supplement',
    providers: ['aws'],
    source: pricePage,
    checkedOn: '2026-11-24',
    ...(model === '' ? {} : { match: { regex: model } }),
    ...supplement,
  };
}

/** US dollars an image, as LiteLLM lists them. */
function images(model: string, usd: number): Supplement {
  return media(`(?:^|\\.)${model}`, { images: { usd, per: 1 } });
}

function media(model: string, units: Supplement['units']): Supplement {
  return aws(model, { source: litellmPrices, units });
}

/** Terms that mean the ordinary price of an image or a video. */
function ordinaryImages(model: string, when: Supplement['when']): Supplement {
  return aws(model, { when });
}

/** US dollars an image of standard and of premium quality. */
function novaCanvas(standard: number, premium: number, size?: string): readonly Supplement[] {
  const note = 'LiteLLM lists 0.06 for all images.';
  return byQuality('nova-canvas', { standard, premium }, { note, size });
}

/** US dollars an image of standard and of premium quality. */
function titanImage(standard: number, premium: number, size?: string): readonly Supplement[] {
  const note = 'LiteLLM lists 0.008 for all images of standard quality.';
  return byQuality('titan-image-generator', { standard, premium }, { note, size });
}

function byQuality(
  model: string,
  usd: { standard: number; premium: number },
  { note, size }: { note: string; size: string | undefined },
): readonly Supplement[] {
  const regex = `(?:^|\\.)amazon\\.${model}-`;
  const ofSize = size === undefined ? {} : { size: [size] };
  return [
    aws(regex, { note, when: ofSize, units: { images: { usd: usd.standard, per: 1 } } }),
    aws(regex, {
      note,
      when: { ...ofSize, quality: ['premium'] },
      units: { images: { usd: usd.premium, per: 1 } },
    }),
  ];
}
