import { litellmPrices } from '../corrections/sources.ts';
import type { Supplement } from '../supplement-data.ts';

const priorityGuide = 'https://learn.microsoft.com/en-us/azure/foundry/openai/concepts/priority-processing';
const zones = ['us', 'eu', 'datazone', 'data_zone'];

/** Azure shows prices only in its calculator, so most of these are the ones that LiteLLM reads from Azure's meters. */
export const azureSupplements: readonly Supplement[] = [
  azure({ source: priorityGuide, when: { service_tier: ['default', 'auto', 'standard'] }, tokens: { factor: '1' } }),
  azure({
    source: 'https://learn.microsoft.com/en-us/azure/ai-foundry/openai/how-to/batch',
    note: 'Half of the price of the global standard deployment; nothing quotes cached tokens apart.',
    match: { regex: '^(?:gpt-|o[134](?:-|$)|text-embedding-)' },
    when: { service_tier: ['batch'] },
    tokens: { factor: '0.5' },
  }),
  azure({
    note: 'Twice every token price.',
    match: { regex: '^gpt-5\\.(?:1(?!-codex-mini)|[2-6])' },
    when: { service_tier: ['priority'] },
    tokens: { factor: '2' },
  }),
  azure({
    match: { regex: '^gpt-5\\.1-codex-mini' },
    when: { service_tier: ['priority'] },
    tokens: { factor: '1.8' },
  }),
  azure({
    note: 'In a data zone, priority costs 2.75 times the global price of these models: 2 times 1.1 times 1.25.',
    match: { regex: '^gpt-5\\.[56](?:-|$)' },
    when: { service_tier: ['priority'], geo: zones },
    tokens: { factor: '1.25' },
  }),
  azure({ when: { geo: ['global'] }, tokens: { factor: '1' } }),
  azure({
    note: 'Data zones cost 1.1 times the global price; Azure’s meters round some prices of cached tokens to 1.12 times.',
    match: { regex: '^(?:gpt-4o|gpt-4\\.1|gpt-5(?:-|$)|gpt-5\\.[1456](?:-|$)|gpt-6(?:\\.\\d)?-|o[134](?:-|$))' },
    when: { geo: zones },
    tokens: { factor: '1.1' },
  }),
  azure({
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
    note: 'Claude in the US data zone.',
    match: {
      regex: '^claude-(?:(?:opus|sonnet|haiku)-4[-.][6-9]|(?:opus|sonnet|haiku|fable|mythos)-5)',
    },
    when: { geo: ['us'] },
    tokens: { factor: '1.1' },
  }),
  azure({ when: { geo: ['not_available'] }, tokens: { factor: '1' } }),

  azure({ units: { code_sessions: { usd: 0.03, per: 1 } } }),
  azure({
    source: 'https://www.microsoft.com/en-us/bing/apis/grounding-pricing',
    note: 'Grounding with Bing Search; it cost 35 for 1,000 before a day that isn’t published.',
    units: { web_searches: { usd: 14, per: 1_000 } },
  }),
  azure({ match: { regex: '^whisper(?:-1|-001)?$' }, units: { audio_seconds: { usd: 0.006, per: 60 } } }),
  azure({ match: { regex: '^gpt-realtime-whisper' }, units: { audio_seconds: { usd: 0.017, per: 60 } } }),
  azure({ match: { regex: '^tts(?:-1|-001)?$' }, units: { characters: { usd: 15, per: 1_000_000 } } }),
  azure({ match: { regex: '^tts(?:-1)?-hd(?:-001)?$' }, units: { characters: { usd: 30, per: 1_000_000 } } }),
  image('dall-e-3', ['1024x1024'], ['standard', 'auto'], 0.04),
  image('dall-e-3', ['1024x1792', '1792x1024'], ['standard', 'auto'], 0.08),
  image('dall-e-3', ['1024x1024'], ['hd'], 0.08),
  image('dall-e-3', ['1024x1792', '1792x1024'], ['hd'], 0.12),
  azure({ match: { equals: 'sora-2' }, units: { video_seconds: { usd: 0.1, per: 1 } } }),
];

function azure(
  supplement: Omit<Supplement, 'kind' | 'providers' | 'source' | 'checkedOn'> & { source?: string },
): Supplement {
  return { kind: 'supplement', providers: ['azure'], source: litellmPrices, checkedOn: '2026-11-24', ...supplement };
}

function image(model: string, size: [string, ...string[]], quality: [string, ...string[]], usd: number): Supplement {
  return azure({ match: { equals: model }, when: { size, quality }, units: { images: { usd, per: 1 } } });
}
