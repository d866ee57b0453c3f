import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { decodeJson } from '../../src/ingest/telemetry/otlp/decode-json.ts';
import { eventsOfSpans } from '../../src/ingest/telemetry/to-events.ts';
import { runAtOnce } from '../../src/lib/slices.ts';
import type { Json } from '../support/client.ts';
import { options } from '../support/otlp/options.ts';
import { newSpanId, newTraceId, span, toAttributes, traces, type Value } from '../support/otlp/records.ts';

const eventsOf = (spans: readonly unknown[], scope = 'a test') =>
  runAtOnce(
    eventsOfSpans(
      runAtOnce(decodeJson(Buffer.from(JSON.stringify(traces(spans, { scope }))), { record: 'span' })),
      options,
    ),
  ).events;

type Attributes = Readonly<Record<string, Value>>;

/** The event of a span with these attributes; undefined if it is no call. */
function eventOf(attributes: Attributes, scope = 'a test', as: Json = {}) {
  return eventsOf([span({ attributes, as })], scope).find(({ columns }) => columns.phase !== 'before')?.columns;
}

/** Input, cached, written, output and reasoning of a span. */
function countsOf(attributes: Attributes, scope?: string): unknown {
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

/** What emitters write where the provider counted 300 new tokens, 600 cached, 100 written, 150 of output, 50 of thoughts. */
const openAiUsage = {
  prompt_tokens: 1000,
  completion_tokens: 200,
  total_tokens: 1200,
  prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 100 },
  completion_tokens_details: { reasoning_tokens: 50 },
};
const langChainUsage = {
  input_tokens: 1000,
  output_tokens: 200,
  total_tokens: 1200,
  input_token_details: { cache_read: 600, cache_creation: 100 },
  output_token_details: { reasoning: 50 },
};
const inPython = (value: object): string =>
  JSON.stringify(value).replaceAll('"', "'").replaceAll('null', 'None').replaceAll('true', 'True');
const totals = { 'gen_ai.usage.input_tokens': 1000, 'gen_ai.usage.output_tokens': 200 };
const llm = { 'openinference.span.kind': 'LLM', 'llm.token_count.prompt': 1000, 'llm.token_count.completion': 200 };

