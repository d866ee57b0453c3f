// The names that emitters write, apart from the tables that read them: a row that is lost or misspelt is missed here.
import { expect, test } from 'vitest';
import { decodeJson } from '../../src/ingest/telemetry/otlp/decode-json.ts';
import { processOf } from '../../src/ingest/telemetry/process-of.ts';
import { eventsOfLogs, eventsOfSpans } from '../../src/ingest/telemetry/to-events.ts';
import { runAtOnce } from '../../src/lib/slices.ts';
import { type UsageBucket, usageBuckets } from '../../src/lib/usage-buckets.ts';
import type { Json } from '../support/client.ts';
import { options } from '../support/otlp/options.ts';
import { logRecord, logs, span, traces, type Value } from '../support/otlp/records.ts';

type Attributes = Readonly<Record<string, Value>>;

/** What is read of a span; undefined if it is no call. */
function readSpan(attributes: Attributes, { scope = 'a test', events = [] as readonly unknown[] } = {}) {
  const body = traces([span({ attributes, as: { events } })], { scope });
  const records = runAtOnce(decodeJson(Buffer.from(JSON.stringify(body)), { record: 'span' }));
  return runAtOnce(eventsOfSpans(records, options)).events.find(({ columns }) => columns.phase !== 'before')?.columns;
}

const readLog = (name: string, attributes: Attributes) => readRecord(logRecord(name, attributes), name);

function readRecord(record: Json, name: string) {
  const body = logs([{ ...record, eventName: name }]);
  const records = runAtOnce(decodeJson(Buffer.from(JSON.stringify(body)), { record: 'logRecord' }));
  return runAtOnce(eventsOfLogs(records, options)).events[0]?.columns;
}

/** Attributes by names as tables have them: `a#b.0.c` is a member of the JSON in `a`. */
function nested(values: Attributes): Attributes {
  const attributes: Record<string, Value> = {};
  const objects: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const [attribute = '', path] = name.split('#');
    if (path === undefined) attributes[attribute] = value;
    else objects[attribute] = put(objects[attribute], path.split('.'), value);
  }
  for (const [name, object] of Object.entries(objects)) attributes[name] = JSON.stringify(object);
  return attributes;
}

function put(into: unknown, [step, ...rest]: readonly string[], value: Value): unknown {
  if (step === undefined) return value;
  const at = (into ?? (/^\d$/.test(step) ? [] : {})) as Record<string, unknown>;
  at[step] = put(at[step], rest, value);
  return at;
}

const bucketOf = (usage: readonly number[] | undefined, bucket: UsageBucket) => usage?.[usageBuckets.indexOf(bucket)];

const chat = { 'gen_ai.operation.name': 'chat' };
const llm = { 'openinference.span.kind': 'LLM', 'llm.token_count.prompt': 50, 'llm.token_count.completion': 50 };
const totals = { ...chat, 'gen_ai.usage.input_tokens': 50, 'gen_ai.usage.output_tokens': 50 };
const genkit = { 'genkit:metadata:subtype': 'model', 'genkit:output#usage.inputTokens': 50 };
const mlflow = {
  'mlflow.spanType': 'CHAT_MODEL',
  'mlflow.chat.tokenUsage#input_tokens': 50,
  'mlflow.chat.tokenUsage#output_tokens': 50,
};

