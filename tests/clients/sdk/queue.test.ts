// What becomes of events when the service is away, slow, full or refuses them (D15.3).
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Farthing } from '../../../packages/sdk/src/index.ts';
import type { Json } from '../../support/client.ts';
import { freePort } from '../../support/ports.ts';
import { standIn } from './stand-in.ts';

const ok = () => Response.json({ ok: true });
const later = (seconds: number) => () =>
  Response.json({ code: 'unavailable' }, { status: 503, headers: { 'retry-after': String(seconds) } });
const away = () => Promise.reject(new TypeError('fetch failed', { cause: 'connect ECONNREFUSED' }));

const send = (farthing: Farthing, count: number) => {
  for (let index = 0; index < count; index += 1) farthing.track('ticket.resolved', { number: index });
};
const numbersOf = (events: readonly Json[]) => events.map(({ number }) => number);
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('D15.3: events go in batches, in order, each with an id of its own', async () => {
  const { farthing, events, requests } = standIn({ maxBatch: 100 });
  send(farthing, 250);
  expect(farthing.queued).toBe(250);
  expect(await farthing.flush()).toBe(true);
  expect(requests).toEqual([100, 100, 50]);
  expect(numbersOf(events)).toEqual(numbers(250));
  const ids = events.map(({ event_id }) => String(event_id));
  expect(ids.filter((id) => !uuid7.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(250);
  expect(farthing.queued).toBe(0);
});

test('D15.3: a refusal for now is sent again, the same and no sooner than the service asks, and is told once', async () => {
  const { farthing, events, problems, requests } = standIn({}, later(1), away, later(0), ok);
  send(farthing, 3);
  const startedAt = performance.now();
  expect(await farthing.flush({ withinMs: 500 })).toBe(false);
  expect(requests).toEqual([3]);
  expect(await farthing.flush({ withinMs: 20_000 })).toBe(true);
  expect(performance.now() - startedAt).toBeGreaterThan(1_000);
  expect(requests).toEqual([3, 3, 3, 3]);
  expect(numbersOf(events)).toEqual([0, 1, 2]);
  expect(problems.map(({ code }) => code)).toEqual(['unreachable']);
  expect(problems[0]?.message).toContain('503');
});

test('D15.3: a full queue drops what is new, counts it, tells it once, and goes on when there is room', async () => {
  let isAway = true;
  const { farthing, events, problems } = standIn({ maxQueued: 10 }, () => (isAway ? later(0)() : ok()));
  send(farthing, 25);
  expect(farthing.queued).toBe(10);
  expect(farthing.dropped).toBe(15);
  isAway = false;
  expect(await farthing.flush({ withinMs: 20_000 })).toBe(true);
  expect(numbersOf(events)).toEqual(numbers(10));
  send(farthing, 12);
  expect(farthing.dropped).toBe(17);
  await farthing.flush();
  expect(events).toHaveLength(20);
  expect(problems.filter(({ code }) => code === 'full').map(({ dropped }) => dropped)).toEqual([1, 16]);
});

test('D15.3: the queue is bounded in bytes too, and an event that no request can hold is dropped', async () => {
  const { farthing, problems } = standIn({ maxQueuedBytes: 10_000 }, away);
  for (let index = 0; index < 100; index += 1) farthing.track('note', { text: 'x'.repeat(1_000) });
  expect(farthing.queued).toBeLessThan(10);
  expect(farthing.queued + farthing.dropped).toBe(100);
  farthing.track('note', { text: 'x'.repeat(1 << 20) });
  expect(farthing.dropped).toBe(101 - farthing.queued);
  expect(problems.map(({ code }) => code)).toEqual(['full', 'refused']);
  await farthing.close({ withinMs: 0 });
});

test('D15.3: invalid events of a batch are counted, and the others are stored once', async () => {
  const partly = () => Response.json({ code: 'invalid_body', detail: 'Two.', accepted: 3 }, { status: 400 });
  const { farthing, problems, requests } = standIn({}, partly, ok);
  send(farthing, 5);
  expect(await farthing.flush()).toBe(true);
  expect(requests).toEqual([5]);
  expect(farthing.dropped).toBe(2);
  expect(problems).toEqual([{ code: 'refused', message: expect.stringContaining('Two.'), dropped: 2 }]);
});

test('D15.3: a request that is refused as a whole is halved, down to the one event at fault', async () => {
  const faulty = (events: readonly Json[]) => events.some(({ number }) => number === 5);
  const stored: unknown[] = [];
  const { farthing, problems } = standIn({
    fetch: async (_url, init) => {
      const events = String(init?.body)
        .split('\n')
        .map((line): Json => JSON.parse(line));
      if (faulty(events)) return new Response('too large', { status: 413 });
      stored.push(...numbersOf(events));
      return ok();
    },
  });
  send(farthing, 16);
  expect(await farthing.flush()).toBe(true);
  expect(stored).toEqual(numbers(16).filter((number) => number !== 5));
  expect(farthing.dropped).toBe(1);
  expect(problems.map(({ code }) => code)).toEqual(['refused']);
});

test.each([
  ['a page of a proxy', () => new Response('<html>hello', { status: 200 })],
  ['a redirect', () => new Response(null, { status: 302, headers: { location: 'http://127.0.0.1/' } })],
  ['a wrong secret', () => Response.json({ code: 'unauthenticated' }, { status: 401 })],
])('D15.3: %s is no success; the events wait', async (_name, answer) => {
  const { farthing, problems } = standIn({}, answer);
  send(farthing, 2);
  expect(await farthing.flush({ withinMs: 50 })).toBe(false);
  expect(farthing.queued).toBe(2);
  expect(problems.map(({ code }) => code)).toEqual(['unreachable']);
  await farthing.close({ withinMs: 0 });
});

test('D15.3: close sends what it can, then counts the rest, and takes nothing more', async () => {
  const { farthing, problems } = standIn({}, away);
  send(farthing, 4);
  expect(await farthing.close({ withinMs: 20 })).toBe(false);
  expect([farthing.queued, farthing.dropped]).toEqual([0, 4]);
  send(farthing, 1);
  expect(farthing.dropped).toBe(5);
  expect(farthing.call({ model: 'm' }, () => 42)).toBe(42);
  expect(problems.map(({ code }) => code)).toEqual(['unreachable', 'unsent']);
});

test('D15.3: without settings, or with a callback that fails, the host gets what it gets', async () => {
  const { farthing, problems } = standIn({ url: '' });
  expect(farthing.call({ model: 'm' }, () => 42)).toBe(42);
  send(farthing, 1);
  expect(await farthing.flush()).toBe(true);
  expect(problems.map(({ code }) => code)).toEqual(['settings']);
  const failing = new Farthing({
    url: '',
    onProblem: () => {
      throw new Error('mine');
    },
  });
  expect(failing.call({ model: 'm' }, () => 42)).toBe(42);
});

test('D15.3: what can not be sent as JSON is told and fails nothing', async () => {
  const { farthing, events, problems } = standIn();
  const round: Json = {};
  round.self = round;
  farthing.track('odd', { size: 1n });
  farthing.track('odd', round);
  expect(farthing.call({ model: 'm', odd: round }, () => 42)).toBe(42);
  await farthing.flush();
  expect(events).toEqual([]);
  expect(problems.map(({ code }) => code)).toEqual(['internal']);
});

test('D15.3: waitUntil keeps a serverless function until its call has ended and is sent', async () => {
  const waits: Array<Promise<unknown>> = [];
  const { farthing, events } = standIn({ waitUntil: (promise) => waits.push(promise) });
  await farthing.call({ model: 'm' }, async () => await pause(20));
  expect(waits).toHaveLength(1);
  await waits[0];
  expect(events).toHaveLength(2);
});

test('D15.3: tags and names are cut to what the intake takes', async () => {
  const { farthing, events } = standIn();
  const tags = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`${index}${'k'.repeat(200)}`, index]));
  farthing.call({ model: 'm'.repeat(2_000), customer: 'c'.repeat(2_000), tags }, () => ({}));
  await farthing.flush();
  const sent = events[0]?.tags as Record<string, string>;
  expect(Object.keys(sent)).toHaveLength(97);
  expect(Object.keys(sent).every((key) => key.length <= 128)).toBe(true);
  expect(sent.customer).toHaveLength(1_024);
  expect(events[0]?.model).toHaveLength(1_024);
});