test.each<[string, string, Attributes]>([
  ['Logfire', 'logfire.openai', { ...chat, ...totals, 'gen_ai.usage.raw': JSON.stringify(openAiUsage) }],
  [
    'Logfire, for agents on chat completions',
    'logfire.openai_agents',
    {
      'logfire.msg_template': 'Chat completion with {gen_ai.request.model!r}',
      usage: JSON.stringify({
        ...{ requests: 1, input_tokens: 1000, output_tokens: 200, total_tokens: 1200 },
        input_tokens_details: { cached_tokens: 600, cache_write_tokens: 100 },
        output_tokens_details: { reasoning_tokens: 50 },
      }),
    },
  ],
  [
    'LangSmith',
    'langsmith',
    { ...chat, ...totals, 'langsmith.metadata.usage_metadata': JSON.stringify(langChainUsage) },
  ],
  [
    'LangSmith, in Python',
    'langsmith',
    {
      ...{ ...chat, ...totals },
      'gen_ai.usage.input_token_details': inPython(langChainUsage.input_token_details),
      'gen_ai.usage.output_token_details': inPython(langChainUsage.output_token_details),
    },
  ],
  [
    'Mirascope',
    'mirascope.llm',
    {
      ...{ ...chat, ...totals },
      'mirascope.response.usage': JSON.stringify({
        ...{ input_tokens: 1000, output_tokens: 200, cache_read_tokens: 600, cache_write_tokens: 100 },
        ...{ reasoning_tokens: 50, total_tokens: 1200 },
      }),
    },
  ],
  [
    "LiteLLM's callback",
    'litellm',
    {
      ...{ ...totals, 'gen_ai.operation.name': 'acompletion', 'llm.request.type': 'acompletion' },
      'metadata.usage_object': inPython(openAiUsage),
    },
  ],
  [
    'MLflow',
    'mlflow.tracing.provider',
    { 'mlflow.spanType': '"CHAT_MODEL"', 'mlflow.spanOutputs': JSON.stringify({ id: 'x', usage: openAiUsage }) },
  ],
  [
    'Haystack',
    'my_application',
    {
      'haystack.component.type': 'OpenAIChatGenerator',
      'haystack.component.output': JSON.stringify({ replies: [{ meta: { model: 'm', usage: openAiUsage } }] }),
    },
  ],
  [
    'OpenInference for Haystack',
    'openinference.instrumentation.haystack',
    {
      ...llm,
      'output.value': JSON.stringify({
        replies: [
          `ChatMessage(_role=<ChatRole.ASSISTANT: 'a'>, _name=None, _meta={'usage': ${inPython(openAiUsage)}})`,
        ],
      }),
    },
  ],
  [
    'OpenInference for smolagents',
    'openinference.instrumentation.smolagents',
    {
      ...llm,
      'output.value': JSON.stringify({
        raw: `ChatCompletion(id='x', choices=[Choice(text="it's")], usage=CompletionUsage(${Object.entries(openAiUsage)
          .map(([name, value]) => `${name}=${typeof value === 'object' ? inPython(value) : value}`)
          .join(', ')}))`,
      }),
    },
  ],
  [
    'Langfuse, in the shape of responses',
    'langfuse-sdk',
    {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.usage_details': JSON.stringify({
        ...{ input_tokens: 1000, output_tokens: 200, total_tokens: 1200 },
        input_tokens_details: { cached_tokens: 600, cache_write_tokens: 100 },
        output_tokens_details: { reasoning_tokens: 50 },
      }),
    },
  ],
  [
    "Google's ADK",
    'gcp.vertex.agent',
    {
      ...{ 'gen_ai.system': 'gcp.vertex.agent', 'gen_ai.request.model': 'm', ...totals },
      'gcp.vertex.agent.llm_response': JSON.stringify({ usageMetadata: langChainUsage }),
    },
  ],
])('D27.8: the usage that %s has inside content counts', (_name, scope, attributes) => {
  expect(countsOf(attributes, scope)).toEqual([300, 600, 100, 150, 50]);
  expect(eventOf(attributes, scope)?.ignored).toEqual([]);
});

test('D27.5: requests of which a span has no usage, before functions that a client calls itself, are named', () => {
  const history = [{ parts: [{ text: 'x' }] }, { role: 'model', parts: [{ function_call: { name: 'look' } }] }];
  const output = { usage_metadata: langChainUsage, automatic_function_calling_history: history };
  const of = (answer: object) => eventOf({ ...llm, 'output.value': JSON.stringify(answer) })?.ignored;
  expect(of(output)).toEqual(['automatic_function_calling_history']);
  expect(of({ ...output, automatic_function_calling_history: [] })).toEqual([]);
});

test('D27.8: LlamaIndex tells of an answer in an event of a span without attributes', () => {
  const attributes = [
    { key: 'response.raw.model', value: { stringValue: 'gpt-4o' } },
    { key: 'response.raw.usage.prompt_tokens', value: { intValue: '1000' } },
    { key: 'response.raw.usage.completion_tokens', value: { intValue: '200' } },
    { key: 'response.raw.usage.prompt_tokens_details.cached_tokens', value: { intValue: '600' } },
  ];
  const event = eventOf({}, 'llamaindex', { events: [{ name: 'LLMChatEndEvent', attributes }] });
  expect(event?.usage.slice(0, 2)).toEqual([400, 600]);
  expect(event?.fields.model).toBe('gpt-4o');
});

