import type { CataloguePrices } from '../catalogue-data.ts';
import type { Supplement } from '../supplement-data.ts';

const fireworksPage = 'https://docs.fireworks.ai/serverless/pricing';
const assemblyaiPage = 'https://www.assemblyai.com/pricing';
const deepgramPage = 'https://deepgram.com/pricing';

const ordinary = ['default', 'standard', 'auto'];

export const othersSupplements: readonly Supplement[] = [
  ordinaryTier('openrouter', 'https://openrouter.ai/docs/use-cases/usage-accounting'),
  ordinaryTier('together', 'https://www.together.ai/pricing'),
  ordinaryTier('voyageai', 'https://docs.voyageai.com/docs/pricing'),
  ordinaryTier('fireworks', fireworksPage),

  // Fireworks.
  fireworks('', { when: { service_tier: ['batch'] }, tokens: { factor: '0.5' } }),
  ...[
    'kimi-k3',
    'glm-5p3',
    'glm-5p3-flash',
    'deepseek-v4p1-flash',
    'deepseek-v4-pro-0813',
    'deepseek-v4-flash-0731',
    'deepseek-v4-flash-vision-exp',
  ].map((model) => fireworks(model, { when: { service_tier: ['priority'] }, tokens: { factor: '1.25' } })),
  ...['kimi-k2p7-code', 'qwen3p8-max', 'minimax-m3', 'muse-glimmer-30b'].map((model) =>
    fireworks(model, { when: { service_tier: ['priority'] }, tokens: { factor: '1.5' } }),
  ),
  fireworksPriority('gpt-oss-120b', { input_mtok: 0.18, cache_read_mtok: 0.018, output_mtok: 0.72 }),
  fireworksPriority('kimi-k2p6', { input_mtok: 1.5, cache_read_mtok: 0.22, output_mtok: 6 }),
  fireworksPriority('glm-5p2', { input_mtok: 1.75, cache_read_mtok: 0.18, output_mtok: 5.5 }),

  of('assemblyai', assemblyaiPage, '^universal-2$', { units: { audio_seconds: { usd: 0.15, per: 3600 } } }),

  deepgramSpeech('^aura-(?!2-)', 0.015),
  deepgramSpeech('^aura-2-', 0.03),
];

function of(provider: string, source: string, model: string, supplement: Partial<Supplement>): Supplement {
  return {
    kind: 'supplement',
    providers: [provider],
    source,
    checkedOn: '2026-11-24',
    ...(model === '' ? {} : { match: { regex: model } }),
    ...supplement,
  };
}

function ordinaryTier(provider: string, source: string): Supplement {
  return of(provider, source, '', { when: { service_tier: ordinary }, tokens: { factor: '1' } });
}

/** `model` is the last part of the name. Some clients send only this part. */
function fireworks(model: string, supplement: Partial<Supplement>): Supplement {
  return of('fireworks', fireworksPage, model === '' ? '' : `(?:^|/)${model}$`, supplement);
}

function fireworksPriority(model: string, prices: CataloguePrices): Supplement {
  return fireworks(model, { when: { service_tier: ['priority'] }, tokens: { prices } });
}

/** US dollars for 1,000 characters. */
function deepgramSpeech(model: string, usd: number): Supplement {
  return of('deepgram', deepgramPage, model, { units: { characters: { usd, per: 1000 } } });
}
