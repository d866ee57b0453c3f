import { expect, test } from 'vitest';
import { runAtOnce } from '../../src/lib/slices.ts';
import { agents, ecosystems } from '../../src/telemetry/ecosystems/index.ts';
import { decodeJson } from '../../src/telemetry/otlp/decode-json.ts';
import { eventsOfSpans } from '../../src/telemetry/to-events.ts';
import { span, traces, type Value } from '../support/otlp/records.ts';

const options = {
  clientId: 'client',
  projectId: 'project',
  receivedAtMs: Date.parse('2026-12-01T00:00:00Z'),
  keepsContent: false,
  limits: { maxTags: 100, maxEventBytes: 1_048_576 },
};

const eventsOf = (spans: readonly unknown[], scope = 'a test') =>
  runAtOnce(
    eventsOfSpans(
      runAtOnce(decodeJson(Buffer.from(JSON.stringify(traces(spans, { scope }))), { record: 'span' })),
      options,
    ),
  ).events;

/** The event of a span with these attributes; undefined if it is no call. */
function eventOf(attributes: Readonly<Record<string, Value>>, scope = 'a test') {
  return eventsOf([span({ attributes })], scope)[0]?.columns;
}

/** Input, cached, written, output and reasoning of a span. */
function countsOf(attributes: Readonly<Record<string, Value>>, scope?: string): unknown {
  const [input, cached, written, , , , , , , output, reasoning] = eventOf(attributes, scope)?.usage ?? [];
  return [input, cached, written, output, reasoning];
}

const chat = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };

test.each([
  [
    'the conventions',
    {
      ...chat,
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.output_tokens': 200,
      'gen_ai.usage.cache_read.input_tokens': 600,
      'gen_ai.usage.cache_creation.input_tokens': 100,
      'gen_ai.usage.reasoning.output_tokens': 50,
    },
  ],
  [
    'their old names, as OpenLLMetry has them',
    {
      'llm.request.type': 'chat',
      'gen_ai.usage.prompt_tokens': 1000,
      'gen_ai.usage.completion_tokens': 200,
      'gen_ai.usage.cache_read_input_tokens': 600,
      'gen_ai.usage.cache_creation_input_tokens': 100,
      'llm.usage.reasoning_tokens': 50,
    },
  ],
  [
    'Pydantic AI',
    {
      ...chat,
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.output_tokens': 200,
      'gen_ai.usage.details.cache_read_tokens': 600,
      'gen_ai.usage.details.cache_write_tokens': 100,
      'gen_ai.usage.details.reasoning_tokens': 50,
    },
  ],
  [
    'OpenInference',
    {
      'openinference.span.kind': 'LLM',
      'llm.token_count.prompt': 1000,
      'llm.token_count.completion': 200,
      'llm.token_count.prompt_details.cache_read': 600,
      'llm.token_count.prompt_details.cache_write': 100,
      'llm.token_count.completion_details.reasoning': 50,
    },
  ],
  [
    'Langfuse, whose counts add up',
    {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.usage_details': JSON.stringify({
        input: 300,
        input_cached_tokens: 600,
        input_cache_creation: 100,
        output: 150,
        output_reasoning_tokens: 50,
        total: 1200,
      }),
    },
  ],
  [
    'counts as text',
    {
      ...chat,
      'gen_ai.usage.input_tokens': '1000',
      'gen_ai.usage.output_tokens': '200',
      'gen_ai.usage.cache_read.input_tokens': '600',
      'gen_ai.usage.cache_creation.input_tokens': '100',
      'gen_ai.usage.reasoning.output_tokens': '50',
    },
  ],
] as [string, Record<string, Value>][])(
  'D14.4: cached tokens are part of the input, reasoning is part of the output: %s',
  (_name, attributes) => {
    expect(countsOf(attributes)).toEqual([300, 600, 100, 150, 50]);
  },
);

const parts = {
  'gen_ai.usage.output_tokens': 200,
  'gen_ai.usage.cache_read.input_tokens': 600,
  'gen_ai.usage.cache_creation.input_tokens': 100,
};

test.each(['@traceloop/instrumentation-anthropic', 'opentelemetry.instrumentation.bedrock'])(
  'D14.4: %s leaves cached tokens out of the input',
  (scope) => {
    expect(countsOf({ ...chat, ...parts, 'gen_ai.usage.input_tokens': 300 }, scope)).toEqual([300, 600, 100, 200, 0]);
    expect(countsOf({ ...chat, ...parts, 'gen_ai.usage.input_tokens': 1000 })).toEqual([300, 600, 100, 200, 0]);
  },
);

