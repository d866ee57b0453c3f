import type { Ecosystem, Source } from '../ecosystem.ts';
import { answerEvent } from '../otlp/attributes.ts';

const source: Source = { url: 'https://pypi.org/project/llama-index-observability-otel/0.7.0/', version: '0.7.0' };

/** LlamaIndex's own spans. */
export const llamaIndex: Ecosystem = {
  name: 'llamaindex',
  decision: {
    name: answerEvent,
    calls: new Set(['llmchatendevent', 'llmcompletionendevent', 'embeddingendevent']),
    source,
  },
  answerEvents: [
    'LLMChatStartEvent',
    'LLMChatEndEvent',
    'LLMCompletionStartEvent',
    'LLMCompletionEndEvent',
    'EmbeddingStartEvent',
    'EmbeddingEndEvent',
  ],
  model: { names: ['response.raw.model', 'model_dict.model_name', 'model_dict.model'], source },
  ownUsage: { names: ['response.raw.usage.*', 'response.raw.usage_metadata.*'], source },
  terms: { service_tier: { names: ['response.raw.service_tier'], source } },
  plain: {
    names: [
      'class_name',
      'id_',
      'span_id',
      'response.raw.id',
      'response.raw.model',
      'response.raw.object',
      'response.raw.service_tier',
      'response.raw.system_fingerprint',
      'response.message.role',
      'model_dict.model_name',
      'model_dict.class_name',
    ],
    namespaces: ['response', 'model_dict'],
    events: [
      'LLMChatStartEvent',
      'LLMChatEndEvent',
      'LLMChatInProgressEvent',
      'LLMCompletionStartEvent',
      'LLMCompletionEndEvent',
      'LLMPredictStartEvent',
      'LLMPredictEndEvent',
      'EmbeddingStartEvent',
      'EmbeddingEndEvent',
    ],
    source,
  },
};