test.each<[string, string, Attributes]>([
  ['openlit.instrumentation.anthropic', 'chat', {}],
  ['agent_framework', 'chat', { 'gen_ai.request.model': 'claude-sonnet-4-5' }],
  ['agent_framework', 'chat', { 'gen_ai.provider.name': 'aws.bedrock' }],
  ['pipecat', 'chat', { 'gen_ai.request.model': 'claude-sonnet-4-5' }],
  ['opentelemetry.instrumentation.llamaindex', 'chat', { 'gen_ai.request.model': 'claude-sonnet-4-5' }],
  ['opentelemetry.instrumentation.botocore.bedrock-runtime', 'chat', {}],
  ['opentelemetry.instrumentation.genai.bedrock', 'chat', {}],
  [
    'my-agents',
    'chat',
    {
      'gen_ai.system': 'my-agents',
      'gen_ai.request.model': 'claude-sonnet-4-5',
      'gen_ai.event.start_time': '2026-11-28T05:00:00.000Z',
    },
  ],
])('D27.9: %s leaves cached tokens out of the input, however large it is', (scope, _name, attributes) => {
  const sent = { ...chat, ...parts, ...attributes, 'gen_ai.usage.input_tokens': 5000 };
  expect(countsOf(sent, scope)).toEqual([5000, 600, 100, 200, 0]);
  expect(countsOf({ ...sent, 'gen_ai.system': 'openai', 'gen_ai.request.model': 'm' }, 'other')).toEqual([
    4300, 600, 100, 200, 0,
  ]);
});

test.each<[string, string, Attributes]>([
  ['openinference.instrumentation.agno', 'claude-sonnet-4-5', { 'llm.provider': 'Anthropic' }],
  ['openinference.instrumentation.agno', 'claude-sonnet-4-5', {}],
  ['openinference.instrumentation.agno', 'm', { 'llm.provider': 'bedrock' }],
  ['openinference.instrumentation.pipecat', 'claude-sonnet-4-5', {}],
])('D27.9: %s of %s leaves cached tokens out of the prompt, however large it is', (scope, model, attributes) => {
  const sent = {
    ...{ ...llm, 'llm.model_name': model, 'llm.token_count.prompt': 5000, 'llm.token_count.completion': 200 },
    ...{ 'llm.token_count.prompt_details.cache_read': 600, 'llm.token_count.prompt_details.cache_write': 100 },
  };
  expect(countsOf({ ...sent, ...attributes }, scope)).toEqual([5000, 600, 100, 200, 0]);
  expect(countsOf({ ...sent, 'llm.model_name': 'gpt-4o', 'llm.provider': 'OpenAI' }, scope)).toEqual([
    4300, 600, 100, 200, 0,
  ]);
});

test.each([
  ['bedrock.converse', '0.1.59', 5000],
  ['bedrock.converse', '0.1.60', 4300],
  ['bedrock.invoke_model', '0.1.59', 4300],
])('D27.9: OpenInference for Bedrock, %s, version %s', (name, version, input) => {
  const attributes = {
    ...{ ...llm, 'llm.token_count.prompt': 5000 },
    'llm.token_count.prompt_details.cache_read': 600,
    'llm.token_count.prompt_details.cache_write': 100,
  };
  const sent = traces([span({ attributes, as: { name } })], { scope: 'openinference.instrumentation.bedrock' });
  const [group] = sent.resourceSpans as { scopeSpans: { scope: Record<string, unknown> }[] }[];
  Object.assign(group?.scopeSpans[0]?.scope ?? {}, { version });
  const { events } = runAtOnce(
    eventsOfSpans(runAtOnce(decodeJson(Buffer.from(JSON.stringify(sent)), { record: 'span' })), options),
  );
  expect(events[0]?.columns.usage[0]).toBe(input);
});

test("D27.9: OpenLIT's output of Gemini leaves thoughts out", () => {
  const sent = { ...chat, ...totals, 'gen_ai.usage.reasoning_tokens': 50 };
  expect(countsOf(sent, 'openlit.instrumentation.google_ai_studio')).toEqual([1000, 0, 0, 200, 50]);
  expect(countsOf(sent)).toEqual([1000, 0, 0, 150, 50]);
});

