// Calls of the providers' own clients reach the service with exactly what the provider's usage says (D15.1).
import { randomUUID } from 'node:crypto';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createAnthropic as createAnthropicV2 } from '@ai-sdk/anthropic-v2';
import { createAnthropic as createAnthropicV3 } from '@ai-sdk/anthropic-v3';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAI as createOpenAiV2 } from '@ai-sdk/openai-v2';
import { createOpenAI as createOpenAiV3 } from '@ai-sdk/openai-v3';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { Mistral } from '@mistralai/mistralai';
import * as ai7 from 'ai';
import * as ai5 from 'ai-v5';
import * as ai6 from 'ai-v6';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Farthing } from '../../packages/sdk/src/index.ts';
import type { Json, Project } from '../support/client.ts';
import { dollars, picos } from '../support/decimal.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { answerOf, batchedAnswer } from './further-answers.ts';
import {
  type Buckets,
  chatAnswer,
  embeddingsAnswer,
  geminiAnswer,
  messagesAnswer,
  mistralAnswer,
  responsesAnswer,
} from './recorded-answers.ts';
import { type CallRow, callsOf, openReporting, unitRates } from './reporting.ts';

let fake: FakeProvider;
let project: Project;
let farthing: Farthing;

/** The calls of the project by customer, and all its events as text. */
let made: Map<string, CallRow[]>;
let events: string;

beforeAll(async () => {
  fake = await startFakeProvider();
  ({ project, farthing } = await openReporting());
  for (const [name, , make] of scenarios) {
    const who = { customer: name, user: 'ann', feature: 'chat', run: `run of ${name}`, tags: { plan: 'pro' } };
    await farthing.with(who, async () => {
      // The attribution holds across awaits.
      await Promise.resolve();
      await make();
    });
  }
  await farthing.flush();
  // A page of events has no more than these.
  events = (await project.api('GET', '/api/events/?limit=1000')).text;
  await project.post(...scenarios.map(toRawEvent));
  made = Map.groupBy(await callsOf(project), ({ customer }) => customer);
});

afterAll(async () => {
  await farthing.close();
  await fake.close();
});

/** What an answer comes to, by the provider's documentation of its usage. */
interface Expected {
  readonly model: string;
  readonly provider: string;
  /** The answer as the provider sends it. */
  readonly answer: Json;
  readonly tokens: Buckets;
  readonly units?: Readonly<Record<string, number>>;
  /** What the answer does not say, of the request. */
  readonly asked?: Json;
}

const expected = {
  chat: {
    model: 'gpt-5-2025-08-07',
    provider: 'openai',
    answer: chatAnswer('gpt-5'),
    tokens: { input: 70, input_audio: 16, cache_read: 1920, output: 152, output_audio: 20, reasoning: 128 },
  },
  responses: {
    model: 'gpt-5-2025-08-07',
    provider: 'openai',
    answer: responsesAnswer('gpt-5'),
    tokens: { input: 176, cache_read: 1024, output: 180, reasoning: 320 },
    units: { web_searches: 2 },
  },
  embeddings: {
    model: 'text-embedding-3-small',
    provider: 'openai',
    answer: embeddingsAnswer('text-embedding-3-small'),
    tokens: { input: 37 },
  },
  messages: {
    model: 'claude-opus-4-8',
    provider: 'anthropic',
    answer: messagesAnswer('claude-opus-4-8'),
    tokens: { input: 21, cache_read: 3000, cache_write: 1000, cache_write_1h: 500, output: 393 },
    units: { web_searches: 2 },
  },
  gemini: {
    model: 'gemini-2.5-flash',
    provider: 'google',
    answer: geminiAnswer('gemini-2.5-flash'),
    tokens: { input: 60, input_audio: 40, cache_read: 1000, output: 90, reasoning: 50 },
    units: { grounded_prompts: 1, grounded_queries: 2 },
  },
  mistral: {
    model: 'mistral-large-latest',
    provider: 'mistral',
    answer: mistralAnswer('mistral-large-latest'),
    tokens: { input: 288, cache_read: 512, output: 60 },
  },
  mistralEmbeddings: {
    model: 'mistral-embed',
    provider: 'mistral',
    answer: embeddingsAnswer('mistral-embed'),
    tokens: { input: 37 },
  },
} satisfies Record<string, Expected>;

