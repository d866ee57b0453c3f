// Answers beside those of chats: of media, documents, agents, interactions and batches. Counts are made up.
import type { Json } from '../support/client.ts';
import { messagesAnswer, responsesAnswer } from './recorded-answers.ts';

export type Reply =
  | { readonly whole: Json }
  | { readonly events: readonly Json[]; readonly isNamed?: boolean }
  | { readonly text: string; readonly contentType: string };

const created = 1_790_000_000;

const completion = (model: unknown): Json => ({
  id: 'cmpl-2',
  object: 'text_completion',
  created,
  model,
  choices: [{ index: 0, text: 'b', logprobs: null, finish_reason: 'stop' }],
});
const completionUsage = { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 };

const imageUsage = {
  input_tokens: 50,
  input_tokens_details: { text_tokens: 50, image_tokens: 0 },
  output_tokens: 1056,
  output_tokens_details: { text_tokens: 0, image_tokens: 1056 },
  total_tokens: 1106,
};
/** An older model's answer has no usage. */
const images = (model: unknown): Json => ({
  created,
  data: [{ b64_json: 'aGk=' }, { b64_json: 'aGk=' }],
  ...(model === 'gpt-image-1' && { usage: imageUsage }),
});
const drawn = (type: string): Json[] => [
  { type: `${type}.partial_image`, b64_json: 'aA==', partial_image_index: 0, created_at: created },
  { type: `${type}.completed`, b64_json: 'aGk=', created_at: created, usage: imageUsage },
];

const heard = { type: 'tokens', input_tokens: 140, input_token_details: { text_tokens: 4, audio_tokens: 136 } };
const heardUsage = { ...heard, output_tokens: 30, total_tokens: 170 };

const batch = (status: string): Json => ({
  id: 'batch_1',
  object: 'batch',
  endpoint: '/v1/responses',
  completion_window: '24h',
  input_file_id: 'file-1',
  created_at: created,
  model: 'gpt-5-2025-08-07',
  status,
  ...(status === 'completed' && {
    completed_at: created + 60,
    usage: {
      input_tokens: 5000,
      input_tokens_details: { cached_tokens: 1000 },
      output_tokens: 800,
      output_tokens_details: { reasoning_tokens: 300 },
      total_tokens: 5800,
    },
  }),
});

const messageBatch = (base: string): Json => ({
  id: 'msgbatch_1',
  type: 'message_batch',
  processing_status: 'ended',
  request_counts: { processing: 0, succeeded: 1, errored: 1, canceled: 0, expired: 0 },
  created_at: '2026-01-01T00:00:00Z',
  expires_at: '2026-01-02T00:00:00Z',
  results_url: `${base}/v1/messages/batches/msgbatch_1/results`,
});
const batchedMessage: Json = {
  ...messagesAnswer('claude-opus-4-8'),
  id: 'msg_batched',
  usage: { input_tokens: 100, output_tokens: 40, service_tier: 'batch' },
};

const mistralUsage = { prompt_tokens: 800, completion_tokens: 60, total_tokens: 860 };
const mistral = (model: unknown): Json => ({
  id: 'cmpl-3',
  object: 'chat.completion',
  created,
  model,
  choices: [{ index: 0, message: { role: 'assistant', content: 'b', tool_calls: null }, finish_reason: 'stop' }],
  usage: mistralUsage,
});
const mistralChunk = (model: unknown): Json => ({
  id: 'cmpl-3',
  object: 'chat.completion.chunk',
  created,
  model,
  choices: [{ index: 0, delta: { role: 'assistant', content: 'b' }, finish_reason: 'stop' }],
  usage: mistralUsage,
});

const talkUsage = {
  prompt_tokens: 210,
  completion_tokens: 33,
  total_tokens: 243,
  connector_tokens: 0,
  connectors: { web_search: 2 },
};
const said = {
  object: 'entry',
  type: 'message.output',
  id: 'msg_c',
  role: 'assistant',
  model: 'mistral-medium-latest',
  content: 'b',
};
const talk: Json = {
  object: 'conversation.response',
  conversation_id: 'conv_1',
  outputs: [said],
  usage: talkUsage,
};
const talkEvents: Json[] = [
  { type: 'conversation.response.started', conversation_id: 'conv_1' },
  {
    type: 'message.output.delta',
    id: 'msg_c',
    output_index: 0,
    content_index: 0,
    role: 'assistant',
    model: said.model,
    content: 'b',
  },
  { type: 'conversation.response.done', usage: talkUsage },
];

const document = (body: Json): Json => ({
  model: body.model,
  pages: [{ index: 0, markdown: '# b', images: [], dimensions: null }],
  document_annotation: body.document_annotation_format === undefined ? null : '{}',
  usage_info: { pages_processed: 3, doc_size_bytes: 999 },
});

const voxtralUsage = { prompt_tokens: 4, prompt_audio_seconds: 9, completion_tokens: 27, total_tokens: 400 };
const transcript = (model: unknown): Json => ({ model, text: 'b', language: 'en', segments: [], usage: voxtralUsage });