test("D27.9: xAI's output leaves reasoning out, unless the total shows that it was added", () => {
  const sent = { ...chat, ...totals, 'gen_ai.request.model': 'grok-4.7', 'gen_ai.usage.reasoning_tokens': 50 };
  expect(countsOf(sent)).toEqual([1000, 0, 0, 200, 50]);
  expect(countsOf({ ...sent, 'gen_ai.usage.total_tokens': 1250 })).toEqual([1000, 0, 0, 200, 50]);
  expect(countsOf({ ...sent, 'gen_ai.usage.total_tokens': 1200 })).toEqual([1000, 0, 0, 150, 50]);
  const contradicted = { ...sent, 'gen_ai.usage.total_tokens': 9000 };
  expect(countsOf(contradicted)).toEqual([1000, 0, 0, 200, 50]);
  expect(eventOf(contradicted)?.ignored).toEqual(['total_tokens']);
});

test('D26.1: a region in the requested name counts where the answer names a plain model', () => {
  const path = 'projects/p/locations/europe-west1/publishers/google/models/gemini-3.6-flash';
  const fieldsOf = (requested: string, answered: string) =>
    eventOf({ ...chat, 'gen_ai.request.model': requested, 'gen_ai.response.model': answered })?.fields;
  expect(fieldsOf(path, 'gemini-3.6-flash')).toMatchObject({ model: 'gemini-3.6-flash', geo: 'europe-west1' });
  const profile = 'global.anthropic.claude-opus-4-6-v1';
  const arn = `arn:aws:bedrock:us-east-1:1:inference-profile/${profile}`;
  expect(fieldsOf(arn, 'claude-opus-4-6')).toMatchObject({ model: profile });
});

test('D27.9: the conventions name sounds and images of both sides', () => {
  const event = eventOf({
    ...{ ...chat, ...totals },
    ...{ 'gen_ai.usage.audio.input_tokens': 300, 'gen_ai.usage.image.input_tokens': 200 },
    ...{ 'gen_ai.usage.text.input_tokens': 500, 'gen_ai.usage.image.output_tokens': 120 },
    'gen_ai.usage.text.output_tokens': 80,
  });
  expect(event?.usage).toEqual([500, 0, 0, 0, 300, 0, 200, 0, 0, 80, 0, 0, 120, 0]);
  expect(event?.ignored).toEqual([]);
});

test.each([
  ['api.deepseek.com', 'deepseek'],
  ['api.x.ai', 'x-ai'],
  ['api.groq.com', 'groq'],
  ['eu.openai.azure.com', 'azure'],
  ['10.0.0.1', 'openai'],
])("D27.9: behind OpenAI's client at %s is %s", (address, provider) => {
  const sent = { ...chat, 'gen_ai.system': 'OpenAI', 'server.address': address };
  expect(eventOf(sent)?.dimensions.provider).toBe(provider);
  expect(eventOf({ ...sent, 'gen_ai.system': 'anthropic' })?.dimensions.provider).toBe('anthropic');
});

test('D27.9: what an emitter puts beside a model is not part of its name', () => {
  const sent = { ...chat, 'gen_ai.request.model': 'openai/gpt-4o:completions' };
  expect(eventOf(sent, 'mirascope.llm')?.fields.model).toBe('gpt-4o');
  expect(eventOf(sent)?.fields.model).toBe('openai/gpt-4o:completions');
});

test.each([
  ['openai', 'openai/gpt-4o', 'gpt-4o'],
  ['gemini', 'gemini/gemini-2.5-flash', 'gemini-2.5-flash'],
  ['amazon_bedrock', 'bedrock/us.amazon.nova-pro-v1:0', 'us.amazon.nova-pro-v1:0'],
  ['openrouter', 'openrouter/openai/gpt-4o', 'openai/gpt-4o'],
  ['openrouter', 'openrouter/auto', 'openrouter/auto'],
  ['together_ai', 'meta-llama/Llama-3.3-70B', 'meta-llama/Llama-3.3-70B'],
  ['groq', 'openai/gpt-oss-120b', 'openai/gpt-oss-120b'],
  ['openai', 'ft:gpt-4o:acme/x', 'ft:gpt-4o:acme/x'],
  ['openai', 'openai/', 'openai/'],
])('D27.9: of %s, the model %s is %s', (provider, model, name) => {
  const sent = { 'openinference.span.kind': 'LLM', 'llm.provider': provider, 'llm.model_name': model };
  expect(eventOf(sent, 'openinference.instrumentation.litellm')?.fields.model).toBe(name);
});