/** The rates of `openReporting`, in dollars per million tokens and per unit. An hour of cache has the rate of the usual one. */
const rates: Buckets = {
  input: 3,
  cache_read: 1,
  cache_write: 4,
  cache_write_1h: 4,
  input_audio: 40,
  output: 15,
  output_audio: 80,
  reasoning: 17,
  output_image: 15,
};

function costOf({ tokens, units = {} }: Pick<Expected, 'tokens' | 'units'>): number {
  // A dollar per million tokens is a million picodollars for each.
  const ofTokens = Object.entries(tokens).map(([name, count]) => BigInt(count * (rates[name] ?? 0)) * 1_000_000n);
  const ofUnits = Object.entries(units).map(([name, count]) => BigInt(count) * picos(unitRates[name] ?? 0));
  return dollars([...ofTokens, ...ofUnits].reduce((sum, amount) => sum + amount, 0n));
}

const collect = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
};

const openAi = () => farthing.wrap(new OpenAI({ apiKey: 'k', baseURL: fake.url('openai'), maxRetries: 0 }));
const anthropic = () => farthing.wrap(new Anthropic({ apiKey: 'k', baseURL: fake.url('anthropic'), maxRetries: 0 }));
const google = () => farthing.wrap(new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: fake.url('google') } }));
const vertex = () =>
  farthing.wrap(new GoogleGenAI({ vertexai: true, apiKey: 'k', httpOptions: { baseUrl: fake.url('google') } }));
const mistral = () => farthing.wrap(new Mistral({ apiKey: 'k', serverURL: fake.url('mistral') }));

const messages = [{ role: 'user' as const, content: 'a secret question' }];
const chat = { model: 'gpt-5', messages };
const input = { model: 'gpt-5', input: 'a secret question' };
const claude = { model: 'claude-opus-4-8', max_tokens: 100, messages };
const gemini = { model: 'gemini-2.5-flash', contents: 'a secret question' };
const large = { model: 'mistral-large-latest', messages };
const prompt = 'a secret question';

const middleware = () => farthing.middleware();
const keyed = (family: 'openai' | 'anthropic') => ({
  apiKey: 'k',
  baseURL: family === 'openai' ? fake.url('openai') : `${fake.url('anthropic')}/v1`,
});
/** The AI SDK's models by its version, wrapped as its documentation shows. */
const modelsOf = {
  5: (name: 'chat' | 'responses' | 'messages') => {
    const open = createOpenAiV2(keyed('openai'));
    const model = name === 'messages' ? createAnthropicV2(keyed('anthropic'))(claude.model) : open[name]('gpt-5');
    return ai5.wrapLanguageModel({ model, middleware: middleware() });
  },
  6: (name: 'chat' | 'responses' | 'messages') => {
    const open = createOpenAiV3(keyed('openai'));
    const model = name === 'messages' ? createAnthropicV3(keyed('anthropic'))(claude.model) : open[name]('gpt-5');
    return ai6.wrapLanguageModel({ model, middleware: middleware() });
  },
  7: (name: 'chat' | 'responses' | 'messages') => {
    const open = createOpenAI(keyed('openai'));
    const model = name === 'messages' ? createAnthropic(keyed('anthropic'))(claude.model) : open[name]('gpt-5');
    return ai7.wrapLanguageModel({ model, middleware: middleware() });
  },
};

type Scenario = readonly [name: string, expected: Expected, make: () => Promise<unknown>];

/** Version 5 of the AI SDK must know the tools that the answer has used. */
const tools = { web_search: ai5.tool({ inputSchema: ai5.jsonSchema({}) }) } as unknown as ai5.ToolSet;