test.each<[name: string, bucket: UsageBucket, beside: Attributes, scope?: string]>([
  ['gen_ai.usage.video.input_tokens', 'inputVideo', totals],
  ['gen_ai.usage.audio.cache_read.input_tokens', 'cacheReadAudio', { ...totals, ...cached(7), ...audio(7) }],
  ['gen_ai.usage.image.cache_read.input_tokens', 'cacheReadImage', { ...totals, ...cached(7), ...image(7) }],
  ['gen_ai.usage.cached_input_tokens', 'cacheRead', totals],
  ['gen_ai.usage.prompt_tokens_details.cached_tokens', 'cacheRead', totals],
  ['gen_ai.usage.prompt_tokens_details.cache_creation_tokens', 'cacheWrite', totals],
  ['gen_ai.usage.completion_tokens_details.reasoning_tokens', 'reasoning', totals],
  ['gen_ai.usage.completion_tokens_details.audio_tokens', 'outputAudio', totals],
  ['gen_ai.usage.details.ephemeral_5m_input_tokens', 'cacheWrite', totals],
  ['gen_ai.usage.details.input_audio_tokens', 'inputAudio', totals],
  ['gen_ai.usage.details.output_audio_tokens', 'outputAudio', totals],
  ['gen_ai.usage.input_token_details#cache_read', 'cacheRead', totals],
  ['gen_ai.usage.input_token_details#cache_creation', 'cacheWrite', totals],
  ['gen_ai.usage.input_token_details#ephemeral_5m_input_tokens', 'cacheWrite', totals],
  ['gen_ai.usage.input_token_details#ephemeral_1h_input_tokens', 'cacheWrite1h', totals],
  ['gen_ai.usage.input_token_details#audio', 'inputAudio', totals],
  ['gen_ai.usage.output_token_details#audio', 'outputAudio', totals],
  ['gen_ai.usage.output_token_details#reasoning', 'reasoning', totals],
  ['mirascope.response.usage#reasoning_tokens', 'reasoning', totals],
  ['llm.token_count.prompt_details.audio', 'inputAudio', llm],
  ['llm.token_count.completion_details.audio', 'outputAudio', llm],
  ['genkit:output#usage.inputTokens', 'input', { 'genkit:metadata:subtype': 'background-model' }],
  ['genkit:output#usage.outputTokens', 'output', genkit],
  ['genkit:output#usage.cachedContentTokens', 'cacheRead', genkit],
  ['genkit:output#usage.thoughtsTokens', 'reasoning', { ...genkit, 'genkit:output#usage.outputTokens': 50 }],
  ['genkit:output#custom.usageMetadata.promptTokenCount', 'input', { 'genkit:metadata:subtype': 'model' }],
  ['mlflow.chat.tokenUsage#input_tokens', 'input', { 'mlflow.spanType': 'LLM' }],
  ['mlflow.chat.tokenUsage#output_tokens', 'output', { 'mlflow.spanType': 'LLM' }],
  ['mlflow.chat.tokenUsage#cache_read_input_tokens', 'cacheRead', mlflow],
  ['mlflow.chat.tokenUsage#cache_creation_input_tokens', 'cacheWrite', mlflow],
  ['mlflow.chat.tokenUsage#cache_creation_input_tokens_above_1hr', 'cacheWrite1h', mlflow],
  ['mlflow.spanOutputs#usage_metadata.input_tokens', 'input', { 'mlflow.spanType': 'LLM' }],
  ['mlflow.spanOutputs#generations.0.0.message.usage_metadata.input_tokens', 'input', { 'mlflow.spanType': 'LLM' }],
  ['output.value#response.usage.input_tokens', 'input', { 'openinference.span.kind': 'LLM' }],
  ['output.value#usage_metadata.input_tokens', 'input', { 'openinference.span.kind': 'LLM' }],
  ['output.value#usageMetadata.promptTokenCount', 'input', { 'openinference.span.kind': 'LLM' }],
  ['output.value#replies.0.meta.usage.prompt_tokens', 'input', { 'openinference.span.kind': 'LLM' }],
  ['output.value#meta.usage.prompt_tokens', 'input', { 'openinference.span.kind': 'EMBEDDING' }],
  [
    'haystack.agent.step.llm.output#replies.0.meta.usage.prompt_tokens',
    'input',
    { 'haystack.agent.step.llm.input': '{}' },
  ],
  ['haystack.component.output#replies.0._meta.usage.prompt_tokens', 'input', haystack('ChatGenerator')],
  ['haystack.component.output#meta.0.usage.prompt_tokens', 'input', haystack('ChatGenerator')],
  ['haystack.component.output#meta.usage.prompt_tokens', 'input', haystack('TextEmbedder')],
  ['gcp.vertex.agent.llm_response#usage_metadata.prompt_token_count', 'input', adk()],
  ['llm.openai.usage#prompt_tokens', 'input', { 'llm.request.type': 'responses' }, 'litellm'],
  ...['google.usageMetadata', 'vertex.usageMetadata', 'googleVertex.usageMetadata'].map(
    (of): [string, UsageBucket, Attributes] => [
      `ai.response.providerMetadata#${of}.promptTokenCount`,
      'input',
      { 'ai.operationId': 'ai.generateText.doGenerate' },
    ],
  ),
  [
    'ai.response.providerMetadata#openrouter.usage.prompt_tokens',
    'input',
    { 'ai.operationId': 'ai.generateText.doGenerate' },
  ],
])('D27.8: %s counts as %s', (name, bucket, beside, scope) => {
  expect(bucketOf(readSpan(nested({ ...beside, [name]: 7 }), { ...(scope && { scope }) })?.usage, bucket)).toBe(7);
});

