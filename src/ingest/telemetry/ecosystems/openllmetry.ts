import type { Ecosystem, Source } from '../ecosystem.ts';

const conventions: Source = {
  url: 'https://github.com/traceloop/openllmetry/blob/0.62.1/packages/opentelemetry-semantic-conventions-ai/opentelemetry/semconv_ai/__init__.py',
  version: '0.62.1',
};
const bedrock: Source = {
  url: 'https://github.com/traceloop/openllmetry/blob/0.62.1/packages/opentelemetry-instrumentation-bedrock/opentelemetry/instrumentation/bedrock/span_utils.py',
  version: '0.62.1',
};
const botocore: Source = {
  url: 'https://pypi.org/project/opentelemetry-instrumentation-botocore/0.66b2/',
  version: '0.66b2',
};
const anthropicForNode: Source = {
  url: 'https://www.npmjs.com/package/@traceloop/instrumentation-anthropic/v/0.27.0',
  version: '0.27.0',
};

const openAiForNode: Source = {
  url: 'https://www.npmjs.com/package/@traceloop/instrumentation-openai/v/0.27.0',
  version: '0.27.0',
};

/** OpenLLMetry. Newer versions follow the conventions; older ones have `llm.request.type` and their own names. */
export const openLlmetry: Ecosystem = {
  name: 'openllmetry',
  decision: {
    name: 'llm.request.type',
    calls: new Set(['chat', 'completion', 'embedding']),
    source: conventions,
  },
  counts: {
    cacheRead: { names: ['gen_ai.usage.cache_read_input_tokens'], source: conventions },
    cacheWrite: { names: ['gen_ai.usage.cache_creation_input_tokens'], source: conventions },
    reasoning: { names: ['gen_ai.usage.reasoning_tokens', 'llm.usage.reasoning_tokens'], source: conventions },
    total: { names: ['llm.usage.total_tokens'], source: conventions },
  },
  // These instrumentations leave cached tokens out of the input; those of Anthropic for Python and of LangChain
  // include them.
  excludesCache: [
    { scope: '@traceloop/instrumentation-anthropic', source: anthropicForNode },
    { scope: 'opentelemetry.instrumentation.bedrock', source: bedrock },
    { scope: 'opentelemetry.instrumentation.botocore.bedrock', source: botocore },
    { scope: 'opentelemetry.instrumentation.genai.bedrock', source: botocore },
  ],
  estimates: { scope: '@traceloop/instrumentation-openai', source: openAiForNode },
  tags: [
    {
      tag: 'customer',
      names: [
        'traceloop.association.properties.customer',
        'traceloop.association.properties.customer_id',
        'traceloop.association.properties.tenant_id',
      ],
      source: conventions,
    },
    {
      tag: 'user',
      names: [
        'traceloop.association.properties.user',
        'traceloop.association.properties.user_id',
        'gen_ai.user',
        'llm.user',
      ],
      source: conventions,
    },
    { tag: 'session', names: ['traceloop.association.properties.session_id'], source: conventions },
    { tag: 'feature', names: ['traceloop.workflow.name'], isWeak: true, source: conventions },
  ],
  metadata: [{ prefix: 'traceloop.association.properties.', source: conventions }],
  plain: {
    words: [
      'llm.is_streaming',
      'llm.response.finish_reason',
      'llm.response.stop_reason',
      'traceloop.entity.path',
      'traceloop.entity.version',
      'traceloop.span.kind',
      'traceloop.correlation.id',
      'traceloop.prompt.key',
      'traceloop.prompt.managed',
      'traceloop.prompt.version',
      'traceloop.prompt.version_hash',
      'traceloop.prompt.version_name',
      'anthropic.message.stop_reason',
    ],
    names: ['traceloop.entity.name'],
    namespaces: ['traceloop'],
    events: ['llm.content.completion.chunk'],
    source: conventions,
  },
};