test.each(['amazon_bedrock', 'anthropic_bedrock', 'bedrock_converse', 'aws.bedrock'])('D27.9: %s is aws', (name) => {
  expect(eventOf({ ...chat, 'gen_ai.provider.name': name })?.dimensions.provider).toBe('aws');
});

test.each([
  [{ 'gen_ai.request.model': 'anthropic/claude-sonnet-4-5', 'gen_ai.response.model': 'claude' }, 'claude'],
  [
    {
      ...{ 'gen_ai.request.model': 'claude', 'gen_ai.response.model': 'claude' },
      hidden_params: '{"litellm_model_name": "anthropic/claude-sonnet-4-5"}',
    },
    'claude',
  ],
  [{ 'gen_ai.request.model': 'gpt-4o', 'gen_ai.response.model': 'claude-sonnet-4-5' }, undefined],
  [{ 'gen_ai.request.model': 'claude', 'gen_ai.response.model': 'claude-sonnet-4-5' }, undefined],
])("D27.9: a LiteLLM proxy's alias is no model: %j", (models, group) => {
  const sent = { 'gen_ai.operation.name': 'acompletion', 'gen_ai.system': 'anthropic', ...models, ...totals };
  const event = eventOf(sent, 'litellm');
  expect(event?.fields.model).toBe('claude-sonnet-4-5');
  expect(event?.tags.model_group).toBe(group);
});

test.each([
  ['openai', {}],
  ['openrouter', { cost: 0.25 }],
])("D14.6: a cost that LiteLLM adds to a stream's usage is no charge of %s", (provider, charge) => {
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
  const [event] = eventsOf(
    [
      span({
        attributes: {
          'gen_ai.operation.name': 'acompletion',
          'gen_ai.system': provider,
          'metadata.usage_object': inPython({ ...usage, cost: 0.25 }),
        },
      }),
    ],
    'litellm',
  );
  expect(JSON.parse(Buffer.from(event?.text ?? []).toString()).usage).toEqual({ ...usage, ...charge });
});

test("D27.9: a provider's name, which OpenLIT has for LangChain's models of Anthropic, is no model", () => {
  const sent = { ...chat, 'gen_ai.provider.name': 'anthropic', 'gen_ai.request.model': 'anthropic', ...totals };
  const modelOf = (answered: string) =>
    eventOf({ ...sent, 'gen_ai.response.model': answered }, 'openlit.instrumentation.langchain')?.fields.model;
  expect([modelOf('anthropic'), modelOf('claude-sonnet-4-5')]).toEqual([undefined, 'claude-sonnet-4-5']);
});

test('D27.8: an answered call without any usage is not reported', () => {
  expect(eventOf(chat)?.fields.usage_not_reported).toBe('true');
  expect(eventOf({ ...chat, ...totals })?.fields).not.toHaveProperty('usage_not_reported');
});

