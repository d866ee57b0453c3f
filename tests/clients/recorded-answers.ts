// Answers in the shapes in which the providers give them, with the usage of each. Texts are short; counts are made up.
import type { Json } from '../support/client.ts';

/** What the usage of an answer comes to, in the buckets of `POST /api/usage/`; buckets that are not named are 0. */
export type Buckets = Readonly<Record<string, number>>;

const created = 1_790_000_000;

/** OpenAI answers with the snapshot that a name stands for. */
const snapshots: Readonly<Record<string, string>> = { 'gpt-4o': 'gpt-4o-2024-08-06', 'gpt-5': 'gpt-5-2025-08-07' };
const snapshotOf = (model: unknown): unknown => snapshots[String(model)] ?? model;

export const chatUsage = {
  prompt_tokens: 2006,
  completion_tokens: 300,
  total_tokens: 2306,
  prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 16 },
  completion_tokens_details: {
    reasoning_tokens: 128,
    audio_tokens: 20,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
};

export const chatAnswer = (model: unknown): Json => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created,
  model: snapshotOf(model),
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: '{"n":1}', refusal: null, annotations: [] },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: chatUsage,
  service_tier: 'flex',
  system_fingerprint: 'fp_1',
});

/** The chunks of a streamed chat completion. With `includeUsage` each has the field `usage`, and one more comes last. */
export function chatChunks(model: unknown, includeUsage: boolean): Json[] {
  const chunk = (delta: Json, finish: string | null = null): Json => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created,
    model: snapshotOf(model),
    service_tier: 'flex',
    system_fingerprint: 'fp_1',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(includeUsage && { usage: null }),
  });
  const chunks = [
    chunk({ role: 'assistant', content: '', refusal: null }),
    chunk({ content: '{"n":' }),
    chunk({ content: '1}' }),
    chunk({}, 'stop'),
  ];
  return includeUsage ? [...chunks, { ...chunk({}), choices: [], usage: chatUsage }] : chunks;
}

const responsesUsage = {
  input_tokens: 1200,
  input_tokens_details: { cached_tokens: 1024 },
  output_tokens: 500,
  output_tokens_details: { reasoning_tokens: 320 },
  total_tokens: 1700,
};

/** An answer of the Responses API that has searched the web twice and opened a page. */
export const responsesAnswer = (model: unknown): Json => ({
  id: 'resp_1',
  object: 'response',
  created_at: created,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: snapshotOf(model),
  output: [
    {
      id: 'ws_1',
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search', query: 'a secret question' },
    },
    { id: 'ws_2', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'another question' } },
    {
      id: 'ws_3',
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'open_page', url: 'https://a.example' },
    },
    {
      id: 'msg_1',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: '{"n":1}', annotations: [] }],
    },
  ],
  parallel_tool_calls: true,
  service_tier: 'default',
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  usage: responsesUsage,
});

export function responsesEvents(model: unknown): Json[] {
  const answer = responsesAnswer(model);
  const begun = { ...answer, status: 'in_progress', output: [], usage: null };
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const part = { type: 'output_text', text: '', annotations: [] };
  const message = { id: 'msg_1', type: 'message', status: 'in_progress', role: 'assistant', content: [] };
  const events: Json[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    { type: 'response.output_item.added', output_index: 0, item: message },
    { type: 'response.content_part.added', ...at, part },
    { type: 'response.output_text.delta', ...at, delta: '{"n":1}', logprobs: [] },
    { type: 'response.output_text.done', ...at, text: '{"n":1}', logprobs: [] },
    { type: 'response.content_part.done', ...at, part: { ...part, text: '{"n":1}' } },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...message, status: 'completed', content: [{ ...part, text: '{"n":1}' }] },
    },
    { type: 'response.completed', response: answer },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}

export const embeddingsAnswer = (model: unknown): Json => ({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5] }],
  model,
  usage: { prompt_tokens: 37, total_tokens: 37 },
});

export const messagesUsage = {
  input_tokens: 21,
  cache_creation_input_tokens: 1500,
  cache_read_input_tokens: 3000,
  cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 500 },
  output_tokens: 393,
  server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 },
  service_tier: 'standard',
};

export const messagesAnswer = (model: unknown): Json => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  content: [{ type: 'text', text: '{"n":1}' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: messagesUsage,
});

/** Half of the usage stands in the first event, the rest in the last but one. */
export function messagesEvents(model: unknown): Json[] {
  const { server_tool_use: tools, output_tokens: output, ...input } = messagesUsage;
  const begun = { ...messagesAnswer(model), content: [], stop_reason: null, usage: { ...input, output_tokens: 4 } };
  return [
    { type: 'message_start', message: begun },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '{"n":' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '1}' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: output, input_tokens: null, server_tool_use: tools },
    },
    { type: 'message_stop' },
  ];
}

const geminiUsage = {
  promptTokenCount: 1100,
  candidatesTokenCount: 90,
  totalTokenCount: 1240,
  cachedContentTokenCount: 1000,
  thoughtsTokenCount: 50,
  promptTokensDetails: [
    { modality: 'TEXT', tokenCount: 1060 },
    { modality: 'AUDIO', tokenCount: 40 },
  ],
};

export const geminiAnswer = (model: string, text = '{"n":1}'): Json => ({
  candidates: [
    {
      content: { role: 'model', parts: [{ text }] },
      finishReason: 'STOP',
      index: 0,
      groundingMetadata: { webSearchQueries: ['a secret question', 'another question'] },
    },
  ],
  usageMetadata: geminiUsage,
  modelVersion: model,
  responseId: 'r1',
});

export const geminiChunks = (model: string): Json[] => [
  {
    candidates: [{ content: { role: 'model', parts: [{ text: '{"n":' }] }, index: 0 }],
    usageMetadata: { promptTokenCount: 1100, totalTokenCount: 1100 },
    modelVersion: model,
    responseId: 'r1',
  },
  geminiAnswer(model, '1}'),
];

const mistralUsage = {
  prompt_tokens: 800,
  completion_tokens: 60,
  total_tokens: 860,
  num_cached_tokens: 512,
};

export const mistralAnswer = (model: unknown): Json => ({
  id: 'cmpl-1',
  object: 'chat.completion',
  created,
  model,
  choices: [{ index: 0, message: { role: 'assistant', content: '{"n":1}', tool_calls: null }, finish_reason: 'stop' }],
  usage: mistralUsage,
});

export function mistralChunks(model: unknown): Json[] {
  const chunk = (content: string, finish: string | null): Json => ({
    id: 'cmpl-1',
    object: 'chat.completion.chunk',
    created,
    model,
    choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: finish }],
  });
  return [chunk('{"n":', null), chunk('1}', null), { ...chunk('', 'stop'), usage: mistralUsage }];
}