const ofAiSdk = (['chat', 'responses', 'messages'] as const).flatMap((name): Scenario[] => [
  [`ai 5, ${name}`, expected[name], () => ai5.generateText({ model: modelsOf[5](name), prompt, tools })],
  [`ai 6, ${name}`, expected[name], () => ai6.generateText({ model: modelsOf[6](name), prompt })],
  [`ai 7, ${name}`, expected[name], () => ai7.generateText({ model: modelsOf[7](name), prompt })],
  [
    `ai 5, ${name} streamed`,
    expected[name],
    () => collect(ai5.streamText({ model: modelsOf[5](name), prompt, tools }).fullStream),
  ],
  [
    `ai 6, ${name} streamed`,
    expected[name],
    () => collect(ai6.streamText({ model: modelsOf[6](name), prompt }).fullStream),
  ],
  [
    `ai 7, ${name} streamed`,
    expected[name],
    () => collect(ai7.streamText({ model: modelsOf[7](name), prompt }).fullStream),
  ],
]);

/** Claude has no tool to call, so each of these makes one request. */
const thread = { model: claude.model, max_tokens: 100 };
const runner = { ...claude, tools: [] };
const file = () => new File(['RIFF'], 'a.wav');
const voice = { input: 'a secret question', voice: 'ash' as const };
const scan = {
  model: 'mistral-ocr-latest',
  document: { type: 'document_url' as const, documentUrl: 'https://a.example' },
};
const talk = { inputs: 'a secret question', model: 'mistral-medium-latest' };
const more = { conversationId: 'conv_1', conversationAppendRequest: { inputs: prompt } };
const again = { conversationId: 'conv_1', conversationRestartRequest: { inputs: prompt, fromEntryId: 'e' } };

const openAiPlace = (
  place: string,
  model: string,
  rest: Omit<Expected, 'answer' | 'model' | 'provider'>,
): Expected => ({
  model,
  provider: 'openai',
  answer: answerOf(`openai v1/${place}`, { model }),
  ...rest,
});
const mistralPlace = (
  place: string,
  model: string,
  rest: Omit<Expected, 'answer' | 'model' | 'provider'>,
  body: Json = {},
): Expected => ({
  model,
  provider: 'mistral',
  answer: answerOf(`mistral v1/${place}`, { model, ...body }),
  ...rest,
});

