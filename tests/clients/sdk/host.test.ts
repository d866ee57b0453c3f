// What the host gets from its client is the same with and without the SDK (D15.3), whatever becomes of its events.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { Mistral } from '@mistralai/mistralai';
import { wrapLanguageModel } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, expectTypeOf, test, vi } from 'vitest';
import { Farthing } from '../../../packages/sdk/src/index.ts';
import { families } from '../../../packages/sdk/src/methods.ts';
import { find } from '../../../packages/sdk/src/wrap.ts';
import type { Json } from '../../support/client.ts';
import { usualOrLong } from '../../support/effort.ts';
import { poll } from '../../support/poll.ts';
import { type FakeProvider, type Manner, startFakeProvider } from '../fake-provider.ts';
import { chatAnswer, chatChunks, chatUsage, messagesUsage } from '../recorded-answers.ts';
import { standIn } from './stand-in.ts';

let fake: FakeProvider;
const unhandled: unknown[] = [];
/** What the clients print, as Google's does when certain fields of an answer are read. */
const printed = vi.spyOn(console, 'warn');
const note = (reason: unknown) => {
  unhandled.push(reason);
};

beforeAll(async () => {
  fake = await startFakeProvider();
  process.on('unhandledRejection', note);
});

afterAll(async () => {
  process.off('unhandledRejection', note);
  printed.mockRestore();
  await fake.close();
});

const openAi = (manner?: Manner) => new OpenAI({ apiKey: 'k', baseURL: fake.url('openai', manner), maxRetries: 0 });
const anthropic = (manner?: Manner) =>
  new Anthropic({ apiKey: 'k', baseURL: fake.url('anthropic', manner), maxRetries: 0 });
const google = (manner?: Manner) =>
  new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: fake.url('google', manner), retryOptions: { attempts: 1 } } });
const mistral = (manner?: Manner) =>
  new Mistral({ apiKey: 'k', serverURL: fake.url('mistral', manner), retryConfig: { strategy: 'none' } });