/** Runs a script that makes one call and has nothing else to do. */
async function runScript(url: string): Promise<{ code: number | null; output: string; tookMs: number }> {
  const index = fileURLToPath(new URL('../../../packages/sdk/src/index.ts', import.meta.url));
  const script = `import { Farthing } from ${JSON.stringify(index)};
    new Farthing().call({ model: 'm', customer: 'acme' }, () => ({ usage: { prompt_tokens: 1 } }));`;
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, FARTHING_URL: url, FARTHING_CLIENT_ID: 'c', FARTHING_CLIENT_SECRET: 's' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (more) => {
      output += more;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output, tookMs: performance.now() - startedAt };
}

test('D15.3: a process that ends sends what waits; one whose service is away ends all the same and says so', async () => {
  const posted: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    posted.push(`${request.url} ${request.headers.authorization} ${body}`);
    response.setHeader('content-type', 'application/json').end('{"ok": true}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    expect(await runScript(`http://127.0.0.1:${port}/`)).toMatchObject({ code: 0, output: '' });
    expect(posted).toHaveLength(1);
    expect(posted[0]).toMatch(/^\/intake\/c\/ Bearer s \{.*call\.before.*\n\{.*call\.after.*\}$/);
  } finally {
    server.close();
  }
  const alone = await runScript(`http://127.0.0.1:${await freePort()}`);
  expect(alone.code).toBe(0);
  expect(alone.output).toMatch(/farthing: events wait to be sent: .*\n.*the process ends with 2 events left/);
});