test("D14.4: spans of Anthropic's own client tell the lifetimes of cache writes apart", () => {
  const attributes = {
    ...chat,
    'gen_ai.usage.input_tokens': 1000,
    'gen_ai.usage.output_tokens': 200,
    'gen_ai.usage.cache_read.input_tokens': 600,
    'gen_ai.usage.cache_write.input_tokens': 100,
    'anthropic.usage.cache_creation.ephemeral_5m_input_tokens': 70,
    'anthropic.usage.cache_creation.ephemeral_1h_input_tokens': 30,
    'anthropic.response.service_tier': 'batch',
  };
  const [input, cached, written, forAnHour] = eventOf(attributes)?.usage ?? [];
  expect([input, cached, written, forAnHour]).toEqual([300, 600, 70, 30]);
  expect(eventOf(attributes)?.fields.service_tier).toBe('batch');
});

test.each([
  ['5', { 'ai.usage.inputTokens': 300, 'ai.usage.cachedInputTokens': 600 }],
  [
    '6',
    {
      'ai.usage.inputTokens': 1000,
      'ai.usage.inputTokenDetails.noCacheTokens': 300,
      'ai.usage.inputTokenDetails.cacheReadTokens': 600,
      'ai.usage.inputTokenDetails.cacheWriteTokens': 100,
    },
  ],
])(
  "D14.4: the input that a stream's own usage leaves out is taken from the counts of the AI SDK %s",
  (_version, counts) => {
    const usage = {
      input_tokens: null,
      cache_read_input_tokens: 600,
      cache_creation_input_tokens: 100,
      output_tokens: 200,
    };
    const attributes = {
      'ai.operationId': 'ai.streamText.doStream',
      'ai.model.provider': 'anthropic.messages',
      'ai.response.providerMetadata': JSON.stringify({ anthropic: { usage } }),
      ...counts,
    };
    expect(countsOf(attributes)).toEqual([300, 600, 100, 200, 0]);
  },
);

test('D14.4: Langfuse says by a level that a call failed', () => {
  const failed = (level: string) =>
    eventOf({
      'langfuse.observation.type': 'generation',
      'langfuse.observation.level': level,
      'langfuse.observation.status_message': 'Slow down.',
    });
  expect(failed('ERROR')?.eventType).toMatch(/\.error$/);
  expect(failed('WARNING')?.eventType).toMatch(/\.after$/);
});

test('D14.5: content in metadata is no tag', () => {
  const tags = eventOf({
    ...chat,
    'metadata.customer': 'acme',
    'metadata.gen_ai.system_instructions': 'secret',
    'langfuse.observation.metadata.plan': 'pro',
    'langfuse.observation.metadata.instructions': 'secret',
    'ai.telemetry.metadata.output': 'a name that an app chose',
  })?.tags;
  expect(tags).toEqual({ customer: 'acme', plan: 'pro', output: 'a name that an app chose' });
});

test('D14.4: the AI SDK 5 leaves cached tokens out of the input of Anthropic and Bedrock, later versions do not', () => {
  const call = {
    'ai.operationId': 'ai.streamText.doStream',
    'ai.usage.outputTokens': 200,
    'ai.usage.cachedInputTokens': 600,
  };
  const of = (provider: string, input: number, more = {}) =>
    countsOf({ ...call, 'ai.model.provider': provider, 'ai.usage.inputTokens': input, ...more });
  expect(of('amazon-bedrock', 400)).toEqual([400, 600, 0, 200, 0]);
  expect(of('vertex.anthropic.messages', 400)).toEqual([400, 600, 0, 200, 0]);
  expect(of('openai.responses', 1000)).toEqual([400, 600, 0, 200, 0]);
  expect(of('amazon-bedrock', 1000, { 'ai.usage.inputTokenDetails.noCacheTokens': 400 })).toEqual([
    400, 600, 0, 200, 0,
  ]);
});

test("D14.4: Anthropic's own SDK tells how long what was written to the cache is kept", () => {
  const [event] = eventsOf([
    span({
      attributes: {
        ...chat,
        'gen_ai.usage.input_tokens': 4521,
        'gen_ai.usage.cache_read.input_tokens': 3000,
        'gen_ai.usage.cache_write.input_tokens': 1500,
        'anthropic.usage.cache_creation.ephemeral_5m_input_tokens': 1000,
        'anthropic.usage.cache_creation.ephemeral_1h_input_tokens': 500,
        'anthropic.response.service_tier': 'batch',
        'gen_ai.usage.output_tokens': 393,
      },
    }),
  ]);
  const [input, cached, written, hour, , , , , , output] = event?.columns.usage ?? [];
  expect([input, cached, written, hour, output]).toEqual([21, 3000, 1000, 500, 393]);
  expect(JSON.parse(String(event?.text))).toMatchObject({ service_tier: 'batch' });
});