const chat = { model: 'gpt-5', messages: [{ role: 'user' as const, content: 'hi' }] };
const claude = { ...chat, model: 'claude-opus-4-8', max_tokens: 100 };
const gemini = { model: 'gemini-2.5-flash', contents: 'hi' };
const streamed = { ...chat, stream: true as const };
const drawing = { model: 'gpt-image-1', prompt: 'hi' };
const threaded = { model: claude.model, max_tokens: 100 };
const interaction = { model: 'gemini-2.5-flash', input: 'hi' };

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** What a host can see of an outcome: its value or error, and of which class it is. */
async function seen(make: () => unknown): Promise<unknown> {
  const classOf = (value: unknown) => Object.getPrototypeOf(Object(value))?.constructor?.name;
  try {
    const result = make();
    const value: unknown = await result;
    const items = Symbol.asyncIterator in Object(value) ? await collect(value as AsyncIterable<unknown>) : undefined;
    return {
      of: classOf(result),
      is: classOf(value),
      keys: Object.keys(Object(value)),
      json: JSON.parse(JSON.stringify(items ?? value).replace(/"date":"[^"]*"/g, '"date":""')),
      classes: items?.map(classOf),
    };
  } catch (error) {
    const { message, status, statusCode, code } = error as Json;
    return { failed: classOf(error), message, status, statusCode, code };
  }
}

type Wrap = <Client extends object>(client: Client) => Client;
type Use = (wrap: Wrap, manner: Manner) => unknown;

const uses: Readonly<Record<string, Use>> = {
  'chat.completions.create': (wrap, manner) => wrap(openAi(manner)).chat.completions.create(chat),
  'a streamed chat': (wrap, manner) => wrap(openAi(manner)).chat.completions.create(streamed),
  'a streamed chat with its usage': (wrap, manner) =>
    wrap(openAi(manner)).chat.completions.create({ ...streamed, stream_options: { include_usage: true } }),
  'chat.completions.parse': (wrap, manner) => wrap(openAi(manner)).chat.completions.parse(chat),
  'chat.completions.stream': (wrap, manner) => wrap(openAi(manner)).chat.completions.stream(chat).finalChatCompletion(),
  'both branches of tee': async (wrap, manner) => {
    const [left, right] = (await wrap(openAi(manner)).chat.completions.create(streamed)).tee();
    return [await collect(left), await collect(right)];
  },
  toReadableStream: async (wrap, manner) => {
    const stream = await wrap(openAi(manner)).chat.completions.create(streamed);
    return await new Response(stream.toReadableStream()).text();
  },
  withResponse: async (wrap, manner) => {
    const { data, response, request_id } = await wrap(openAi(manner)).chat.completions.create(streamed).withResponse();
    return [await collect(data), response.status, request_id];
  },
  asResponse: async (wrap, manner) => {
    const response = await wrap(openAi(manner)).chat.completions.create(chat).asResponse();
    return [response.status, response.url, await response.text()];
  },
  'responses.create': (wrap, manner) => wrap(openAi(manner)).responses.create({ model: 'gpt-5', input: 'hi' }),
  'streamed responses': (wrap, manner) =>
    wrap(openAi(manner)).responses.create({ model: 'gpt-5', input: 'hi', stream: true }),
  'messages.create': (wrap, manner) => wrap(anthropic(manner)).messages.create(claude),
  'streamed messages': (wrap, manner) => wrap(anthropic(manner)).messages.create({ ...claude, stream: true }),
  'messages.stream': (wrap, manner) => wrap(anthropic(manner)).messages.stream(claude).finalMessage(),
  generateContent: (wrap, manner) => wrap(google(manner)).models.generateContent(gemini),
  generateContentStream: (wrap, manner) => wrap(google(manner)).models.generateContentStream(gemini),
  'chat.complete': (wrap, manner) => wrap(mistral(manner)).chat.complete(chat),
  'chat.stream': (wrap, manner) => wrap(mistral(manner)).chat.stream(chat),
  'getReader of Mistral': async (wrap, manner) => {
    const reader = (await wrap(mistral(manner)).chat.stream(chat)).getReader();
    return [await reader.read(), await reader.read(), await reader.read(), await reader.read()];
  },
  'completions.create': (wrap, manner) => wrap(openAi(manner)).completions.create({ model: 'instruct', prompt: 'hi' }),
  'streamed completions': (wrap, manner) =>
    wrap(openAi(manner)).completions.create({ model: 'instruct', prompt: 'hi', stream: true }),
  'images.generate': (wrap, manner) => wrap(openAi(manner)).images.generate(drawing),
  'streamed images': (wrap, manner) => wrap(openAi(manner)).images.generate({ ...drawing, stream: true }),
  'audio.speech.create': async (wrap, manner) => {
    const spoken = await wrap(openAi(manner)).audio.speech.create({ model: 'tts-1', input: 'hi', voice: 'ash' });
    return [spoken.status, spoken.headers.get('content-type'), await spoken.text()];
  },
  'batches.retrieve': (wrap, manner) => wrap(openAi(manner)).batches.retrieve('batch_1'),
  'results of a batch': (wrap, manner) => wrap(anthropic(manner)).messages.batches.results('msgbatch_1'),
  'what is not reported': (wrap, manner) => wrap(openAi(manner)).vectorStores.create({}),
  'a streamed thread': (wrap, manner) =>
    wrap(anthropic(manner)).beta.messages.thread(threaded).stream(chat.messages).finalMessage(),
  'a streamed toolRunner': async (wrap, manner) => {
    const runner = wrap(anthropic(manner)).beta.messages.toolRunner({ ...claude, tools: [], stream: true });
    const all: unknown[] = [];
    for await (const stream of runner) all.push(await collect(stream), await stream.finalMessage());
    return all;
  },
  'interactions.create': (wrap, manner) => wrap(google(manner)).interactions.create(interaction),
  'streamed interactions': (wrap, manner) => wrap(google(manner)).interactions.create({ ...interaction, stream: true }),
  'fim.stream': (wrap, manner) => wrap(mistral(manner)).fim.stream({ model: 'codestral-latest', prompt: 'hi' }),
  'conversations.startStream': (wrap, manner) =>
    wrap(mistral(manner)).beta.conversations.startStream({
      model: 'mistral-medium-latest',
      inputs: 'hi',
      stream: true,
    }),
  'an AI SDK model': async (wrap, manner) => {
    const model = createOpenAI({ apiKey: 'k', baseURL: fake.url('openai', manner) }).chat('gpt-5');
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }];
    const { stream } = await wrap(model).doStream({ prompt });
    return await collect(stream);
  },
};

