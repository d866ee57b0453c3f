import type { Ecosystem, Source } from '../ecosystem.ts';

/** The conventions for generative AI, in the last version before they moved to their own repository. */
const conventions: Source = {
  url: 'https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/registry/attributes/gen-ai.md',
  version: '1.41.0',
};

/** The older names that the conventions replaced; emitters still write them. */
const deprecated: Source = {
  url: 'https://github.com/open-telemetry/semantic-conventions/blob/v1.44.0/model/gen-ai/deprecated/registry-deprecated.yaml',
  version: '1.44.0',
};

const openAi: Source = {
  url: 'https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/gen-ai/openai.md',
  version: '1.41.0',
};

/** Operations such as `image_generation` have no name in the conventions. */
const images: Source = {
  url: 'https://www.npmjs.com/package/@traceloop/instrumentation-openai/v/0.27.0',
  version: '0.27.0',
};

const common: Source = {
  url: 'https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/registry/attributes/README.md',
  version: '1.41.0',
};

/** OpenTelemetry's conventions. The input includes cached tokens, and the output includes reasoning. */
export const genAi: Ecosystem = {
  name: 'gen_ai',
  decision: {
    name: 'gen_ai.operation.name',
    calls: new Set([
      'chat',
      'text_completion',
      'completion',
      'generate_content',
      'embeddings',
      'embedding',
      'image_generation',
      'image_edit',
      'image_variation',
    ]),
    source: images,
  },
  model: { names: ['gen_ai.response.model', 'gen_ai.request.model'], source: conventions },
  provider: { names: ['gen_ai.provider.name', 'gen_ai.system'], source: deprecated },
  counts: {
    input: { names: ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'], source: deprecated },
    output: { names: ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'], source: deprecated },
    cacheRead: { names: ['gen_ai.usage.cache_read.input_tokens'], source: conventions },
    cacheWrite: { names: ['gen_ai.usage.cache_creation.input_tokens'], source: conventions },
    reasoning: { names: ['gen_ai.usage.reasoning.output_tokens'], source: conventions },
    total: { names: ['gen_ai.usage.total_tokens'], source: deprecated },
  },
  terms: {
    service_tier: {
      names: [
        'openai.response.service_tier',
        'gen_ai.openai.response.service_tier',
        'openai.request.service_tier',
        'gen_ai.openai.request.service_tier',
      ],
      source: openAi,
    },
  },
  tags: [
    { tag: 'customer', names: ['customer.id', 'customer', 'customer_id', 'tenant.id', 'tenant_id'], source: common },
    { tag: 'user', names: ['user.id', 'enduser.id', 'user_id', 'user.email'], source: common },
    { tag: 'session', names: ['session.id', 'gen_ai.conversation.id'], source: conventions },
    { tag: 'feature', names: ['feature', 'gen_ai.agent.name'], source: conventions },
  ],
  content: {
    names: [
      'gen_ai.input.messages',
      'gen_ai.output.messages',
      'gen_ai.system_instructions',
      'gen_ai.tool.definitions',
      'gen_ai.tool.call.arguments',
      'gen_ai.tool.call.result',
      'gen_ai.retrieval.documents',
      'gen_ai.retrieval.query.text',
      'gen_ai.evaluation.explanation',
      'gen_ai.agent.description',
      'gen_ai.prompt',
      'gen_ai.prompt.',
      'gen_ai.completion',
      'gen_ai.completion.',
      'gen_ai.content.',
      'gen_ai.request.structured_output_schema',
      'exception.message',
      'exception.stacktrace',
      'url.full',
      'url.query',
      'db.query.text',
    ],
    source: conventions,
  },
};
