import type { Ecosystem, Source } from '../ecosystem.ts';

/** The conventions for generative AI, in the last version before they moved to their own repository. */
const conventions: Source = {
  url: 'https://github.com/open-telemetry/semantic-conventions/blob/v1.41.0/docs/registry/attributes/gen-ai.md',
  version: '1.41.0',
};

/** Their own repository since. */
const current: Source = {
  url: 'https://github.com/open-telemetry/semantic-conventions-genai/blob/v0.1.0/model/gen-ai/spans.yaml',
  version: '0.1.0',
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
      // The AI SDK 7's names.
      ...['ai.generatespeech', 'ai.transcribe', 'ai.streamtranscribe'],
    ]),
    source: images,
  },
  model: { names: ['gen_ai.response.model', 'gen_ai.request.model'], source: conventions },
  provider: { names: ['gen_ai.provider.name', 'gen_ai.system'], source: deprecated },
  counts: {
    input: { names: ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'], source: deprecated },
    output: { names: ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'], source: deprecated },
    cacheRead: { names: ['gen_ai.usage.cache_read.input_tokens'], source: conventions },
    cacheWrite: {
      names: ['gen_ai.usage.cache_creation.input_tokens', 'gen_ai.usage.cache_write.input_tokens'],
      source: current,
    },
    inputText: { names: ['gen_ai.usage.text.input_tokens'], source: current },
    inputAudio: { names: ['gen_ai.usage.audio.input_tokens'], source: current },
    inputImage: { names: ['gen_ai.usage.image.input_tokens'], source: current },
    inputVideo: { names: ['gen_ai.usage.video.input_tokens'], source: current },
    cacheReadAudio: { names: ['gen_ai.usage.audio.cache_read.input_tokens'], source: current },
    cacheReadImage: { names: ['gen_ai.usage.image.cache_read.input_tokens'], source: current },
    outputText: { names: ['gen_ai.usage.text.output_tokens'], source: current },
    outputAudio: { names: ['gen_ai.usage.audio.output_tokens'], source: current },
    outputImage: { names: ['gen_ai.usage.image.output_tokens'], source: current },
    reasoning: { names: ['gen_ai.usage.reasoning.output_tokens'], source: conventions },
    total: { names: ['gen_ai.usage.total_tokens'], source: deprecated },
  },
  // No convention has these, and they hold what the conventions' names would.
  ownUsage: { names: ['gen_ai.usage', 'gen_ai.response.usage', 'llm.usage'], source: conventions },
  terms: {
    service_tier: {
      names: [
        'openai.response.service_tier',
        'gen_ai.openai.response.service_tier',
        'gen_ai.response.service_tier',
        'openai.request.service_tier',
        'gen_ai.openai.request.service_tier',
      ],
      source: openAi,
    },
  },
  tags: [
    {
      tag: 'customer',
      names: [
        ...['customer.id', 'customer', 'customer_id', 'customerId', 'tenant.id', 'tenant_id', 'tenantId', 'tenant'],
        ...['organization.id', 'organization_id', 'organizationId', 'org.id', 'org_id', 'orgId'],
      ],
      source: common,
    },
    { tag: 'user', names: ['user.id', 'enduser.id', 'user_id', 'userId', 'user.email'], source: common },
    { tag: 'session', names: ['session.id', 'session_id', 'sessionId', 'gen_ai.conversation.id'], source: conventions },
    { tag: 'feature', names: ['feature'], source: conventions },
    { tag: 'feature', names: ['gen_ai.agent.name'], isWeak: true, source: conventions },
  ],
  plain: {
    words: [
      'gen_ai.agent.id',
      'gen_ai.agent.version',
      'gen_ai.conversation.id',
      'gen_ai.data_source.id',
      'gen_ai.embeddings.dimension.count',
      'gen_ai.openai.api_type',
      'gen_ai.openai.api_version',
      'gen_ai.openai.response.system_fingerprint',
      'gen_ai.openai.system_fingerprint',
      'gen_ai.output.type',
      'gen_ai.request.encoding_formats',
      'gen_ai.request.reasoning.effort',
      'gen_ai.request.reasoning.level',
      'gen_ai.request.type',
      'gen_ai.response.finish_reason',
      'gen_ai.response.finish_reasons',
      'gen_ai.response.id',
      'gen_ai.response.object',
      'gen_ai.response.service_tier',
      'gen_ai.response.system_fingerprint',
      'gen_ai.response.timestamp',
      'gen_ai.token.type',
      'gen_ai.tool.call.id',
      'gen_ai.tool.type',
      'aws.bedrock.guardrail.id',
      'aws.bedrock.knowledge_base.id',
      'aws.request_id',
      'azure.resource_provider.namespace',
      'az.namespace',
      'az.service_request_id',
      'openai.api.type',
      'openai.response.system_fingerprint',
    ],
    names: ['gen_ai.evaluation.name', 'gen_ai.evaluation.score.label', 'gen_ai.tool.name', 'gen_ai.workflow.name'],
    counts: ['gen_ai.usage.raw', 'gen_ai.usage.input_token_details', 'gen_ai.usage.output_token_details'],
    namespaces: ['gen_ai', 'aws', 'az', 'azure', 'openai', 'gcp'],
    events: [
      'gen_ai.system.message',
      'gen_ai.user.message',
      'gen_ai.assistant.message',
      'gen_ai.tool.message',
      'gen_ai.choice',
      'gen_ai.content.prompt',
      'gen_ai.content.completion',
      'gen_ai.client.inference.operation.details',
      'gen_ai.evaluation.result',
    ],
    spanNames: [
      ...['call', 'chat', 'client', 'completion', 'completions', 'create', 'embed', 'embedding', 'embeddings'],
      ...['generate', 'generate_content', 'generation', 'image', 'image_edit', 'image_generation'],
      ...['image_variation', 'inference', 'invoke', 'llm', 'LLM', 'message', 'messages', 'model', 'request'],
      ...['response', 'responses', 'span', 'speech', 'stream', 'text_completion', 'transcription'],
    ],
    source: conventions,
  },
};
