// Each method that the SDK reports (D15.1) is one call with what it used, however the host takes or leaves its answer.
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI, RawReferenceImage } from '@google/genai';
import { Mistral } from '@mistralai/mistralai';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { families } from '../../../packages/sdk/src/methods.ts';
import type { Json } from '../../support/client.ts';
import { poll } from '../../support/poll.ts';
import { type FakeProvider, type Manner, startFakeProvider } from '../fake-provider.ts';
import { standIn } from './stand-in.ts';

let fake: FakeProvider;

// Google's client prints that its methods for images will go.
const printed = vi.spyOn(console, 'warn').mockReturnValue(undefined);

beforeAll(async () => {
  fake = await startFakeProvider();
});
afterAll(async () => {
  printed.mockRestore();
  await fake.close();
});

const clients: Readonly<Record<string, (manner: Manner, place: string) => object>> = {
  openai: (manner) => new OpenAI({ apiKey: 'k', baseURL: fake.url('openai', manner), maxRetries: 0 }),
  anthropic: (manner) => new Anthropic({ apiKey: 'k', baseURL: fake.url('anthropic', manner), maxRetries: 0 }),
  google: (manner, place) =>
    new GoogleGenAI({
      // Vertex alone changes images.
      vertexai: /image/i.test(place),
      apiKey: 'k',
      httpOptions: { baseUrl: fake.url('google', manner), retryOptions: { attempts: 1 } },
    }),
  mistral: (manner) =>
    new Mistral({ apiKey: 'k', serverURL: fake.url('mistral', manner), retryConfig: { strategy: 'none' } }),
};

const messages = [{ role: 'user', content: 'hi' }];
const file = () => new File(['RIFF'], 'a.wav');
const image = { imageBytes: 'aGk=', mimeType: 'image/png' };
const imagen = { model: 'imagen-4.0-generate-001', prompt: 'hi' };
const talk = { model: 'mistral-medium-latest', inputs: 'hi' };
const more = { conversationId: 'conv_1', conversationAppendRequest: { inputs: 'hi' } };
const again = { conversationId: 'conv_1', conversationRestartRequest: { inputs: 'hi', fromEntryId: 'e' } };
const streamedMore = { conversationId: 'conv_1', conversationAppendStreamRequest: { inputs: 'hi' } };
const streamedAgain = {
  conversationId: 'conv_1',
  conversationRestartStreamRequest: { inputs: 'hi', fromEntryId: 'e' },
};

