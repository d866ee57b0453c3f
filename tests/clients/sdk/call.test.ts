// `farthing.call` and `farthing.track` (D15.1), and attribution where the runtime has no AsyncLocalStorage (D15.2).
import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, expect, test, vi } from 'vitest';
import type { Json } from '../../support/client.ts';
import { chatUsage } from '../recorded-answers.ts';
import { standIn } from './stand-in.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const after = (events: readonly Json[]) => events.filter(({ event_type }) => String(event_type).endsWith('.after'));

test('D15.1: a call reports the usage of what the function returns, and the fields that are given', async () => {
  const { farthing, events } = standIn();
  const fields = {
    type: 'bedrock',
    model: 'nova',
    provider: 'aws',
    customer: 'acme',
    tags: { plan: 'pro' },
    audio_seconds: 2,
  };
  const answer = { usage: { inputTokens: 7, outputTokens: 2 }, output: { text: 'secret' } };
  expect(await farthing.call(fields, async () => answer)).toBe(answer);
  await farthing.flush();
  expect(events).toEqual([
    {
      event_id: expect.any(String),
      event_type: 'bedrock.before',
      timestamp: expect.stringMatching(/Z$/),
      model: 'nova',
      provider: 'aws',
      tags: { customer: 'acme', plan: 'pro' },
      audio_seconds: 2,
    },
    {
      event_id: events[0]?.event_id,
      event_type: 'bedrock.after',
      timestamp: expect.stringMatching(/Z$/),
      model: 'nova',
      provider: 'aws',
      tags: { customer: 'acme', plan: 'pro' },
      audio_seconds: 2,
      elapsed_ms: expect.any(Number),
      response: { usage: { inputTokens: 7, outputTokens: 2 } },
    },
  ]);
});

test('D27.5: an answer without usage is told as such', async () => {
  const { farthing, events } = standIn();
  const broken = (async function* () {
    yield { choices: [{ delta: { content: 'a' } }] };
    throw new Error('gone');
  })();
  await farthing.call({ model: 'm' }, async () => ({ id: 'a', output: 'text' }));
  await farthing.call({ model: 'm' }, async () => ({ usage: { prompt_tokens: 0 } }));
  await farthing.call({ model: 'm' }, async () => ({ data: [{ b64_json: 'image' }] }));
  await farthing.call({ model: 'm' }, async () => Promise.reject(new Error('refused'))).catch(() => undefined);
  const stream = await farthing.call({ model: 'm' }, async () => broken);
  await Array.fromAsync(stream).catch(() => undefined);
  await farthing.flush();
  const ended = events.filter(({ event_type: type }) => type !== 'call.before');
  expect(ended.map(({ usage_not_reported: told }) => told)).toEqual([true, undefined, undefined, undefined, undefined]);
});

test('D15.1: what tools of an answer have used is sent, without what they made', async () => {
  const { farthing, events } = standIn();
  const answer = {
    id: 'resp_1',
    usage: { input_tokens: 9, output_tokens: 4 },
    tools: [
      { type: 'image_generation', model: 'gpt-image-1', user: 'secret' },
      { type: 'function', name: 'secret' },
    ],
    tool_usage: { image_gen: { input_tokens: 50, output_tokens: 1056 } },
    output: [
      { type: 'image_generation_call', id: 'ig_1', result: 'secret', revised_prompt: 'secret' },
      { type: 'message', content: 'secret' },
    ],
  };
  await farthing.call({ model: 'gpt-5' }, async () => answer);
  await farthing.flush();
  expect(events[1]?.response).toEqual({
    id: 'resp_1',
    usage: answer.usage,
    tools: [{ type: 'image_generation', model: 'gpt-image-1' }],
    tool_usage: answer.tool_usage,
    output: [{ type: 'image_generation_call', result: '-' }],
  });
});

test('D15.1: a call takes what the function reports itself, streams, and results that are no promise', async () => {
  const { farthing, events } = standIn();
  expect(
    farthing.call({ model: 'm' }, (report) => {
      report({ usage: chatUsage, model: 'm-2' });
      return 'a text';
    }),
  ).toBe('a text');
  async function* answer() {
    yield { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } };
    yield { type: 'message_delta', usage: { output_tokens: 9 } };
    yield { type: 'message_stop' };
  }
  const items: unknown[] = [];
  for await (const item of farthing.call({ model: 's' }, answer)) items.push(item);
  expect(items).toHaveLength(3);
  await farthing.flush();
  expect(after(events).map(({ model, response, aborted }) => [model, response, aborted])).toEqual([
    ['m-2', { usage: chatUsage }, undefined],
    ['s', { usage: { input_tokens: 5, output_tokens: 9 } }, undefined],
  ]);
});

test('D15.1: an error of the function is reported and thrown, from a promise or not', async () => {
  const { farthing, events } = standIn();
  const fault = new RangeError('too long'.repeat(200));
  const thrown = () =>
    farthing.call({ model: 'm' }, () => {
      throw fault;
    });
  expect(thrown).toThrow(fault);
  await expect(farthing.call({ model: 'm' }, () => Promise.reject(fault))).rejects.toBe(fault);
  await farthing.flush();
  const errors = events.filter(({ event_type }) => event_type === 'call.error');
  expect(errors).toHaveLength(2);
  expect(errors[0]).toMatchObject({ error_type: 'RangeError', error_message: fault.message.slice(0, 500) });
});

test('D15.1: track sends a custom event with its fields, and whom it is for as tags', async () => {
  const { farthing, events } = standIn();
  farthing.with({ customer: 'acme' }, () => farthing.track('ticket.resolved', { user: 'ann', minutes: 12.5 }));
  farthing.track('ticket.resolved', { event_id: '0198c0de-0000-7000-8000-000000000001' });
  await farthing.flush();
  expect(events).toEqual([
    {
      event_id: expect.any(String),
      event_type: 'ticket.resolved',
      timestamp: expect.any(String),
      tags: { customer: 'acme', user: 'ann' },
      minutes: 12.5,
    },
    expect.objectContaining({ event_id: '0198c0de-0000-7000-8000-000000000001', tags: {} }),
  ]);
});

test('D15.2: without AsyncLocalStorage, with() ends at the first await and says so; a store can be given', async () => {
  const builtIn = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
  const { farthing, events, problems } = standIn();
  const given = standIn({ asyncLocalStorage: new AsyncLocalStorage() });
  builtIn.mockRestore();
  for (const one of [farthing, given.farthing]) {
    await one.with({ customer: 'acme' }, async () => {
      one.track('early');
      await Promise.resolve();
      one.track('late');
    });
    await one.flush();
  }
  expect(events.map(({ event_type, tags }) => [event_type, tags])).toEqual([
    ['early', { customer: 'acme' }],
    ['late', {}],
  ]);
  expect(problems.map(({ code }) => code)).toEqual(['no_context']);
  expect(given.events.map(({ tags }) => tags)).toEqual([{ customer: 'acme' }, { customer: 'acme' }]);
  expect(given.problems).toEqual([]);
});