const further = {
  completions: openAiPlace('completions', 'gpt-3.5-turbo-instruct', { tokens: { input: 12, output: 7 } }),
  compact: openAiPlace('responses/compact', 'gpt-5', {
    tokens: { input: 176, cache_read: 1024, output: 180, reasoning: 320 },
  }),
  image: openAiPlace('images/generations', 'gpt-image-1', { tokens: { input: 50, output_image: 1056 } }),
  dalle: openAiPlace('images/generations', 'dall-e-3', { tokens: {}, units: { images: 2 } }),
  heard: openAiPlace('audio/transcriptions', 'gpt-4o-transcribe', {
    tokens: { input: 4, input_audio: 136, output: 30 },
  }),
  whisper: openAiPlace('audio/transcriptions', 'whisper-1', { tokens: {}, units: { audio_seconds: 9 } }),
  verbose: {
    ...openAiPlace('audio/transcriptions', 'whisper-1', { tokens: {}, units: { audio_seconds: 8 } }),
    answer: answerOf('openai v1/audio/transcriptions', { response_format: 'verbose_json' }),
  },
  speech: openAiPlace('audio/speech', 'tts-1', { tokens: {}, units: { characters: 17 }, asked: { characters: 17 } }),
  decisions: openAiPlace('decisions', 'gpt-6-luna', { tokens: { input: 90, output: 3 } }),
  batch: openAiPlace('batches/batch_1', 'gpt-5-2025-08-07', {
    tokens: { input: 4000, cache_read: 1000, output: 500, reasoning: 300 },
  }),
  messageBatch: {
    model: 'claude-opus-4-8',
    provider: 'anthropic',
    answer: batchedAnswer,
    tokens: { input: 100, output: 40 },
  },
  interaction: {
    model: 'gemini-2.5-flash',
    provider: 'google',
    answer: answerOf('google v1/interactions', { model: 'gemini-2.5-flash' }),
    tokens: { input: 500, cache_read: 200, output: 80, reasoning: 40 },
  },
  imagen: {
    model: 'imagen-4.0-generate-001',
    provider: 'google-vertex',
    answer: { generatedImages: [{ image: { imageBytes: 'aGk=' } }] },
    tokens: {},
    units: { images: 1 },
  },
  fim: mistralPlace('fim/completions', 'codestral-latest', { tokens: { input: 800, output: 60 } }),
  agent: mistralPlace('agents/completions', 'mistral-medium-latest', { tokens: { input: 800, output: 60 } }),
  talk: mistralPlace('conversations', 'mistral-medium-latest', {
    tokens: { input: 210, output: 33 },
    units: { web_searches: 2 },
  }),
  ocr: mistralPlace('ocr', 'mistral-ocr-latest', { tokens: {}, units: { pages: 3 } }),
  annotated: mistralPlace(
    'ocr',
    'mistral-ocr-latest',
    { tokens: {}, units: { pages: 3, annotated_pages: 3 } },
    { document_annotation_format: {} },
  ),
  voxtral: mistralPlace('audio/transcriptions', 'voxtral-mini-latest', {
    tokens: { input: 4, output: 27 },
    units: { audio_seconds: 9 },
  }),
  spoken: mistralPlace('audio/speech', 'voxtral-tts', {
    tokens: {},
    units: { characters: 17 },
    asked: { characters: 17 },
  }),
} satisfies Record<string, Expected>;

const instruct = { model: 'gpt-3.5-turbo-instruct', prompt };
const drawing = { model: 'gpt-image-1', prompt };

