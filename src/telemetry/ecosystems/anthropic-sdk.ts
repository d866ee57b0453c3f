import type { Ecosystem, Source } from '../ecosystem.ts';
import { genAi } from './gen-ai.ts';

const source: Source = { url: 'https://www.npmjs.com/package/@anthropic-ai/sdk/v/1.13.0', version: '1.13.0' };

/** Anthropic's client for TypeScript, which makes spans itself. They keep to the conventions; cache writes have names of their own. */
export const anthropicSdk: Ecosystem = {
  name: 'anthropic-sdk',
  decision: genAi.decision,
  counts: { cacheWrite: { names: ['gen_ai.usage.cache_write.input_tokens'], source } },
  hourWrites: { names: ['anthropic.usage.cache_creation.ephemeral_1h_input_tokens'], source },
  terms: { service_tier: { names: ['anthropic.response.service_tier'], source } },
};