const unwrapped: Wrap = (client) => client;

/** Services that take the events, are away, are slow, or refuse. */
const services = {
  'that takes events': () => Response.json({ ok: true }),
  'that is away': () => Promise.reject(new TypeError('fetch failed')),
  'that never answers': (signal: AbortSignal | null | undefined) =>
    new Promise<Response>((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
    }),
  'that refuses the secret': () => Response.json({ code: 'unauthenticated' }, { status: 401 }),
  'that fails': () => new Response('<html>', { status: 500 }),
};

/** What the host gets without the SDK, by use and manner. */
const without = new Map<string, Promise<unknown>>();

/** How the provider answers. In the usual form a service that takes nothing meets good answers alone: it gets an event of each. */
const manners: readonly Manner[] = ['ok', 'limited', 'cut'];
const mannersWith = (service: string) => (service === 'that takes events' ? manners : usualOrLong(['ok'], manners));

test.each(Object.entries(services))(
  'D15.3: with a service %s the host gets what it gets without',
  async (service, answer) => {
    const { farthing } = standIn({ timeoutMs: 100 }, answer);
    const wrap: Wrap = (client) => {
      if ('doStream' in client) {
        const model = wrapLanguageModel({ model: client as never, middleware: farthing.middleware() });
        return model as never;
      }
      return farthing.wrap(client);
    };
    for (const manner of mannersWith(service)) {
      const compared = Object.entries(uses).map(async ([name, use]) => {
        const place = `${name}, ${manner}`;
        if (!without.has(place))
          without.set(
            place,
            seen(() => use(unwrapped, manner)),
          );
        expect(await seen(() => use(wrap, manner)), place).toEqual(await without.get(place));
      });
      await Promise.all(compared);
    }
    await farthing.close({ withinMs: 0 });
    await pause(0);
    expect(unhandled).toEqual([]);
    expect(printed.mock.calls).toEqual([]);
  },
);

test('D15.3: an error that the host does not handle stays unhandled, once, and is no other', async () => {
  const { farthing } = standIn();
  const client = farthing.wrap(openAi('limited'));
  const before = unhandled.length;
  void client.chat.completions.create(chat).then(() => undefined);
  await poll('the rejection is unhandled', { within: 60_000 }, () => (unhandled.length > before ? true : undefined));
  await pause(20);
  expect(unhandled.splice(before)).toEqual([expect.any(OpenAI.RateLimitError)]);
});

test('D15.3: a streamed chat is asked for its usage, the host has the same chunks, and its own request stays as it is', async () => {
  const { farthing, events } = standIn();
  const request = { ...streamed };
  const before = fake.bodies.length;
  const chunks = await collect(await farthing.wrap(openAi()).chat.completions.create(request));
  expect(chunks).toEqual(chatChunks('gpt-5', false));
  expect(request).toEqual(streamed);
  expect(fake.bodies.slice(before)).toEqual([{ ...streamed, stream_options: { include_usage: true } }]);
  await farthing.flush();
  expect(events.map(({ event_type }) => event_type)).toEqual(['openai.chat.before', 'openai.chat.after']);
  expect(events[1]).toMatchObject({ response: { usage: chatUsage } });
});