function cached(count: number): Attributes {
  return { 'gen_ai.usage.cache_read.input_tokens': count };
}
function audio(count: number): Attributes {
  return { 'gen_ai.usage.audio.input_tokens': count };
}
function image(count: number): Attributes {
  return { 'gen_ai.usage.image.input_tokens': count };
}
function haystack(type: string): Attributes {
  return { 'haystack.component.type': type, 'haystack.component.output#note': 'x' };
}
function adk(): Attributes {
  return { 'gen_ai.system': 'gcp.vertex.agent', 'gen_ai.request.model': 'm' };
}

test('D27.8: LlamaIndex tells of answers in these events', () => {
  const attributes = span({ attributes: { 'response.raw.usage_metadata.prompt_token_count': 7 } }).attributes;
  for (const name of ['LLMChatEndEvent', 'LLMCompletionEndEvent', 'EmbeddingEndEvent'])
    expect(bucketOf(readSpan({}, { events: [{ name, attributes }] })?.usage, 'input')).toBe(7);
  for (const model of ['model_dict.model_name', 'model_dict.model']) {
    for (const name of ['LLMChatStartEvent', 'LLMCompletionStartEvent', 'EmbeddingStartEvent']) {
      const begun = { name, attributes: span({ attributes: { [model]: 'm9' } }).attributes };
      expect(readSpan({}, { events: [begun, { name: 'LLMChatEndEvent', attributes }] })?.fields.model).toBe('m9');
    }
  }
});

test.each<[name: string, values: readonly string[], scope?: string]>([
  [
    'gen_ai.operation.name',
    ['text_completion', 'image_generation', 'image_edit', 'image_variation', 'ai.streamTranscribe'],
  ],
  ['ai.operationId', ['ai.streamTranscribe']],
  ['genkit:metadata:subtype', ['model', 'background-model', 'embedder']],
  [
    'logfire.msg_template',
    ['Chat completion with {gen_ai.request.model!r}', 'Responses API with {gen_ai.request.model!r}'],
  ],
  [
    'llm.request.type',
    [
      ...['atext_completion', 'text_completion', 'aresponses', 'responses', 'anthropic_messages', 'aembedding'],
      ...['aimage_generation', 'image_generation', 'aimage_edit', 'image_edit', 'atranscription', 'transcription'],
      ...['aspeech', 'speech', 'arerank', 'rerank', 'agenerate_content', 'generate_content'],
      ...['agenerate_content_stream', 'generate_content_stream', 'acompletion', 'completion', 'chat', 'embedding'],
    ],
    'litellm',
  ],
])('D14.2: %s says that a span is one request', (name, values, scope = 'a test') => {
  for (const value of values) expect(readSpan({ [name]: value }, { scope })).toBeDefined();
});

test.each<[name: string, beside: Attributes]>([
  ...['llm.response.model_name', 'llm.request.model_name', 'output.value#model', 'input.value#model'].map(
    (name): [string, Attributes] => [name, llm],
  ),
  ['llm.invocation_parameters#model', llm],
  ['metadata#ls_model_name', llm],
  ['mlflow.llm.model', mlflow],
  ['mlflow.spanOutputs#model', mlflow],
  ['haystack.component.output#meta.model', haystack('Generator')],
])('D14.4: %s names the model', (name, beside) => {
  expect(readSpan(nested({ ...beside, [name]: 'm9' }))?.fields.model).toBe('m9');
});