test.each<[string, Attributes, string | undefined]>([
  ['an unknown operation', { ...totals, 'gen_ai.operation.name': 'ponder' }, 'not a call: a.library, ponder'],
  ['no operation', totals, 'not a call: a.library, ponder'],
  ['a model alone', { 'llm.model_name': 'gpt-4o' }, 'not a call: a.library, ponder'],
  [
    'a generator of Haystack without content',
    { 'haystack.component.type': 'OpenAIGenerator' },
    'not a call: a.library, ponder',
  ],
  ...[
    ...['llm.tokens.prompt', 'ai.tokens.input', 'gen_ai.token_usage.input', 'gen_ai.client.token.usage'],
    ...['gen_ai.completion_tokens', 'openai.usage.total_tokens', 'mlflow.tokens', 'langsmith.usage_metadata'],
  ].map((name): [string, Attributes, string] => [name, { [name]: 5 }, 'not a call: a.library, ponder']),
  ['usage as JSON', { 'gen_ai.response.usage': '{"input_tokens": 5}' }, 'not a call: a.library, ponder'],
  ['a ranking', { ...llm, 'openinference.span.kind': 'RERANKER' }, 'not a call: a.library, ponder'],
  ...['gen_ai.request.max_tokens', 'gen_ai.token.type', 'ai.settings.maxOutputTokens', 'gen_ai.usage_limit'].map(
    (name): [string, Attributes, undefined] => [name, { [name]: 5 }, undefined],
  ),
  ['a provider alone', { ...totals, 'gen_ai.system': 'openai' }, 'not a call: a.library, ponder'],
  ['an unknown kind', { ...llm, 'openinference.span.kind': 'UNKNOWN' }, 'not a call: a.library, ponder'],
  [
    'an unknown operation of an agent',
    { ...totals, 'gen_ai.operation.name': 'invoke_model', 'gen_ai.agent.name': 'a' },
    'not a call: a.library, ponder',
  ],
  ['an agent', { ...totals, 'gen_ai.operation.name': 'invoke_agent' }, undefined],
  ['an agent without operation', { ...totals, 'gen_ai.agent.name': 'a' }, undefined],
  ['a chain', { ...llm, 'openinference.span.kind': 'CHAIN' }, undefined],
  ['a tool', { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 't' }, undefined],
])('D27.5: what looks like a call and is none is in coverage: %s', (_name, attributes, told) => {
  const events = eventsOf([span({ attributes, as: { name: 'ponder' } })], 'a.library');
  expect(events.flatMap(({ columns }) => columns.ignored)).toEqual(told === undefined ? [] : [told]);
  const traceId = newTraceId();
  const spanId = newSpanId();
  const inside = span({ traceId, parentSpanId: spanId, attributes: { ...chat, ...totals } });
  const both = eventsOf([inside, span({ traceId, spanId, attributes, as: { name: 'ponder' } })], 'a.library');
  expect(both.flatMap(({ columns }) => columns.ignored)).toEqual([]);
});

test('D27.8: usage in an event of a span, or in an object of its own, is read', () => {
  const counts = { 'gen_ai.usage.input_tokens': 5, 'gen_ai.usage.output_tokens': 2 };
  const events = [{ name: 'done', attributes: span({ attributes: counts }).attributes }];
  expect(eventOf(chat, 'a test', { events })?.usage[0]).toBe(5);
  expect(eventOf({ ...chat, ...counts, 'gen_ai.usage.input_tokens': 7 }, 'a test', { events })?.usage[0]).toBe(7);
  for (const usage of ['{"input_tokens": 5, "output_tokens": 2}', "{'prompt_tokens': 5, 'completion_tokens': 2}"])
    expect(eventOf({ ...chat, 'gen_ai.usage': usage })?.usage[0]).toBe(5);
});