const ofFurther: readonly Scenario[] = [
  ['beta toolRunner', expected.messages, () => anthropic().beta.messages.toolRunner(runner).runUntilDone()],
  [
    'beta toolRunner, streamed',
    expected.messages,
    async () => {
      for await (const stream of anthropic().beta.messages.toolRunner({ ...runner, stream: true })) {
        await stream.finalMessage();
      }
    },
  ],
  ['a thread', expected.messages, () => anthropic().beta.messages.thread(thread).send(messages)],
  [
    'a streamed thread',
    expected.messages,
    () => anthropic().beta.messages.thread(thread).stream(messages).finalMessage(),
  ],
  ['completions.create', further.completions, () => openAi().completions.create(instruct)],
  [
    'completions.create, streamed',
    further.completions,
    async () => collect(await openAi().completions.create({ ...instruct, stream: true })),
  ],
  ['responses.compact', further.compact, () => openAi().responses.compact(input)],
  ['beta.responses.create', expected.responses, () => openAi().beta.responses.create(input)],
  ['images.generate', further.image, () => openAi().images.generate(drawing)],
  ['images.generate withResponse', further.image, () => openAi().images.generate(drawing).withResponse()],
  [
    'images.generate asResponse',
    further.image,
    async () => (await openAi().images.generate(drawing).asResponse()).json(),
  ],
  [
    'images.generate, streamed',
    further.image,
    async () => collect(await openAi().images.generate({ ...drawing, stream: true })),
  ],
  ['images.generate without usage', further.dalle, () => openAi().images.generate({ model: 'dall-e-3', prompt })],
  ['images.edit', further.image, () => openAi().images.edit({ ...drawing, image: file() })],
  [
    'audio.transcriptions.create',
    further.heard,
    () => openAi().audio.transcriptions.create({ model: 'gpt-4o-transcribe', file: file() }),
  ],
  [
    'audio.transcriptions.create, streamed',
    further.heard,
    async () =>
      collect(await openAi().audio.transcriptions.create({ model: 'gpt-4o-transcribe', file: file(), stream: true })),
  ],
  [
    'a transcription by its duration',
    further.whisper,
    () => openAi().audio.transcriptions.create({ model: 'whisper-1', file: file() }),
  ],
  [
    'a verbose transcription',
    further.verbose,
    () => openAi().audio.transcriptions.create({ model: 'whisper-1', file: file(), response_format: 'verbose_json' }),
  ],
  [
    'audio.speech.create',
    further.speech,
    async () => (await openAi().audio.speech.create({ model: 'tts-1', ...voice })).arrayBuffer(),
  ],
  [
    'decisions.create',
    further.decisions,
    () => openAi().decisions.create({ model: 'gpt-6-luna', input: prompt, questions: [] }),
  ],
  [
    'a batch of OpenAI',
    further.batch,
    // Each of these is told twice, with the same id, and has no event before it.
    async () => {
      const client = openAi();
      await client.batches.retrieve('batch_2');
      await client.batches.retrieve('batch_1');
      await client.batches.retrieve('batch_1');
    },
  ],
  [
    'a batch of Anthropic',
    further.messageBatch,
    async () => {
      const client = anthropic();
      expect(await collect(await client.messages.batches.results('msgbatch_1'))).toHaveLength(2);
      await collect(await client.beta.messages.batches.results('msgbatch_1'));
    },
  ],
  [
    'interactions.create',
    further.interaction,
    () => google().interactions.create({ model: 'gemini-2.5-flash', input: prompt }),
  ],
  [
    'interactions.create, streamed',
    further.interaction,
    async () => collect(await google().interactions.create({ model: 'gemini-2.5-flash', input: prompt, stream: true })),
  ],
  [
    'models.generateImages',
    further.imagen,
    () => vertex().models.generateImages({ model: 'imagen-4.0-generate-001', prompt }),
  ],
  ['fim.complete', further.fim, () => mistral().fim.complete({ model: 'codestral-latest', prompt })],
  ['fim.stream', further.fim, async () => collect(await mistral().fim.stream({ model: 'codestral-latest', prompt }))],
  ['agents.complete', further.agent, () => mistral().agents.complete({ agentId: 'ag_1', messages })],
  ['agents.stream', further.agent, async () => collect(await mistral().agents.stream({ agentId: 'ag_1', messages }))],
  ['conversations.start', further.talk, () => mistral().beta.conversations.start(talk)],
  [
    'conversations.startStream',
    further.talk,
    async () => collect(await mistral().beta.conversations.startStream({ ...talk, stream: true })),
  ],
  ['conversations.append', further.talk, () => mistral().beta.conversations.append(more)],
  ['conversations.restart', further.talk, () => mistral().beta.conversations.restart(again)],
  ['ocr.process', further.ocr, () => mistral().ocr.process(scan)],
  [
    'ocr.process with annotations',
    further.annotated,
    () =>
      mistral().ocr.process({
        ...scan,
        documentAnnotationFormat: { type: 'json_schema', jsonSchema: { name: 'a', schemaDefinition: {} } },
      }),
  ],
  [
    'audio.transcriptions.complete',
    further.voxtral,
    () => mistral().audio.transcriptions.complete({ model: 'voxtral-mini-latest', fileUrl: 'https://a.example' }),
  ],
  [
    'audio.transcriptions.stream',
    further.voxtral,
    async () =>
      collect(
        await mistral().audio.transcriptions.stream({ model: 'voxtral-mini-latest', fileUrl: 'https://a.example' }),
      ),
  ],
  [
    'audio.speech.complete',
    further.spoken,
    () => mistral().audio.speech.complete({ model: 'voxtral-tts', input: 'a secret question' }),
  ],
];

