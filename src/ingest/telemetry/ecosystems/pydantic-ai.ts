import type { Ecosystem, Source } from '../ecosystem.ts';

const usage: Source = {
  url: 'https://github.com/pydantic/pydantic-ai/blob/4fda38988/pydantic_ai_slim/pydantic_ai/usage.py',
  version: '2026-08-22',
};
const spans: Source = {
  url: 'https://github.com/pydantic/pydantic-ai/blob/4fda38988/pydantic_ai_slim/pydantic_ai/_instrumentation.py',
  version: '2026-08-22',
};

/** Pydantic AI and Logfire. They follow the conventions, and add their own details of usage and content. */
export const pydantic: Ecosystem = {
  name: 'pydantic-ai',
  // Logfire names no operation for agents of OpenAI on chat completions.
  decision: {
    name: 'logfire.msg_template',
    calls: new Set(['chat completion with {gen_ai.request.model!r}', 'responses api with {gen_ai.request.model!r}']),
    source: spans,
  },
  ownUsage: { names: ['gen_ai.usage.raw', 'usage'], source: spans },
  counts: {
    cacheRead: { names: ['gen_ai.usage.details.cache_read_tokens'], source: usage },
    cacheWrite: { names: ['gen_ai.usage.details.cache_write_tokens'], source: usage },
    cacheWrite5m: { names: ['gen_ai.usage.details.ephemeral_5m_input_tokens'], source: usage },
    cacheWrite1h: { names: ['gen_ai.usage.details.ephemeral_1h_input_tokens'], source: usage },
    reasoning: {
      names: ['gen_ai.usage.details.reasoning_tokens', 'gen_ai.usage.details.thoughts_tokens'],
      source: usage,
    },
    inputAudio: { names: ['gen_ai.usage.details.input_audio_tokens'], source: usage },
    outputAudio: { names: ['gen_ai.usage.details.output_audio_tokens'], source: usage },
  },
  follower: { name: 'logfire.span_type', value: 'log', source: spans },
  cost: { names: ['operation.cost'], source: spans },
  plain: {
    words: [
      'model_name',
      'response_id',
      'agent_trace_id',
      'gen_ai.agent.call.id',
      'sdk_span_type',
      'span_type',
      'async',
      'duration',
      'turn',
      'code.function',
      'code.function.name',
      'code.lineno',
      'code.line.number',
      'logfire.level_num',
      'logfire.pending_parent_id',
      'logfire.sample_rate',
      'logfire.span_type',
    ],
    names: ['agent_name', 'code.filepath', 'code.file.path', 'logfire.tags'],
    counts: ['usage'],
    namespaces: ['logfire', 'pydantic_ai', 'code'],
    spanNames: [
      'Chat Completion with {request_data[model]!r}',
      'Chat completion with {gen_ai.request.model!r}',
      'Completion with {request_data[model]!r}',
      'Embedding Creation with {request_data[model]!r}',
      'Image Generation with {request_data[model]!r}',
      'Message with {request_data[model]!r}',
      'Responses API with {gen_ai.request.model!r}',
      'Responses API with {request_data[model]!r}',
      'streaming response from {request_data[model]!r} took {duration:.2f}s',
    ],
    source: spans,
  },
};