test('D15.3: a provider that refuses to be asked for usage is asked again without, and then no more', async () => {
  const { farthing, events } = standIn();
  const client = farthing.wrap(openAi('plain'));
  const before = fake.bodies.length;
  const { data, response } = await client.chat.completions.create(streamed).withResponse();
  expect(response.status).toBe(200);
  expect(await collect(data)).toEqual(chatChunks('gpt-5', false));
  expect(await collect(await client.chat.completions.create(streamed))).toEqual(chatChunks('gpt-5', false));
  expect(fake.bodies.slice(before).map((body) => 'stream_options' in body)).toEqual([true, false, false]);
  await farthing.flush();
  expect(events.filter(({ event_type }) => event_type === 'openai.chat.after')).toHaveLength(2);
});

/** The last event that a use of a client leads to. */
async function outcomeOf(use: (farthing: Farthing) => Promise<unknown>): Promise<Json | undefined> {
  const { farthing, events } = standIn();
  await use(farthing).catch(() => undefined);
  await poll('the call has ended', { within: 60_000 }, async () => {
    await farthing.flush();
    return events.length > 1 ? true : undefined;
  });
  expect(events).toHaveLength(2);
  return events[1];
}

/** Reads one item of a stream, and stops. */
async function readOne(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _item of items) return;
}

test('D15.3: a stream that the host leaves reports what it has used so far, as aborted, and is ended at the provider', async () => {
  const before = fake.abandoned();
  const left = await outcomeOf(async (farthing) =>
    readOne(await farthing.wrap(anthropic('endless')).messages.create({ ...claude, stream: true })),
  );
  const { server_tool_use: _later, ...usedAtFirst } = messagesUsage;
  expect(left).toMatchObject({
    event_type: 'anthropic.messages.after',
    aborted: true,
    response: { usage: { ...usedAtFirst, output_tokens: 4 } },
  });
  await poll('the request is given up', { within: 60_000 }, () => (fake.abandoned() > before ? true : undefined));
});

test('D15.3: a stream that breaks off reports what it has used so far as a failed call', async () => {
  const broken = await outcomeOf(async (farthing) =>
    collect(await farthing.wrap(anthropic('cut')).messages.create({ ...claude, stream: true })),
  );
  expect(broken).toMatchObject({
    event_type: 'anthropic.messages.error',
    aborted: true,
    error_type: expect.any(String),
    error_message: expect.any(String),
    response: { usage: { input_tokens: 21, output_tokens: 4 } },
  });
});

test('D15.3: a stream that the host aborts, cancels or forgets is aborted', async () => {
  const aborted = await outcomeOf(async (farthing) => {
    const stream = await farthing.wrap(openAi('endless')).chat.completions.create(streamed);
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) stream.controller.abort();
  });
  expect(aborted).toMatchObject({ event_type: 'openai.chat.after', aborted: true });
  // The answer's first piece is all that is known of it: OpenAI names the usage last.
  expect(aborted).toMatchObject({ output_tokens: 1 });
  const responses = await outcomeOf(async (farthing) => {
    const stream = await farthing.wrap(openAi()).responses.create({ model: 'gpt-5', input: 'hi', stream: true });
    for await (const { type } of stream) if (type === 'response.output_text.delta') return;
  });
  expect(responses).toMatchObject({ event_type: 'openai.responses.after', aborted: true, output_tokens: 1 });
  const threadLeft = await outcomeOf(async (farthing) => {
    const stream = farthing.wrap(anthropic('endless')).beta.messages.thread(threaded).stream(chat.messages);
    stream.on('streamEvent', () => stream.abort());
    await stream.finalMessage();
  });
  expect(threadLeft).toMatchObject({ aborted: true, response: { usage: { input_tokens: 21 } } });
  const cancelled = await outcomeOf(async (farthing) =>
    (await farthing.wrap(mistral('endless')).chat.stream(chat)).cancel(),
  );
  expect(cancelled).toMatchObject({ event_type: 'mistral.chat.after', aborted: true });

  setFlagsFromString('--expose_gc');
  const collectGarbage: unknown = runInNewContext('gc');
  const timer = setInterval(() => typeof collectGarbage === 'function' && collectGarbage(), 500);
  const forgotten = await outcomeOf(async (farthing) => {
    await farthing.wrap(google('endless')).models.generateContentStream(gemini);
  }).finally(() => clearInterval(timer));
  expect(forgotten).toMatchObject({ event_type: 'google.generate_content.after', aborted: true });
});

