import type { Ecosystem, Source } from '../ecosystem.ts';
import { genAi } from './gen-ai.ts';

const spans: Source = { url: 'https://www.npmjs.com/package/@anthropic-ai/sdk/v/1.13.0', version: '1.13.0' };

/**
 * Anthropic's own SDK, which makes spans wherever a tracer is registered. It follows the conventions, with its own
 * names for tokens written to the cache.
 */
export const anthropicSdk: Ecosystem = {
  name: 'anthropic-sdk',
  decision: genAi.decision,
  counts: {
    cacheWrite: { names: ['gen_ai.usage.cache_write.input_tokens'], source: spans },
    cacheWrite5m: { names: ['anthropic.usage.cache_creation.ephemeral_5m_input_tokens'], source: spans },
    cacheWrite1h: { names: ['anthropic.usage.cache_creation.ephemeral_1h_input_tokens'], source: spans },
  },
  terms: { service_tier: { names: ['anthropic.response.service_tier'], source: spans } },
  plain: {
    words: ['anthropic.message.stop_reason', 'anthropic.request.id', 'anthropic.beta'],
    namespaces: ['anthropic'],
    source: spans,
  },
};
