import type { Ecosystem, Source } from '../ecosystem.ts';

const source: Source = { url: 'https://pypi.org/project/litellm/1.108.7/', version: '1.108.7' };

/** LiteLLM's `otel` callback. */
export const liteLlm: Ecosystem = {
  name: 'litellm',
  decision: {
    name: 'llm.request.type',
    orName: 'gen_ai.operation.name',
    calls: new Set([
      ...['acompletion', 'completion', 'atext_completion', 'text_completion', 'chat', 'aresponses', 'responses'],
      ...['anthropic_messages', 'aembedding', 'embedding', 'aimage_generation', 'image_generation', 'aimage_edit'],
      ...['image_edit', 'atranscription', 'transcription', 'aspeech', 'speech', 'arerank', 'rerank'],
      ...['agenerate_content', 'generate_content', 'agenerate_content_stream', 'generate_content_stream'],
    ]),
    scope: 'litellm',
    source,
  },
  model: { names: ['litellm.provider.model', 'gen_ai.response.model', 'gen_ai.request.model'], source },
  askedModel: { names: ['hidden_params#litellm_model_name', 'gen_ai.request.model'], source },
  besideModel: /^(?:openai|anthropic|gemini|vertex_ai|azure|bedrock|xai|groq|mistral|deepseek|cohere)\//,
  ownUsage: { names: ['metadata.usage_object', 'llm.openai.usage'], source },
  cost: { names: ['gen_ai.cost.total_cost'], source },
  tags: [
    { tag: 'customer', names: ['metadata.user_api_key_end_user_id'], source },
    { tag: 'user', names: ['metadata.user_api_key_user_id', 'metadata.user_api_key_user_email'], source },
  ],
  metadataObjects: { names: ['metadata.requester_metadata', 'metadata.spend_logs_metadata'], source },
  plain: {
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
  },
};