test('D15.3: a host that stops at the end of the answer still reports the usage behind it', async () => {
  const stopped = await outcomeOf(async (farthing) => {
    for await (const chunk of await farthing.wrap(openAi()).chat.completions.create(streamed)) {
      if (chunk.choices[0]?.finish_reason) break;
    }
  });
  expect(stopped).toMatchObject({ event_type: 'openai.chat.after', response: { usage: chatUsage } });
  expect(stopped).not.toHaveProperty('aborted');
});

test('D15.1: a failed call is an error event with what the error says', async () => {
  const failed = await outcomeOf(async (farthing) => farthing.wrap(openAi('limited')).chat.completions.parse(chat));
  expect(failed).toMatchObject({
    event_type: 'openai.chat.error',
    error_type: 'RateLimitError',
    error_message: '429 Slow down.',
    status: 429,
  });
});

test('D15.1: a refused request to speak has used no characters', async () => {
  const asked = { model: 'tts-1', input: 'hi', voice: 'ash' as const };
  const use = (manner: Manner) =>
    outcomeOf(async (farthing) => farthing.wrap(openAi(manner)).audio.speech.create(asked));
  expect(await use('ok')).toMatchObject({ event_type: 'openai.speech.after', characters: 2 });
  const refused = await use('limited');
  expect(refused).toMatchObject({ event_type: 'openai.speech.error', status: 429 });
  expect(refused).not.toHaveProperty('characters');
});

test('D15.1: a client that is wrapped again reports each call once; an unknown one is told and stays as it is', async () => {
  const { farthing, events, problems } = standIn();
  const client = openAi();
  expect(farthing.wrap(farthing.wrap(client))).toBe(client);
  await client.chat.completions.create(chat);
  await farthing.flush();
  expect(events).toHaveLength(2);
  const stranger = Object.freeze({ ask: () => 42 });
  expect(farthing.wrap(stranger)).toBe(stranger);
  expect(problems.map(({ code }) => code)).toEqual(['unknown_client']);
});

/** A client as Langfuse observes it: each look at a method gives another one, whose answer is a promise and no more. */
const observe = <Client extends object>(client: Client): Client =>
  new Proxy(client, {
    get(of, name) {
      const found: unknown = Reflect.get(of, name);
      if (typeof found !== 'function') return typeof found === 'object' && found !== null ? observe(found) : found;
      return (...args: unknown[]) => {
        const answer: unknown = Reflect.apply(found, of, args);
        return answer instanceof Promise ? answer.then((value) => value) : answer;
      };
    },
  });

test('D15.3, D27.6: a client that a library observes by a proxy answers as before, and each call is reported once', async () => {
  const { farthing, events } = standIn();
  for (const client of [
    farthing.wrap(observe(openAi())),
    farthing.wrap(observe(farthing.wrap(openAi()))),
    observe(farthing.wrap(openAi())),
  ])
    expect(await client.chat.completions.create(chat)).toMatchObject({ usage: chatUsage });
  await farthing.flush();
  expect(events.filter(({ event_type: type }) => type === 'openai.chat.after')).toHaveLength(3);
});

test('D27.6: two Farthing objects on one client, or on its copies, report each call once', async () => {
  const [first, second] = [standIn(), standIn()];
  const client = second.farthing.wrap(first.farthing.wrap(openAi()));
  await client.chat.completions.create(chat);
  await second.farthing.wrap(client.withOptions({ timeout: 9_000 })).chat.completions.create(chat);
  const copy = new Farthing({
    url: 'http://a.example',
    clientId: 'c',
    clientSecret: 's',
    fetch: () => Promise.reject(),
  });
  copy.wrap(client);
  await client.responses.create({ model: 'gpt-5', input: 'hi' });
  await Promise.all([first.farthing.flush(), second.farthing.flush()]);
  expect(first.events.map(({ event_type }) => event_type)).toEqual([
    ...['openai.chat.before', 'openai.chat.after'],
    ...['openai.chat.before', 'openai.chat.after'],
    ...['openai.responses.before', 'openai.responses.after'],
  ]);
  expect(second.events).toEqual([]);
  expect(copy.queued).toBe(0);
});

