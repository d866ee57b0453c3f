import type { PlainAttributes, Source } from '../../ecosystem.ts';

const source: Source = { url: 'https://pypi.org/project/litellm/1.108.7/', version: '1.108.7' };

/** LiteLLM's `otel` callback. */
export const liteLlm: PlainAttributes = {
  words: [
    'litellm.call_id',
    'litellm.provider.model',
    'litellm.request.type',
    'llm.openai.id',
    'llm.openai.model',
    'llm.openai.object',
    'llm.openai.service_tier',
    'llm.openai.system_fingerprint',
    'model_id',
    'call_type',
  ],
  namespaces: ['litellm'],
  spanNames: ['litellm_request', 'Received Proxy Server Request'],
  source,
};
