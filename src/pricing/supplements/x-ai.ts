import type { Supplement } from '../supplement-data.ts';

const image = 'grok-imagine-image';
const video = 'grok-imagine-video';

export const xAiSupplements: readonly Supplement[] = [
  xAi({ when: { service_tier: ['default', 'auto', 'standard'] }, tokens: { factor: '1' } }),
  xAi({
    note: 'Twice every token price, after the discount of cached tokens; a call that fell back to `default` costs the ordinary price.',
    when: { service_tier: ['priority'] },
    tokens: { factor: '2' },
  }),
  xAi({
    note: 'A fifth less, as the page has it since July 2026 at the latest; in spring it had half for all models.',
    match: { regex: '^grok-4\\.(?:3|20)' },
    when: { service_tier: ['batch'] },
    tokens: { factor: '0.8' },
  }),
  xAi({
    note: 'Models that came after Grok 4.3 have no discount in a batch.',
    match: { regex: '^grok-(?:4\\.[5-9]|build-)' },
    when: { service_tier: ['batch'] },
    tokens: { factor: '1' },
  }),
  xAi({
    source: 'https://docs.x.ai/developers/models.md',
    note: 'Half, as the page had it as long as it listed these models.',
    match: { regex: '^grok-(?:3|4(?:-|$)|code-fast)' },
    when: { service_tier: ['batch'] },
    tokens: { factor: '0.5' },
  }),
  xAi({ when: { geo: ['global'] }, tokens: { factor: '1' } }),
  xAi({
    source: 'https://github.com/sergey-homenko/llm_cost_tracker',
    note: 'The endpoint in the US costs 1.1 times all token prices; it serves Grok 4.6 and 4.7 alone.',
    match: { regex: '^grok-4\\.[67]' },
    when: { geo: ['us'] },
    tokens: { factor: '1.1' },
  }),

  xAi({
    note: 'Live search took 25 for 1,000 sources until it ended.',
    units: {
      web_searches: { usd: 5, per: 1_000 },
      x_searches: { usd: 5, per: 1_000 },
      code_sessions: { usd: 5, per: 1_000 },
      file_searches: { usd: 2.5, per: 1_000 },
      attachment_searches: { usd: 10, per: 1_000 },
      searched_sources: { usd: 25, per: 1_000 },
    },
  }),

  made('images', image, 0.02),
  made('images', `${image}-pro`, 0.07),
  made('images', `${image}-quality`, 0.05, { size: ['1k'] }),
  made('images', `${image}-quality`, 0.07, { size: ['2k'] }),
  made('images', `${image}-2.0`, 0.04, { size: ['1k'], quality: ['low'] }),
  made('images', `${image}-2.0`, 0.06, { size: ['2k'], quality: ['low'] }),
  made('images', `${image}-2.0`, 0.06, { size: ['1k'], quality: ['medium'] }),
  made('images', `${image}-2.0`, 0.08, { size: ['2k'], quality: ['medium'] }),
  made('video_seconds', video, 0.05, { size: ['480p'] }),
  made('video_seconds', video, 0.07, { size: ['720p'] }),
  made('video_seconds', `${video}-1.5`, 0.08, { size: ['480p'] }),
  made('video_seconds', `${video}-1.5`, 0.14, { size: ['720p'] }),
  made('video_seconds', `${video}-1.5`, 0.25, { size: ['1080p'] }),

  xAi({
    note: '4.20 in spring 2026, until a day that isn’t published.',
    from: '2026-07-03',
    units: { characters: { usd: 15, per: 1_000_000 } },
  }),
  xAi({
    note: 'Of recordings; live transcription costs twice as much.',
    match: { starts_with: 'grok-voice-transcribe' },
    units: { audio_seconds: { usd: 0.1, per: 3_600 } },
  }),
  xAi({ match: { equals: 'grok-voice-think-fast-1.0' }, units: { audio_seconds: { usd: 3, per: 3_600 } } }),
  xAi({ match: { equals: 'grok-voice-think-fast-2.0' }, units: { audio_seconds: { usd: 4.8, per: 3_600 } } }),
  xAi({
    match: { equals: 'grok-voice-latest' },
    until: '2026-08-05',
    units: { audio_seconds: { usd: 3, per: 3_600 } },
  }),
  xAi({
    match: { equals: 'grok-voice-latest' },
    from: '2026-08-05',
    units: { audio_seconds: { usd: 4.8, per: 3_600 } },
  }),
];

function xAi(
  supplement: Omit<Supplement, 'kind' | 'providers' | 'source' | 'checkedOn'> & { source?: string },
): Supplement {
  return {
    kind: 'supplement',
    providers: ['x-ai'],
    source: 'https://docs.x.ai/developers/pricing',
    checkedOn: '2026-11-24',
    ...supplement,
  };
}

function made(unit: 'images' | 'video_seconds', model: string, usd: number, when?: Supplement['when']): Supplement {
  return xAi({ match: { equals: model }, ...(when && { when }), units: { [unit]: { usd, per: 1 } } });
}