/** Stands in for OpenTelemetry: `trace` makes a client's chats run in spans of their own, as a library that traces it does. */
function startSpans(outer: string | undefined) {
  const registry = Symbol.for('opentelemetry.js.api.1');
  let [active, made] = [outer, 0];
  const getValue = (key: symbol) =>
    active === undefined || key !== Symbol.for('OpenTelemetry Context Key SPAN')
      ? undefined
      : { spanContext: () => ({ traceId: active?.repeat(2), spanId: active }) };
  const set = (value: unknown) => Object.defineProperty(globalThis, registry, { value, configurable: true });
  set({ context: { active: () => ({ getValue }) } });
  const trace = (client: OpenAI): OpenAI => {
    const create = client.chat.completions.create;
    client.chat.completions.create = function (this: unknown, ...args: never[]) {
      made += 1;
      active = String(made).padStart(16, '0');
      try {
        return Reflect.apply(create, this, args);
      } finally {
        active = outer;
      }
    } as typeof create;
    return client;
  };
  return { trace, set, [Symbol.dispose]: () => Reflect.deleteProperty(globalThis, registry) };
}

const outermost = 'f'.repeat(16);

test('D27.6: a call names the span in which its client posts the request, or else in which it is made', async () => {
  const { farthing, events } = standIn();
  using spans = startSpans(outermost);
  const traced = farthing.wrap(spans.trace(openAi()));
  await Promise.all([traced.chat.completions.create(chat), traced.chat.completions.create(streamed).then(collect)]);
  await traced.post('/chat/completions', { body: chat });
  // The first request is refused, as it asks for the usage.
  await collect(await farthing.wrap(spans.trace(openAi('plain'))).chat.completions.create(streamed));
  await farthing.wrap(openAi()).chat.completions.create(chat);
  await farthing.wrap(google()).models.generateContent(gemini);
  await farthing.call({ model: 'm' }, async () => undefined);
  await farthing.flush();
  const ends = events
    .filter(({ event_type }) => !String(event_type).endsWith('.before'))
    .toSorted((a, b) => String(a.event_id).localeCompare(String(b.event_id)));
  const parents = ['1', '2', '4'].map((span) => span.padStart(16, '0')).concat(outermost, outermost, outermost);
  expect(ends.map(({ event_id, origin }) => [event_id, origin])).toEqual(
    ends.map(({ event_id }, at) => [event_id, { trace: parents[at]?.repeat(2), parent: parents[at], span: event_id }]),
  );
  expect(ends).toHaveLength(parents.length);
});

test('D27.6: without a span, or with an OpenTelemetry that is broken, a call names none', async () => {
  const { farthing, events, problems } = standIn();
  for (const outer of [undefined, '0'.repeat(16)]) {
    using _spans = startSpans(outer);
    await farthing.wrap(openAi()).chat.completions.create(chat);
  }
  using spans = startSpans(undefined);
  const fails = () => {
    throw new Error('broken');
  };
  for (const broken of [null, 1, {}, { context: {} }, { context: { active: fails } }]) {
    spans.set(broken);
    await farthing.wrap(openAi()).chat.completions.create(chat);
  }
  await farthing.flush();
  expect(events).toHaveLength(14);
  expect(events.filter((event) => 'origin' in event)).toEqual([]);
  expect(problems).toEqual([]);
});

