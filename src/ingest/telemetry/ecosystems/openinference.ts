import type { Ecosystem, Source } from '../ecosystem.ts';

const conventions: Source = {
  url: 'https://github.com/Arize-ai/openinference/blob/1fe497f1d/spec/semantic_conventions.md',
  version: '2026-08-21',
};
const bedrockForNode: Source = {
  url: 'https://github.com/Arize-ai/openinference/blob/1fe497f1d/js/packages/openinference-instrumentation-bedrock/src/attributes/invoke-model-response-attributes.ts',
  version: '2026-08-21',
};

const bedrockForPython: Source = {
  url: 'https://pypi.org/project/openinference-instrumentation-bedrock/0.1.61/',
  version: '0.1.61',
};

const vercel: Source = {
  url: 'https://www.npmjs.com/package/@arizeai/openinference-vercel/v/3.2.1',
  version: '3.2.1',
};

/** OpenInference. The prompt includes cached tokens. */
export const openInference: Ecosystem = {
  name: 'openinference',
  decision: {
    name: 'openinference.span.kind',
    calls: new Set(['llm', 'embedding']),
    // The instrumentation of LlamaIndex takes each method of a model for a request.
    preparing: ['_prepare_chat_with_tools'],
    source: conventions,
  },
  // Of images and transcriptions the model is only in what was sent and answered.
  model: {
    names: [
      'llm.response.model_name',
      'llm.model_name',
      'llm.request.model_name',
      'embedding.model_name',
      'output.value#model',
      'input.value#model',
      'llm.invocation_parameters#model',
      // LangChain's handler for Gemini.
      'metadata#ls_model_name',
    ],
    source: conventions,
  },
  provider: { names: ['llm.provider', 'llm.system', 'metadata#ls_provider'], source: conventions },
  counts: {
    input: { names: ['llm.token_count.prompt'], source: conventions },
    output: { names: ['llm.token_count.completion'], source: conventions },
    cacheRead: { names: ['llm.token_count.prompt_details.cache_read'], source: conventions },
    cacheWrite: { names: ['llm.token_count.prompt_details.cache_write'], source: conventions },
    reasoning: { names: ['llm.token_count.completion_details.reasoning'], source: conventions },
    inputAudio: { names: ['llm.token_count.prompt_details.audio'], source: conventions },
    outputAudio: { names: ['llm.token_count.completion_details.audio'], source: conventions },
    total: { names: ['llm.token_count.total'], source: conventions },
  },
  // These instrumentations pass on Bedrock's count, without cached tokens; the others add cached tokens to the
  // prompt.
  excludesCache: [
    { scope: '@arizeai/openinference-instrumentation-bedrock', source: bedrockForNode },
    {
      scope: 'openinference.instrumentation.bedrock',
      spanName: 'bedrock.converse',
      before: '0.1.60',
      source: bedrockForPython,
    },
  ],
  ownUsage: {
    names: [
      'output.value#usage',
      'output.value#response.usage',
      'output.value#usage_metadata',
      'output.value#usageMetadata',
      'output.value#raw.usage',
      'output.value#replies.0._meta.usage',
      'output.value#replies.0.meta.usage',
      'output.value#llmOutput.usage',
      'output.value#generations.0.0.message.kwargs.usage_metadata',
    ],
    source: conventions,
  },
  terms: { service_tier: { names: ['output.value#service_tier'], source: conventions } },
  cost: { names: ['llm.cost.total'], source: conventions },
  metadata: [{ prefix: 'metadata.', source: vercel }],
  metadataObjects: { names: ['metadata'], source: conventions },
  plain: {
    words: [
      'input.mime_type',
      'output.mime_type',
      'llm.finish_reason',
      'llm.prompt_template.version',
      'embedding.model_name',
      'reranker.model_name',
      'tool.name',
      'tool_call.id',
      'tool.id',
      'graph.node.id',
      'graph.node.parent_id',
      'prompt.id',
      'prompt.vendor',
    ],
    names: ['agent.name', 'graph.node.name', 'openinference.project.name'],
    namespaces: ['llm', 'embedding', 'reranker', 'tool', 'tool_call', 'input', 'output', 'openinference', 'retrieval'],
    events: ['First Token Stream Event', 'exception'],
    source: conventions,
  },
};