const interactionUsage = {
  total_input_tokens: 700,
  total_cached_tokens: 200,
  total_output_tokens: 80,
  total_thought_tokens: 40,
  total_tool_use_tokens: 0,
  total_tokens: 820,
};
const interaction = (model: unknown, status = 'completed'): Json => ({
  id: 'int_1',
  object: 'interaction',
  model,
  status,
  created: '2026-01-01T00:00:00Z',
  updated: '2026-01-01T00:00:00Z',
  ...(status === 'completed' && { usage: interactionUsage, outputs: [{ type: 'text', text: 'b' }] }),
});
const interactionEvents = (model: unknown): Json[] => [
  { event_type: 'interaction.created', interaction: interaction(model, 'in_progress') },
  { event_type: 'interaction.completed', interaction: interaction(model) },
];

const imagen: Json = { predictions: [{ mimeType: 'image/png', bytesBase64Encoded: 'aGk=' }] };

type Answer = (body: Json, base: string) => Reply | undefined;
const whole = (answer: Json): Reply => ({ whole: answer });

/** The answer of one of these paths, by family. */
const answers: Readonly<Record<string, Answer>> = {
  'openai v1/completions': ({ model, stream, stream_options: asked }) =>
    stream
      ? {
          events: [
            completion(model),
            ...(asked ? [{ ...completion(model), choices: [], usage: completionUsage }] : []),
          ],
        }
      : whole({ ...completion(model), usage: completionUsage }),
  'openai v1/responses/compact': ({ model }) =>
    whole({
      id: 'resp_c',
      object: 'response.compaction',
      created_at: created,
      output: [],
      usage: responsesAnswer(model).usage,
    }),
  'openai v1/images/generations': ({ model, stream }) =>
    stream ? { events: drawn('image_generation'), isNamed: true } : whole(images(model)),
  'openai v1/images/edits': ({ stream }) =>
    stream ? { events: drawn('image_edit'), isNamed: true } : whole(images('gpt-image-1')),
  'openai v1/images/variations': () => whole(images('dall-e-2')),
  'openai v1/audio/translations': () => whole({ text: 'b', usage: { type: 'duration', seconds: 9 } }),
  'openai v1/audio/transcriptions': ({ model, stream, response_format: format }) => {
    if (stream) return { events: [{ type: 'transcript.text.done', text: 'b', usage: heardUsage }], isNamed: true };
    if (format === 'verbose_json') return whole({ task: 'transcribe', language: 'en', duration: 8, text: 'b' });
    return whole({ text: 'b', usage: model === 'whisper-1' ? { type: 'duration', seconds: 9 } : heardUsage });
  },
  'openai v1/audio/speech': () => ({ text: 'RIFF', contentType: 'audio/mpeg' }),
  'openai v1/decisions': ({ model }) =>
    whole({ model, answers: [], usage: { input_tokens: 90, output_tokens: 3, total_tokens: 93 } }),
  'openai v1/batches': () => whole(batch('validating')),
  'openai v1/batches/batch_1': () => whole(batch('completed')),
  'openai v1/batches/batch_2': () => whole({ ...batch('in_progress'), id: 'batch_2' }),
  'openai v1/vector_stores': () => whole({ id: 'vs_1', object: 'vector_store' }),
  'anthropic v1/messages/batches': (_body, base) => whole(messageBatch(base)),
  'anthropic v1/messages/batches/msgbatch_1': (_body, base) => whole(messageBatch(base)),
  'anthropic v1/messages/batches/msgbatch_1/results': () => ({
    text: [
      { custom_id: 'a', result: { type: 'succeeded', message: batchedMessage } },
      { custom_id: 'b', result: { type: 'errored', error: { type: 'error' } } },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
    contentType: 'application/x-jsonl',
  }),
  'google v1/interactions': ({ model, stream }) =>
    stream ? { events: interactionEvents(model), isNamed: false } : whole(interaction(model)),
  'google v1beta1/publishers/google/models/imagen-4.0-generate-001:predict': () => whole(imagen),
  'mistral v1/fim/completions': ({ model, stream }) =>
    stream ? { events: [mistralChunk(model)] } : whole(mistral(model)),
  'mistral v1/agents/completions': ({ stream }) =>
    stream ? { events: [mistralChunk('mistral-medium-latest')] } : whole(mistral('mistral-medium-latest')),
  'mistral v1/conversations': ({ stream }) => (stream ? { events: talkEvents, isNamed: true } : whole(talk)),
  'mistral v1/conversations/conv_1': ({ stream }) => (stream ? { events: talkEvents, isNamed: true } : whole(talk)),
  'mistral v1/conversations/conv_1/restart': ({ stream }) =>
    stream ? { events: talkEvents, isNamed: true } : whole(talk),
  'mistral v1/ocr': (body) => whole(document(body)),
  'mistral v1/audio/transcriptions': ({ model, stream }) =>
    stream === 'true'
      ? { events: [{ ...transcript(model), type: 'transcription.done' }], isNamed: true }
      : whole(transcript(model)),
  'mistral v1/audio/speech': () => whole({ audio_data: 'aGk=' }),
};

export const furtherReply = (family: string, path: string, body: Json, base: string): Reply | undefined =>
  answers[`${family} ${path.replace(/[?#].*/, '')}`]?.(body, base);

/** The answer, whole, as a client without the SDK posts it. */
export function answerOf(place: string, body: Json): Json {
  const reply = answers[place]?.(body, '');
  return reply !== undefined && 'whole' in reply ? reply.whole : {};
}

export const batchedAnswer = batchedMessage;