test('D15.1: a batch counts for whom it was made, once however often and by whomever it is retrieved', async () => {
  const [first, second] = [standIn(), standIn()];
  const client = first.farthing.wrap(openAi());
  const asked = { completion_window: '24h' as const, endpoint: '/v1/responses' as const, input_file_id: 'file-1' };
  await first.farthing.with({ customer: 'acme', feature: 'nightly' }, () => client.batches.create(asked));
  await client.batches.retrieve('batch_2');
  await client.batches.retrieve('batch_1', { ...first.farthing.for({ run: 'r1' }) });
  await second.farthing.wrap(openAi()).batches.retrieve('batch_1').withResponse();
  await Promise.all([first.farthing.flush(), second.farthing.flush()]);
  expect(first.events).toEqual([
    expect.objectContaining({
      event_type: 'openai.batch.after',
      service_tier: 'batch',
      timestamp: '2026-09-21T14:14:20.000Z',
      tags: { customer: 'acme', feature: 'nightly', run: 'r1' },
      response: expect.objectContaining({ usage: expect.objectContaining({ output_tokens: 800 }) }),
    }),
  ]);
  expect(second.events.map(({ event_id }) => event_id)).toEqual(first.events.map(({ event_id }) => event_id));
  expect(JSON.stringify(fake.bodies)).not.toContain('farthing');
});

test('D15.3: what costs money and is not reported is told once for each method', async () => {
  const { farthing, events, problems } = standIn();
  const client = farthing.wrap(openAi());
  await client.vectorStores.create({});
  await client.vectorStores.create({});
  await client.videos.create({ prompt: 'hi' }).catch(() => undefined);
  expect(problems.map(({ code, message }) => [code, message])).toEqual([
    ['not_reported', 'calls of vectorStores.create are not reported'],
    ['not_reported', 'calls of videos.create are not reported'],
  ]);
  await farthing.flush();
  expect(events).toEqual([]);
});

test('D15.3: what a client makes only once it is looked at, with a warning, is looked at by the host alone', async () => {
  const { farthing, events } = standIn();
  const usage = { total_input_tokens: 7, total_output_tokens: 2 };
  const looked: string[] = [];
  class Client {
    models = { generateContent: async () => ({}) };
    get interactions() {
      looked.push('interactions');
      return made;
    }
  }
  const made = { create: async (_body: Json) => ({ id: 'int_1', status: 'completed', usage }), get: async () => ({}) };
  const client = farthing.wrap(farthing.wrap(new Client()));
  expect([looked, Object.keys(client)]).toEqual([[], ['models']]);
  expect(await client.interactions.create({ model: 'gemini-2.5-flash' })).toMatchObject({ usage });
  await client.interactions.create({ model: 'gemini-2.5-flash' });
  expect([looked.length, client.interactions]).toEqual([2, made]);
  await farthing.flush();
  expect(events.map(({ event_type }) => event_type)).toEqual([
    ...['google.interactions.before', 'google.interactions.after'],
    ...['google.interactions.before', 'google.interactions.after'],
  ]);
});

test('D15.1: the newest clients have every method that the SDK knows, and the page names each', () => {
  const clients: Readonly<Record<string, object>> = {
    openai: openAi(),
    anthropic: anthropic(),
    google: google(),
    mistral: mistral(),
  };
  const page = readFileSync('docs/connect/typescript.md', 'utf8');
  for (const { name, reported, jobs, passed } of families) {
    for (const place of [...Object.values(reported), ...jobs, passed].flat()) {
      expect(find(clients[name] ?? {}, place), `${name} ${place}`).toBeDefined();
      const shown = place.replace(/\w+Internal\|/, '');
      expect(page, `${name} ${place}`).toContain(`\`${shown}\``);
    }
  }
});

test('D15.1: an answer that is made in the background is reported once it is there', async () => {
  const { farthing, events } = standIn();
  const client = farthing.wrap(openAi());
  const { id } = await client.responses.create({ model: 'gpt-5', input: 'hi', background: true });
  expect((await client.responses.retrieve(id)).status).toBe('in_progress');
  await farthing.flush();
  expect(events.map(({ event_type }) => event_type)).toEqual(['openai.responses.before']);
  expect((await client.responses.retrieve(id)).status).toBe('completed');
  await client.responses.retrieve(id);
  await farthing.flush();
  expect(events.map(({ event_type }) => event_type)).toEqual(['openai.responses.before', 'openai.responses.after']);
  expect(events[1]).toMatchObject({ event_id: events[0]?.event_id, response: { id, usage: { output_tokens: 500 } } });
});