test.each<[tag: string, names: readonly string[]]>([
  [
    'customer',
    [
      ...['customer_id', 'tenant_id', 'tenantId', 'organization_id', 'organizationId', 'org.id', 'org_id', 'orgId'],
      ...['ai.telemetry.metadata.customerId', 'ai.settings.context.customer', 'ai.settings.context.customerId'],
      ...['metadata.user_api_key_end_user_id', 'traceloop.association.properties.customer_id'],
      ...['traceloop.association.properties.tenant_id', 'metadata.requester_metadata#customer'],
    ],
  ],
  [
    'user',
    [
      ...['ai.telemetry.metadata.user', 'ai.settings.context.user', 'ai.settings.context.userId', 'mlflow.trace.user'],
      ...['metadata.user_api_key_user_email', 'traceloop.association.properties.user', 'user', 'gen_ai.request.user'],
    ],
  ],
  [
    'session',
    [
      ...['sessionId', 'ai.telemetry.metadata.sessionId', 'ai.settings.context.sessionId', 'langfuse.session.id'],
      'mlflow.trace.session',
    ],
  ],
  ['feature', ['langfuse.trace.name']],
  ['plan', ['ai.settings.context.plan', 'metadata.plan', 'traceloop.association.properties.plan']],
])('D14.4: these names say the %s', (tag, names) => {
  for (const name of names) expect([name, readSpan(nested({ ...chat, [name]: 'x' }))?.tags[tag]]).toEqual([name, 'x']);
});

test.each<[provider: string, names: readonly string[]]>([
  ['azure', ['az.ai.inference', 'az.ai.openai', 'azure.ai.inference', 'azure_openai', 'azure_ai']],
  ['aws', ['aws_bedrock', 'bedrock_converse', 'amazon-bedrock', 'bedrock']],
  ['google', ['google_vertexai', 'google.genai', 'googleai', 'vertexai', 'google-gla', 'google-vertex']],
  ['google', ['google.vertex', 'gcp.gemini', 'gcp.gen_ai', 'google_genai', 'google.generative-ai', 'vertex_ai']],
  ['mistral', ['mistralai', 'mistral_ai']],
  ['cohere', ['cohere_chat']],
  ['fireworks', ['fireworks_ai']],
  ['together', ['together_ai']],
  ['', ['agent-framework', 'autogen', 'crewai', 'dspy', 'litellm_proxy', 'llama_index', 'microsoft.agent_framework']],
  ['', ['microsoft.agents', 'semantic_kernel', '_other', 'haystack', 'langgraph', 'smolagents', 'unknown', 'none']],
  ['', ['google-adk', 'mastra', 'openai-agents', 'pipecat', 'portkey', 'semantic-kernel', 'spring_ai', 'traceloop']],
])('D27.9: the provider %s has these names', (provider, names) => {
  for (const name of names)
    expect([name, readSpan({ ...chat, 'gen_ai.provider.name': name })?.dimensions.provider]).toEqual([name, provider]);
  for (const name of names)
    expect([name, readSpan({ ...mlflow, 'mlflow.llm.provider': name })?.dimensions.provider]).toEqual([name, provider]);
});

test.each([
  ['openai', 'eu.api.openai.com'],
  ['zai', 'api.z.ai'],
  ['alibaba', 'dashscope-intl.aliyuncs.com'],
  ['deepinfra', 'api.deepinfra.com'],
  ['minimax', 'api.minimax.io'],
  ['huggingface', 'router.huggingface.co'],
  ['nvidia', 'integrate.api.nvidia.com'],
  ['vercel', 'ai-gateway.vercel.sh'],
])('D27.9: behind a client of OpenAI %s answers at %s', (provider, host) => {
  const sent = { ...chat, 'gen_ai.provider.name': 'openai', 'server.address': host };
  expect(readSpan(sent)?.dimensions.provider).toBe(provider);
});

test('D27.9: these attributes have the address of a provider', () => {
  for (const name of ['server.address', 'gen_ai.openai.api_base', 'llm.openai.api_base', 'url.full', 'http.url'])
    expect(readSpan({ ...chat, [name]: 'https://api.moonshot.ai/v1' })?.dimensions.provider).toBe('moonshotai');
});

test('D26.1: a request names its service tier where the answer does not', () => {
  for (const name of ['openai.request.service_tier', 'gen_ai.openai.request.service_tier'])
    expect(readSpan({ ...chat, [name]: 'flex' })?.fields.service_tier).toBe('flex');
});

test('D27.6: a process has the name that the package for Python gives it', () => {
  const pairs = { 'telemetry.sdk.language': 'python', 'service.name': 'café' };
  const attributes = Object.entries(pairs).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  expect(processOf({ attributes })).toBe('6d98e3b5314f131a');
});