/** What each method is asked, by its place. */
const asked: Readonly<Record<string, () => object>> = {
  'openai.chat.completions.create': () => ({ model: 'gpt-5', messages }),
  'openai.responses.create': () => ({ model: 'gpt-5', input: 'hi' }),
  'openai.responses.compact': () => ({ model: 'gpt-5', input: 'hi' }),
  'openai.beta.responses.create': () => ({ model: 'gpt-5', input: 'hi' }),
  'openai.beta.responses.compact': () => ({ model: 'gpt-5', input: 'hi' }),
  'openai.embeddings.create': () => ({ model: 'text-embedding-3-small', input: 'hi', encoding_format: 'float' }),
  'openai.completions.create': () => ({ model: 'gpt-3.5-turbo-instruct', prompt: 'hi' }),
  'openai.images.generate': () => ({ model: 'gpt-image-1', prompt: 'hi' }),
  'openai.images.edit': () => ({ model: 'gpt-image-1', prompt: 'hi', image: file() }),
  'openai.images.createVariation': () => ({ model: 'dall-e-2', image: file() }),
  'openai.audio.transcriptions.create': () => ({ model: 'gpt-4o-transcribe', file: file() }),
  'openai.audio.translations.create': () => ({ model: 'whisper-1', file: file() }),
  'openai.audio.speech.create': () => ({ model: 'tts-1', input: 'hi', voice: 'ash' }),
  'openai.decisions.create': () => ({ model: 'gpt-6-luna', input: 'hi', questions: [] }),
  'anthropic.messages.create': () => ({ model: 'claude-opus-4-8', max_tokens: 100, messages }),
  'anthropic.beta.messages.create': () => ({ model: 'claude-opus-4-8', max_tokens: 100, messages }),
  'google.models.generateContent': () => ({ model: 'gemini-2.5-flash', contents: 'hi' }),
  'google.models.generateContentStream': () => ({ model: 'gemini-2.5-flash', contents: 'hi' }),
  'google.models.embedContent': () => ({ model: 'text-embedding-005', contents: 'hi' }),
  'google.models.generateImages': () => imagen,
  'google.models.editImage': () => ({
    ...imagen,
    referenceImages: [Object.assign(new RawReferenceImage(), { referenceId: 1, referenceImage: image })],
  }),
  'google.models.upscaleImage': () => ({ model: imagen.model, image, upscaleFactor: 'x2' }),
  'google.interactions.create': () => ({ model: 'gemini-2.5-flash', input: 'hi' }),
  'mistral.chat.complete': () => ({ model: 'mistral-large-latest', messages }),
  'mistral.chat.stream': () => ({ model: 'mistral-large-latest', messages }),
  'mistral.chat.parse': () => ({
    model: 'mistral-large-latest',
    messages,
    responseFormat: z.object({ n: z.number() }),
  }),
  'mistral.chat.parseStream': () => ({ model: 'mistral-large-latest', messages, responseFormat: z.object({}) }),
  'mistral.embeddings.create': () => ({ model: 'mistral-embed', inputs: 'hi' }),
  'mistral.fim.complete': () => ({ model: 'codestral-latest', prompt: 'hi' }),
  'mistral.fim.stream': () => ({ model: 'codestral-latest', prompt: 'hi' }),
  'mistral.agents.complete': () => ({ agentId: 'ag_1', messages }),
  'mistral.agents.stream': () => ({ agentId: 'ag_1', messages }),
  'mistral.beta.conversations.start': () => talk,
  'mistral.beta.conversations.startStream': () => ({ ...talk, stream: true }),
  'mistral.beta.conversations.append': () => more,
  'mistral.beta.conversations.appendStream': () => streamedMore,
  'mistral.beta.conversations.restart': () => again,
  'mistral.beta.conversations.restartStream': () => streamedAgain,
  'mistral.ocr.process': () => ({
    model: 'mistral-ocr-latest',
    document: { type: 'document_url', documentUrl: 'https://a.example' },
  }),
  'mistral.audio.transcriptions.complete': () => ({ model: 'voxtral-mini-latest', fileUrl: 'https://a.example' }),
  'mistral.audio.transcriptions.stream': () => ({ model: 'voxtral-mini-latest', fileUrl: 'https://a.example' }),
  'mistral.audio.speech.complete': () => ({ model: 'voxtral-tts', input: 'hi' }),
};

const streamable =
  /^(?:openai\.(?:chat|completions|(?:beta\.)?responses\.create|images\.(?:generate|edit)|audio\.transcriptions)|anthropic|google\.interactions)/;

const methods = families.flatMap(({ name, reported }) =>
  Object.values(reported)
    .flat()
    .map((place) => [`${name}.${place.replace(/\w+\|/, '')}`, name] as const),
);

type Host = (method: (...args: unknown[]) => unknown, request: object) => unknown;

/** The events of one use of a method by the host, once its call has ended. */
async function eventsOf(place: string, family: string, manner: Manner, host: Host): Promise<Json[]> {
  const { farthing, events } = standIn();
  const path = place.split('.').slice(1);
  const name = path.pop() ?? '';
  let target = farthing.wrap(clients[family]?.(manner, place) ?? {}) as Record<string, unknown>;
  for (const step of path) target = target[step] as typeof target;
  const method = (target[name] as (...args: unknown[]) => unknown).bind(target);
  await Promise.resolve()
    .then(() => host(method, asked[place]?.() ?? {}))
    .catch(() => undefined);
  await poll(`${place} has ended`, { within: 60_000 }, async () => {
    await farthing.flush();
    return events.length > 1 ? true : undefined;
  });
  return events;
}

const isStream = (answer: unknown): answer is AsyncIterable<unknown> => Symbol.asyncIterator in Object(answer);

async function readAll(answer: unknown): Promise<void> {
  if (isStream(answer)) for await (const _item of answer);
}

/** Takes the whole answer. */
const takes: Host = async (method, request) => readAll(await method(request));
const leaves =
  (more: object): Host =>
  async (method, request) => {
    const answer = await method({ ...request, ...more });
    if (isStream(answer)) for await (const _item of answer) return;
  };