test('D15.1: a wrapped client has the type it had', () => {
  const { farthing } = standIn();
  expectTypeOf(farthing.wrap(openAi())).toEqualTypeOf<OpenAI>();
  expectTypeOf(farthing.wrap(anthropic())).toEqualTypeOf<Anthropic>();
  expectTypeOf(farthing.wrap(google())).toEqualTypeOf<GoogleGenAI>();
  expectTypeOf(farthing.wrap(mistral())).toEqualTypeOf<Mistral>();
  expectTypeOf(farthing.call({ model: 'm' }, () => 1)).toEqualTypeOf<number>();
  expectTypeOf(farthing.call({ model: 'm' }, async () => 'a')).toEqualTypeOf<Promise<string>>();
  expectTypeOf(farthing.with({ customer: 'acme' }, async () => 1)).toEqualTypeOf<Promise<number>>();
});

test('D15.2: attribution nests, holds for its function alone, and can be an option of one call', async () => {
  const { farthing, events } = standIn();
  const client = farthing.wrap(openAi());
  const gemini3 = farthing.wrap(google());
  await farthing.with({ customer: 'acme', feature: 'chat', tags: { plan: 'pro' } }, async () => {
    await Promise.all([
      farthing.with({ user: 'ann', feature: 'search', tags: { beta: true } }, () =>
        client.chat.completions.create(chat),
      ),
      client.chat.completions.create(chat, { timeout: 9_000, ...farthing.for({ run: 'r1', customer: 'globex' }) }),
    ]);
    await gemini3.models.generateContent({ ...gemini, config: { temperature: 0, ...farthing.for({ user: 'bob' }) } });
  });
  const before = fake.bodies.length;
  await client.chat.completions.create({ ...chat, ...farthing.for({ user: 'eve' }) });
  expect(fake.bodies.slice(before)).toEqual([chat]);
  expect(JSON.stringify(fake.bodies)).not.toContain('farthing');
  await farthing.flush();
  const after = events.filter(({ event_type }) => String(event_type).endsWith('.after'));
  expect(after.map(({ tags }) => tags)).toEqual(
    expect.arrayContaining([
      { customer: 'acme', feature: 'search', user: 'ann', plan: 'pro', beta: 'true' },
      { customer: 'globex', feature: 'chat', run: 'r1', plan: 'pro' },
      { customer: 'acme', feature: 'chat', user: 'bob', plan: 'pro' },
      { user: 'eve' },
    ]),
  );
});

test('D15.3: the SDK adds less than a millisecond to 99 of 100 calls', async () => {
  const makeClient = () => ({ chat: { completions: { create: async (_body: Json) => chatAnswer('gpt-5') } } });
  const { farthing } = standIn({ maxQueued: 1_000_000, delayMs: 20, fetch: async () => Response.json({ ok: true }) });
  const rounds = usualOrLong(1_000, 20_000);
  /** The milliseconds of 99 of 100 calls: those of the processor, because others use the machine at the same time. */
  const at99 = async (client: ReturnType<typeof makeClient>): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const before = process.cpuUsage();
      await client.chat.completions.create(chat);
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1_000);
      // What waits is sent between the calls.
      if (round % 100 === 0) await pause(0);
    }
    return times.sort((a, b) => a - b)[Math.floor(rounds * 0.99)] ?? 0;
  };
  const [wrapped, plain] = [farthing.wrap(makeClient()), makeClient()];
  // The first rounds are compiled.
  await at99(wrapped);
  // What else a busy machine does can only add to it.
  await expect.poll(async () => (await at99(wrapped)) - (await at99(plain))).toBeLessThan(1);
  await farthing.close();
});