test('D14.4: a stream of Anthropic by the AI SDK may have a null for its input, which stands elsewhere', () => {
  const own = { input_tokens: null, cache_read_input_tokens: 3000, cache_creation_input_tokens: 0, output_tokens: 393 };
  const call = {
    'ai.operationId': 'ai.streamText.doStream',
    'ai.model.provider': 'anthropic.messages',
    'ai.response.providerMetadata': JSON.stringify({ anthropic: { usage: own } }),
  };
  expect(countsOf({ ...call, 'ai.usage.inputTokens': 21 })).toEqual([21, 3000, 0, 393, 0]);
  const later = { 'ai.usage.inputTokens': 3021, 'ai.usage.inputTokenDetails.noCacheTokens': 21 };
  expect(countsOf({ ...call, ...later })).toEqual([21, 3000, 0, 393, 0]);
});

test('D26.1: the service tier of OpenAI is read from what the AI SDK keeps of its answer', () => {
  const call = {
    'ai.operationId': 'ai.generateText.doGenerate',
    'ai.usage.inputTokens': 5,
    'ai.usage.outputTokens': 1,
  };
  const metadata = { 'ai.response.providerMetadata': JSON.stringify({ openai: { serviceTier: 'flex' } }) };
  const [event] = eventsOf([span({ attributes: { ...call, ...metadata } })]);
  expect(JSON.parse(String(event?.text))).toMatchObject({ service_tier: 'flex' });
});

test("D14.4, D14.5: Langfuse's level tells of an error, and what its wrapper copies from the answer is no tag", () => {
  const [{ columns, text } = { columns: undefined, text: '' }] = eventsOf([
    span({
      attributes: {
        'langfuse.observation.type': 'generation',
        'langfuse.observation.level': 'ERROR',
        'langfuse.observation.status_message': 'Error: 429 Slow down.',
        'langfuse.observation.metadata.customer': 'acme',
        'langfuse.observation.metadata.instructions': 'be secret',
        'langfuse.observation.metadata.status': 'completed',
      },
    }),
  ]);
  expect(columns?.eventType).toBe('chat m1.error');
  const event: unknown = JSON.parse(String(text));
  expect(event).toMatchObject({ tags: { customer: 'acme' }, error_type: 'error' });
  // The text of an error may repeat the prompt.
  expect(event).not.toHaveProperty('error_message');
  expect(event).not.toHaveProperty('tags.status');
  expect(String(text)).not.toContain('be secret');
});

test.each([
  ['openai.chat', 'openai'],
  ['openai', 'openai'],
  ['OpenAI', 'OpenAI'],
  ['gcp.vertex_ai', 'google'],
  ['aws.bedrock', 'aws'],
  ['azure.ai.openai', 'azure'],
  ['mistral_ai', 'mistral'],
  ['xai.chat', 'x-ai'],
  ['our.gateway', 'our.gateway'],
])('D14.4: the provider %s is %s', (name, provider) => {
  expect(eventOf({ ...chat, 'gen_ai.provider.name': name })?.dimensions.provider).toBe(provider);
});

test('D14.2: the first ecosystem whose attribute is there decides', () => {
  expect(eventOf({ ...chat, 'openinference.span.kind': 'AGENT' })).toBeUndefined();
  expect(eventOf({ ...chat, 'ai.operationId': 'ai.generateText' })).toBeUndefined();
  expect(eventOf({ 'gen_ai.operation.name': 'invoke_agent', 'llm.request.type': 'chat' })).toBeUndefined();
  expect(eventOf({ 'gen_ai.usage.input_tokens': 5 })).toBeUndefined();
  expect(eventOf({ 'openinference.span.kind': 'EMBEDDING', 'embedding.model_name': 'e' })?.fields.model).toBe('e');
});

test('D14.2: every row of the tables names its source, with a version', () => {
  const sources = JSON.stringify([ecosystems, agents], (_key, value: unknown) =>
    value instanceof Set ? [...value] : value,
  );
  const found = [...sources.matchAll(/"source":\{"url":"(https:[^"]+)","version":"([^"]+)"\}/g)];
  expect(found.length).toBeGreaterThan(50);
  for (const [, url, version] of found) {
    expect(URL.canParse(url ?? '')).toBe(true);
    expect(version).toMatch(/\d/);
  }
});
