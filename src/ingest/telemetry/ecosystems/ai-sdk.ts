import type { Ecosystem, Source } from '../ecosystem.ts';

const version5: Source = { url: 'https://www.npmjs.com/package/ai/v/5.0.277', version: '5.0.277' };
const version6: Source = { url: 'https://www.npmjs.com/package/ai/v/6.0.326', version: '6.0.326' };
/**
 * `LegacyOpenTelemetry` of this package writes the attributes of version 6; `OpenTelemetry` follows the conventions.
 */
const otel: Source = { url: 'https://www.npmjs.com/package/@ai-sdk/otel/v/1.0.173', version: '1.0.173' };

/** The spans of the AI SDK, versions 5 and 6, and of version 7 with `LegacyOpenTelemetry`. */
export const aiSdk: Ecosystem = {
  name: 'ai-sdk',
  decision: {
    name: 'ai.operationId',
    calls: new Set(['dogenerate', 'dostream', 'doembed', 'generatespeech', 'transcribe', 'streamtranscribe']),
    isLastPart: true,
    source: otel,
  },
  model: { names: ['ai.response.model', 'ai.model.id'], source: version5 },
  provider: { names: ['ai.model.provider'], source: version5 },
  counts: {
    input: {
      names: [
        ...['ai.usage.inputTokens', 'ai.usage.promptTokens', 'gen_ai.usage.input_tokens', 'ai.usage.tokens'],
        'ai.usage.input_tokens',
      ],
      source: version5,
    },
    output: {
      names: [
        ...['ai.usage.outputTokens', 'ai.usage.completionTokens', 'gen_ai.usage.output_tokens'],
        'ai.usage.output_tokens',
      ],
      source: version5,
    },
    // Of transcriptions it writes the provider's usage by its own names.
    inputText: {
      names: ['ai.usage.input_token_details.text_tokens', 'gen_ai.usage.input_token_details.text_tokens'],
      source: otel,
    },
    inputAudio: {
      names: ['ai.usage.input_token_details.audio_tokens', 'gen_ai.usage.input_token_details.audio_tokens'],
      source: otel,
    },
    audioSeconds: { names: ['ai.usage.seconds', 'gen_ai.usage.seconds'], source: otel },
    cacheRead: {
      names: ['ai.usage.inputTokenDetails.cacheReadTokens', 'ai.usage.cachedInputTokens'],
      source: version6,
    },
    cacheWrite: { names: ['ai.usage.inputTokenDetails.cacheWriteTokens'], source: version6 },
    reasoning: {
      names: ['ai.usage.outputTokenDetails.reasoningTokens', 'ai.usage.reasoningTokens'],
      source: version6,
    },
    total: { names: ['ai.usage.totalTokens', 'ai.usage.total_tokens'], source: version5 },
  },
  // Version 5 passes on the input count of these providers, which leaves out cached tokens.
  excludesCache: [
    {
      has: 'ai.operationId',
      provider: ['anthropic', 'bedrock'],
      unless: 'ai.usage.inputTokenDetails.noCacheTokens',
      source: version5,
    },
  ],
  ownUsage: {
    names: [
      'ai.response.providerMetadata#anthropic.usage',
      'ai.response.providerMetadata#google.usageMetadata',
      'ai.response.providerMetadata#vertex.usageMetadata',
      'ai.response.providerMetadata#googleVertex.usageMetadata',
      'ai.response.providerMetadata#openrouter.usage',
      'ai.response.usage',
    ],
    source: version5,
  },
  // The last event of a stream can hold null. Version 5 has Anthropic's own count, which leaves out cached tokens.
  ownInput: { names: ['ai.usage.inputTokenDetails.noCacheTokens', 'ai.usage.inputTokens'], source: version5 },
  terms: { service_tier: { names: ['ai.response.providerMetadata#openai.serviceTier'], source: version6 } },
  tags: [
    {
      tag: 'customer',
      names: [
        'ai.telemetry.metadata.customer',
        'ai.telemetry.metadata.customerId',
        'ai.settings.context.customer',
        'ai.settings.context.customerId',
      ],
      source: version5,
    },
    {
      tag: 'user',
      names: [
        'ai.telemetry.metadata.user',
        'ai.telemetry.metadata.userId',
        'ai.settings.context.user',
        'ai.settings.context.userId',
      ],
      source: version5,
    },
    {
      tag: 'session',
      names: ['ai.telemetry.metadata.sessionId', 'ai.settings.context.sessionId'],
      source: version5,
    },
    { tag: 'feature', names: ['ai.telemetry.functionId'], source: version5 },
  ],
  metadata: [
    { prefix: 'ai.telemetry.metadata.', source: version5 },
    { prefix: 'ai.settings.context.', source: otel },
  ],
  plain: {
    words: [
      'ai.callId',
      'ai.response.id',
      'ai.response.timestamp',
      'ai.response.finishReason',
      'ai.finishReason',
      'ai.stopWhen',
      'ai.toolCall.id',
      'ai.toolCall.name',
      'ai.settings.output',
      'ai.settings.toolChoice',
    ],
    names: ['operation.name', 'resource.name'],
    counts: ['ai.response.usage'],
    namespaces: ['ai', 'operation'],
    events: ['ai.stream.firstChunk', 'ai.stream.finish'],
    source: version6,
  },
};