test('D27.6: these attributes have the id of an answer', () => {
  const hasId = (attributes: Attributes) => readSpan({ ...chat, ...attributes })?.fields.origin?.includes('answers');
  for (const name of ['gen_ai.response.id', 'llm.openai.id', 'response_id', 'anthropic.request.id', 'request_id'])
    expect(hasId({ [name]: 'resp_0123456789' })).toBe(true);
  for (const name of ['output.value', 'gen_ai.completion', 'gen_ai.output.messages', 'mlflow.spanOutputs', 'response'])
    expect(hasId({ [name]: '[{"id": "chatcmpl-0123456789"}]' })).toBe(true);
});

test.each<[scope: string, attributes: Attributes]>([
  ['openlit.instrumentation.claude_agent_sdk', chat],
  ['@arizeai/openinference-instrumentation-bedrock', llm],
  ['a-team', { ...chat, 'gen_ai.event.start_time': 'now', 'gen_ai.request.model': 'us.amazon.nova-pro-v1:0' }],
])('D27.9: %s leaves cached tokens out of the input', (scope, attributes) => {
  const counts = { 'gen_ai.usage.input_tokens': 5_000, 'llm.token_count.prompt': 5_000, ...cached(600) };
  const parts = { 'llm.token_count.prompt_details.cache_read': 600 };
  expect(bucketOf(readSpan({ ...attributes, ...counts, ...parts }, { scope })?.usage, 'input')).toBe(5_000);
});

test('D27.9: OpenLIT leaves thoughts out of the output of Gemini', () => {
  const thoughts = { ...totals, 'gen_ai.usage.reasoning.output_tokens': 60 };
  for (const name of ['google_ai_studio', 'vertexai'])
    expect(bucketOf(readSpan(thoughts, { scope: `openlit.instrumentation.${name}` })?.usage, 'output')).toBe(50);
});

test.each<[name: string, beside: Attributes, users: readonly string[]]>([
  ['claude_code.api_request', { input_tokens: 1 }, ['user.email', 'user.account_uuid', 'user.account_id', 'user.id']],
  ['codex.sse_event', { input_token_count: 1 }, ['user.account_id', 'user.email']],
  ['gemini_cli.api_response', { input_token_count: 1 }, ['user.email', 'installation.id']],
])('D14.6: the user of %s has these names', (name, beside, users) => {
  for (const user of users)
    expect([user, readLog(name, { ...beside, [user]: 'ann' })?.tags.user]).toEqual([user, 'ann']);
});

test('D14.6: Claude Code says by these names how fast a request was, and which it was', () => {
  const name = 'claude_code.api_request';
  expect(readLog(name, { input_tokens: 1, speed: 'fast' })?.fields.speed).toBe('fast');
  for (const id of ['request_id', 'client_request_id']) {
    const record = logRecord(name, { input_tokens: 1, [id]: 'req_1' });
    const more = logRecord(name, { input_tokens: 2, [id]: 'req_1' });
    const again = readRecord({ ...more, timeUnixNano: record.timeUnixNano }, name);
    expect(again?.eventId).toBe(readRecord(record, name)?.eventId);
  }
});

test('D14.6: Gemini CLI and Codex count by these names', () => {
  const gemini = {
    ...{ input_token_count: 100, cached_content_token_count: 40, output_token_count: 20, thoughts_token_count: 5 },
    ...{ tool_token_count: 10, total_token_count: 135, model_name: 'gemini-2.5-pro' },
  };
  const read = readLog('gemini_cli.api_response', gemini);
  const buckets = ['input', 'cacheRead', 'output', 'reasoning'] as const;
  expect(buckets.map((bucket) => bucketOf(read?.usage, bucket))).toEqual([70, 40, 20, 5]);
  expect(read?.fields.model).toBe('gemini-2.5-pro');
  const counts = {
    input_token_count: 100,
    cached_token_count: 40,
    cache_write_token_count: 10,
    output_token_count: 25,
  };
  const ofCodex = readLog('codex.sse_event', { ...counts, reasoning_token_count: 5, slug: 'gpt-5-codex' });
  const all = [...buckets, 'cacheWrite'] as const;
  expect(all.map((bucket) => bucketOf(ofCodex?.usage, bucket))).toEqual([50, 40, 20, 5, 10]);
  expect(ofCodex?.fields.model).toBe('gpt-5-codex');
  for (const code of ['error.type', 'status_code'])
    expect(readLog('gemini_cli.api_error', { [code]: '429' })?.fields.error_type).toBe('429');
});