interface ApiPromise {
  asResponse(): Promise<Response>;
  withResponse(): Promise<{ data: unknown }>;
}
const takesResponse: Host = async (method, request) =>
  (await (method(request) as ApiPromise).asResponse()).arrayBuffer();
const takesBoth =
  (more: object): Host =>
  async (method, request) =>
    readAll((await (method({ ...request, ...more }) as ApiPromise).withResponse()).data);
const aborts: Host = async (method, request) => {
  const controller = new AbortController();
  const { signal } = controller;
  const answer = method({ ...request, config: undefined }, { signal, fetchOptions: { signal } });
  controller.abort();
  await readAll(await answer);
};

/** What an event says of the call's usage. */
const usageIn = ({ event_id, event_type, timestamp, elapsed_ms, aborted, ...rest }: Json): Json => rest;
const phases = (events: readonly Json[]) => events.map(({ event_type: type }) => String(type).split('.').at(-1));

test.concurrent.each(methods)(
  'D15.1, D15.3: %s is one call with what it used, whole, failed, left or as a response',
  async (place, family) => {
    const [, told = {}] = await eventsOf(place, family, 'ok', takes);
    const isApi = family === 'openai' || family === 'anthropic';
    const forms = isApi ? { takes, takesResponse, takesBoth: takesBoth({}) } : { takes };
    for (const [form, host] of Object.entries(forms)) {
      const events = await eventsOf(place, family, 'ok', host);
      expect(phases(events), form).toEqual(['before', 'after']);
      expect(usageIn(events[1] ?? {}), form).toEqual(usageIn(told));
    }
    expect(told.aborted).toBeUndefined();

    const refused = await eventsOf(place, family, 'limited', takes);
    expect(phases(refused)).toEqual(['before', 'error']);
    expect(refused[1]).toMatchObject({ error_type: expect.any(String) });
    expect(refused[1]).not.toHaveProperty('characters');
    expect((refused[1]?.response as Json | undefined)?.usage).toBeUndefined();

    if (family !== 'google') {
      const aborted = await eventsOf(place, family, 'ok', aborts);
      expect(phases(aborted)).toEqual(['before', 'error']);
      expect(aborted[1]).toMatchObject({ aborted: true });
    }

    const isAsked = streamable.test(place);
    if (!isAsked && !/stream$/i.test(place)) return;
    const more = isAsked ? { stream: true } : {};
    const takesAll: Host = (method, request) => takes(method, { ...request, ...more });
    const streamed = await eventsOf(place, family, 'ok', takesAll);
    for (const events of [streamed, ...(isApi ? [await eventsOf(place, family, 'ok', takesBoth(more))] : [])]) {
      expect(phases(events)).toEqual(['before', 'after']);
      expect(events[1]?.aborted).toBeUndefined();
      expect(usageIn(events[1] ?? {})).toEqual(usageIn(streamed[1] ?? {}));
    }
    const left = await eventsOf(place, family, 'ok', leaves(more));
    expect(phases(left)).toEqual(['before', 'after']);
    // A stream that has told all with its first piece is whole.
    if (left[1]?.aborted !== true) expect(usageIn(left[1] ?? {})).toEqual(usageIn(streamed[1] ?? {}));
    const cut = await eventsOf(place, family, 'cut', takesAll);
    expect(phases(cut)).toEqual(['before', expect.stringMatching(/after|error/)]);
  },
);

test.concurrent.each([
  ['openai.chat.completions.parse', 'openai.chat.completions.create', 'openai'],
  ['openai.responses.parse', 'openai.responses.create', 'openai'],
  ['anthropic.messages.parse', 'anthropic.messages.create', 'anthropic'],
])('D15.1: %s is one call with what it used, also as a response', async (place, asks, family) => {
  const [, told = {}] = await eventsOf(asks, family, 'ok', takes);
  for (const [form, host] of Object.entries({ takes, takesResponse, takesBoth: takesBoth({}) })) {
    const events = await eventsOf(place, family, 'ok', (method) => host(method, asked[asks]?.() ?? {}));
    expect(phases(events), form).toEqual(['before', 'after']);
    expect(usageIn(events[1] ?? {}), form).toEqual(usageIn(told));
  }
});

test('D15.1: the table has every method that is reported', () => {
  expect(Object.keys(asked).sort()).toEqual(methods.map(([place]) => place).sort());
});