test.each<[string, Attributes]>([
  ['LangSmith', { 'langsmith.metadata.customer': 'acme', 'langsmith.metadata.user_id': 'ann' }],
  ['Langfuse, in Python', { 'langfuse.trace.metadata.customer': '"acme"', 'langfuse.user.id': '"ann"' }],
  ['Mirascope', { 'mirascope.ops.session.attributes': '{"customer":"acme","user_id":"ann"}' }],
  ['LiteLLM', { 'metadata.spend_logs_metadata': "{'customer': 'acme', 'user': 'ann'}" }],
  ['LiteLLM for Langfuse', { metadata: '{"q": 1, "spend_logs_metadata": {"customer": "acme", "user": "ann"}}' }],
  ['Mastra', { 'mastra.metadata.customerId': 'acme', 'mastra.metadata.userId': 'ann' }],
  [
    'LiteLLM, whose key has no user',
    { 'metadata.user_api_key_user_id': 'default_user_id', customer: 'acme', user_id: 'ann' },
  ],
  [
    "MLflow, where the request's own user is left out",
    { user: '"<openai.Omit object at 0x7efcba4b3250>"', 'metadata.user_id': 'ann', customer: 'acme' },
  ],
  [
    'Logfire, which takes out what may be secret',
    { customer: "[Scrubbed due to 'session']", 'customer.id': 'acme', 'user.id': 'ann' },
  ],
  ['an app', { customerId: 'acme', userId: 'ann' }],
  ['an app with tenants', { 'tenant.id': 'acme', 'enduser.id': 'ann' }],
  ['an app with organizations', { 'organization.id': 'acme', 'user.id': 'ann' }],
])('D14.4: %s names customer and user', (_name, attributes) => {
  expect(eventOf({ ...chat, ...attributes })?.dimensions).toMatchObject({ customer: 'acme', user: 'ann' });
});

test('D27.6: the spans around the calls of a large request are kept, however many there are', () => {
  const spans = Array.from({ length: 2_500 }, (_, index) => {
    const [traceId, spanId] = [newTraceId(), newSpanId()];
    return [
      span({ traceId, spanId, attributes: { 'farthing.customer': `customer-${index}` } }),
      span({ traceId, parentSpanId: spanId, attributes: chat }),
    ];
  });
  const plain = eventsOf(spans.flat()).filter(({ columns }) => columns.phase === 'before');
  expect(new Set(plain.map(({ columns }) => columns.tags.customer)).size).toBe(2_500);
});

test('D14.4: what frameworks add for themselves is no tag and no feature', () => {
  const id = '5045c1bc-35bb-4b21-9000-5e51e7ed8e36';
  const event = eventOf({
    ...{ ...chat, 'gen_ai.agent.name': id, 'metadata.lc_versions': '{"langchain":"1"}' },
    ...{ 'langsmith.metadata.langgraph_checkpoint_ns': 'model:x', 'langsmith.metadata.ls_provider': 'openai' },
    metadata: JSON.stringify({ plan: 'pro', langgraph_step: 1, checkpoint_ns: 'x' }),
  });
  expect(event?.tags).toEqual({ plan: 'pro' });
});

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
  ['OpenAI', 'openai'],
  ['strands-agents', ''],
  ['gcp.vertex_ai', 'google'],
  ['aws.bedrock', 'aws'],
  ['azure.ai.openai', 'azure'],
  ['mistral_ai', 'mistral'],
  ['xai.chat', 'x-ai'],
  ['our.gateway', 'our.gateway'],
])('D14.4: the provider %s is %s', (name, provider) => {
  expect(eventOf({ ...chat, 'gen_ai.provider.name': name })?.dimensions.provider).toBe(provider);
});

test('D14.5: an object or a list of sentences in metadata is no tag', () => {
  const tagsOf = (value: string) => eventOf({ ...chat, 'mastra.metadata.note': value })?.tags;
  for (const note of ['[beta] gold', '["beta","eu-1"]', 'gold {2}']) expect(tagsOf(note)).toEqual({ note });
  for (const note of ['{"a":"b"}', "{'a': 'b", '["a b"]', '[{"a":1}]', '["a']) expect(tagsOf(note)).toEqual({});
});

test("D27.5: what Mastra's bridge says of a request may sum several", () => {
  const { fields } = eventOf({ ...chat, ...totals }, '@mastra/otel-bridge') ?? {};
  expect(fields?.may_be_sum).toBe('true');
  expect(eventOf({ ...chat, ...totals }, '@mastra/otel-exporter')?.fields).not.toHaveProperty('may_be_sum');
});