const scenarios: readonly Scenario[] = [
  ...ofFurther,
  ['chat.completions.create', expected.chat, () => openAi().chat.completions.create(chat)],
  [
    'chat.completions.create, streamed',
    expected.chat,
    async () => collect(await openAi().chat.completions.create({ ...chat, stream: true })),
  ],
  ['chat.completions.parse', expected.chat, () => openAi().chat.completions.parse(chat)],
  ['chat.completions.stream', expected.chat, () => openAi().chat.completions.stream(chat).finalChatCompletion()],
  ['chat withResponse', expected.chat, () => openAi().chat.completions.create(chat).withResponse()],
  ['chat asResponse', expected.chat, async () => (await openAi().chat.completions.create(chat).asResponse()).json()],
  ['a copy withOptions', expected.chat, () => openAi().withOptions({ timeout: 9_000 }).chat.completions.create(chat)],
  ['responses.create', expected.responses, () => openAi().responses.create(input)],
  [
    'responses.create, streamed',
    expected.responses,
    async () => collect(await openAi().responses.create({ ...input, stream: true })),
  ],
  ['responses.parse', expected.responses, () => openAi().responses.parse(input)],
  ['responses.stream', expected.responses, () => openAi().responses.stream(input).finalResponse()],
  [
    'embeddings.create',
    expected.embeddings,
    () => openAi().embeddings.create({ model: 'text-embedding-3-small', input: 'x', encoding_format: 'float' }),
  ],
  [
    'farthing.call around embed of ai 7',
    expected.embeddings,
    () => {
      const model = createOpenAI(keyed('openai')).embedding('text-embedding-3-small');
      return farthing.call({ model: model.modelId, provider: 'openai' }, () => ai7.embed({ model, value: 'x' }));
    },
  ],
  ['messages.create', expected.messages, () => anthropic().messages.create(claude)],
  [
    'messages.create, streamed',
    expected.messages,
    async () => collect(await anthropic().messages.create({ ...claude, stream: true })),
  ],
  ['messages.stream', expected.messages, () => anthropic().messages.stream(claude).finalMessage()],
  ['beta.messages.create', expected.messages, () => anthropic().beta.messages.create(claude)],
  ['beta.messages.stream', expected.messages, () => anthropic().beta.messages.stream(claude).finalMessage()],
  ['models.generateContent', expected.gemini, () => google().models.generateContent(gemini)],
  [
    'models.generateContentStream',
    expected.gemini,
    async () => collect(await google().models.generateContentStream(gemini)),
  ],
  ['a chat of Gemini', expected.gemini, () => google().chats.create(gemini).sendMessage({ message: 'x' })],
  ['chat.complete', expected.mistral, () => mistral().chat.complete(large)],
  ['chat.stream', expected.mistral, async () => collect(await mistral().chat.stream(large))],
  [
    'embeddings.create of Mistral',
    expected.mistralEmbeddings,
    () => mistral().embeddings.create({ model: 'mistral-embed', inputs: 'x' }),
  ],
  ...ofAiSdk,
];

/** The provider's whole answer, as a client without this package posts it. */
function toRawEvent([name, { model, provider, answer, asked }]: Scenario): Json {
  const tags = { customer: `${name}, as answered` };
  return { event_id: randomUUID(), event_type: 'raw.after', model, provider, tags, ...asked, response: answer };
}

test.each(scenarios)('D15.1: %s is one call, with the tokens, units and cost of its usage', (name, told) => {
  const calls = made.get(name) ?? [];
  expect(calls).toEqual([
    expect.objectContaining({
      user: 'ann',
      feature: 'chat',
      run: `run of ${name}`,
      tags: expect.objectContaining({ plan: 'pro' }),
      model: told.model,
      provider: told.provider,
      failed: false,
      tokens: told.tokens,
      units: told.units ?? {},
      cost: costOf(told),
    }),
  ]);
  const charged = ({ tokens, units, terms, cost }: CallRow) => ({ tokens, units, terms, cost });
  expect(calls.map(charged)).toEqual(made.get(`${name}, as answered`)?.map(charged));
});

test('D15.3: nothing of what was asked or answered is sent', () => {
  expect(events.match(/"event_type"/g)).toHaveLength(2 * scenarios.length);
  expect(events).not.toContain('question');
  expect(events).not.toContain('{\\"n\\"');
});