test('D27.9: an app that Strands names in place of the provider is none', () => {
  const named = { ...chat, 'gen_ai.system': 'groq' };
  expect(eventOf(named, 'groq')?.dimensions.provider).toBe('groq');
  expect(eventOf({ ...named, 'gen_ai.event.start_time': 'now' }, 'groq')?.dimensions.provider).toBe('');
});

test("D27.6: the id of an item of OpenAI's answer tells no answers apart", () => {
  const generation = { 'langfuse.observation.type': 'generation', 'langfuse.observation.model.name': 'm' };
  const idOf = (output: string) => {
    const { origin = '{}' } = eventOf({ ...generation, 'langfuse.observation.output': output })?.fields ?? {};
    const { answers, loose } = JSON.parse(origin) as { answers?: string[]; loose?: boolean };
    return [answers?.length, loose];
  };
  const id = 'msg_01XFDUDYJgAACzvnptVVYgEL';
  expect(idOf(`{"id": "${id}", "type": "message", "role": "assistant"}`)).toEqual([1, undefined]);
  expect(idOf(`{"id": "${id}", "type": "message", "status": "completed"}`)).toEqual([1, true]);
  expect(idOf(`{"content": [{"type": "text", "annotations": [], "id": "${id}"}]}`)).toEqual([1, true]);
  expect(idOf(`ResponseOutputMessage(id='${id}', role='assistant', status='completed')`)).toEqual([1, true]);
  expect(idOf('{"type": "message", "status": "completed"}')).toEqual([undefined, undefined]);
  // LangChain gives the parts of a stream the ids of their items; Anthropic's parts have none.
  const part = { type: 'text', text: 'a } and {', index: 0, id };
  expect(idOf(JSON.stringify({ role: 'assistant', content: [part] }))).toEqual([1, true]);
  expect(idOf(`{'content': [{'type': 'text', 'text': 'a', 'index': 0, 'id': '${id}'}]}`)).toEqual([1, true]);
  expect(idOf(JSON.stringify({ content: [{ type: 'text', text: 'a', index: 0 }], type: 'ai', id }))).toEqual([
    1,
    undefined,
  ]);
});

test.each([
  ['GeneratorExit', '', true],
  ['Exception', 'GeneratorExit()Traceback (most recent call last):', true],
  ['openai.BadRequestError', 'it names no GeneratorExit', false],
])('D15.3: a stream that was left by %s %s is aborted, and has not failed: %s', (type, message, isLeft) => {
  const thrown = {
    name: 'exception',
    attributes: toAttributes({ 'exception.type': type, 'exception.message': message }),
  };
  const as = { events: [thrown], status: { code: 2 } };
  const { phase, fields } = eventOf(chat, 'a test', as) ?? {};
  expect([phase, fields?.aborted]).toEqual(isLeft ? ['after', 'true'] : ['error', undefined]);
});

test('D14.2: the first ecosystem whose attribute is there decides', () => {
  expect(eventOf({ ...chat, 'openinference.span.kind': 'AGENT' })).toBeUndefined();
  expect(eventOf({ ...chat, 'ai.operationId': 'ai.generateText' })).toBeUndefined();
  expect(eventOf({ 'gen_ai.operation.name': 'invoke_agent', 'llm.request.type': 'chat' })).toBeUndefined();
  expect(eventOf({ 'gen_ai.usage.input_tokens': 5 })).toBeUndefined();
  expect(eventOf({ 'openinference.span.kind': 'EMBEDDING', 'embedding.model_name': 'e' })?.fields.model).toBe('e');
});

test('D14.2: every source that a row of a table names is one of its file, and each of these is named', () => {
  const folder = new URL('../../ecosystems/', import.meta.url);
  for (const name of readdirSync(folder)) {
    const text = readFileSync(new URL(name, folder), 'utf8');
    const named = [...text.matchAll(/"source": "(\w+)"/g)].map(([, source]) => source);
    expect([name, ...new Set(named)].sort()).toEqual([name, ...Object.keys(JSON.parse(text).sources ?? {})].sort());
  }
});
