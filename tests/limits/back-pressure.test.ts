import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Project } from '../support/client.ts';
import { longTest } from '../support/long-test.ts';
import { callsIn, expectRefused, postOtlp } from '../support/otlp/post.ts';
import { callSpan, traces } from '../support/otlp/records.ts';
import { poll } from '../support/poll.ts';
import { openRawClient } from '../support/raw-http.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';

/** Longer than the second of a rate, so that a burst after a pause is judged by itself. */
const nextWindowMs = 1_100;
const metricsToken = 'metrics-token-of-the-tests';
const dataDir = makeMigratedDataDir();
let service: Service;
let project: Project;

beforeAll(async () => {
  service = await startService({
    dataDir,
    env: {
      // With the journal a store that is away refuses nothing until the journal is full (crash/journal.test.ts).
      FARTHING_JOURNAL: 'off',
      FARTHING_INTAKE_RATE_LIMIT: '40',
      FARTHING_MAX_BUFFERED_BYTES: '20000',
      FARTHING_MAX_EVENT_BYTES: '9000',
      FARTHING_MAX_REQUEST_BYTES: '30000',
      FARTHING_MAX_EVENT_TAGS: '3',
      FARTHING_METRICS_TOKEN: metricsToken,
    },
  });
  project = await connect(service.url, service.adminToken).createProject();
});

afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const event = (fields: object = {}) => ({ event_id: randomUUID(), event_type: 'x.after', cost: 1, ...fields });

test('D3.7: while the store accepts nothing the service answers 503 with Retry-After, and accepted events are stored afterwards', async () => {
  const [engine] = service.childProcesses();
  if (engine === undefined) throw new Error('the service has no engine');
  process.kill(engine, 'SIGSTOP');
  const note = 'x'.repeat(5_000);
  const posting = Array.from({ length: 8 }, () => project.intake({ body: event({ note }) }));
  // Nothing can be stored now, so the first answer is a refusal.
  const refused = await Promise.race(posting);
  process.kill(engine, 'SIGCONT');
  expect(refused.body).toMatchObject({ code: 'unavailable', status: 503 });
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);

  const statuses = (await Promise.all(posting)).map(({ status }) => status);
  const taken = statuses.filter((status) => status === 200).length;
  expect(taken).toBeGreaterThan(0);
  expect(statuses.filter((status) => status === 503).length).toBe(8 - taken);
  expect(await project.totalCost()).toBe(taken);
});

longTest('D3.7: seconds after an overload, events are taken again', async () => {
  const [engine] = service.childProcesses();
  if (engine === undefined) throw new Error('the service has no engine');
  const burdened = await project.farthing.createProject();
  process.kill(engine, 'SIGSTOP');
  const flood = Promise.all(
    Array.from({ length: 40 }, () => burdened.intake({ body: event({ note: 'x'.repeat(5_000) }) })),
  );
  await sleep(500);
  process.kill(engine, 'SIGCONT');
  const statuses = (await flood).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(statuses).toContain(503);
  const since = performance.now();
  await poll('events are taken again', { within: 20_000, every: 50 }, async () =>
    (await burdened.intake({ body: event() })).status === 200 ? true : undefined,
  );
  expect(performance.now() - since).toBeLessThan(10_000);
});

test('D14.1: OTLP is refused by 429 and 503 with Retry-After, as its own status', async () => {
  const [engine] = service.childProcesses();
  if (engine === undefined) throw new Error('the service has no engine');
  const traced = await project.farthing.createProject();
  process.kill(engine, 'SIGSTOP');
  const spans = () => traces(Array.from({ length: 4 }, () => callSpan()));
  const posting = Array.from({ length: 8 }, () => postOtlp(traced, spans()));
  const refused = await Promise.race(posting);
  process.kill(engine, 'SIGCONT');
  expect(expectRefused(refused, 503).code).toBe(14);
  expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  const taken = (await Promise.all(posting)).filter(({ status }) => status === 200).length;
  expect(taken).toBeGreaterThan(0);
  expect(await callsIn(traced)).toHaveLength(4 * taken);

  const limited = await poll('a request is refused', { within: 30_000, every: nextWindowMs }, async () => {
    const hasty = await Promise.all(Array.from({ length: 60 }, () => postOtlp(traced, traces([]))));
    return hasty.find(({ status }) => status === 429);
  });
  expect(expectRefused(limited, 429).code).toBe(8);
  expect(limited.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
});

const encodings = [
  ['gzip', gzipSync],
  ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } })],
  ['zstd', zstdCompressSync],
] as const;

test.each(encodings)(
  'D3.5, D3.7: bodies that grow a thousandfold by %s are a 413, and take no memory',
  async (encoding, compress) => {
    const bomb = Uint8Array.from(compress(Buffer.alloc(64 * 1_048_576, ' ')));
    expect(bomb.length).toBeLessThan(100_000);
    const bomber = await project.createClient();
    const before = residentBytes(service.pid);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        project.farthing.send('POST', `/intake/${bomber.client_id}/`, {
          token: bomber.secret,
          raw: bomb,
          headers: { 'content-encoding': encoding },
        }),
      ),
    );
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([413]);
    // Inflated they would take 512 MiB.
    expect(residentBytes(service.pid) - before).toBeLessThan(250 * 1_048_576);
  },
);

longTest(
  'D3.7: a flood of tiny requests, most of them refused, is answered to the last one and leaves no memory taken',
  {
    timeout: 600_000,
  },
  async () => {
    const floods = 60_000;
    const flooding = await project.createClient();
    const client = openRawClient(service.url, 64);
    const body = Buffer.from('{}');
    const post = (path: string, token: string) =>
      client.send({
        method: 'POST',
        path,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body,
      });
    const counts = new Map<number, number>();
    const flood = async (count: number) => {
      let left = count;
      await Promise.all(
        Array.from({ length: 64 }, async () => {
          while (left > 0) {
            left -= 1;
            const { status } =
              left % 2 === 0
                ? await post(`/intake/${flooding.client_id}/`, flooding.secret)
                : await post(`/intake/${randomUUID()}/`, 'fs_none');
            counts.set(status, (counts.get(status) ?? 0) + 1);
          }
        }),
      );
    };
    await flood(floods / 3);
    const before = residentBytes(service.pid);
    await flood((2 * floods) / 3);
    client.close();
    expect([...counts.keys()].sort()).toEqual([400, 401, 429]);
    expect([...counts.values()].reduce((sum, count) => sum + count)).toBe(floods);
    expect(residentBytes(service.pid) - before).toBeLessThan(100 * 1_048_576);
    expect((await project.farthing.send('GET', '/healthz')).status).toBe(200);
  },
);

/** What a process has in memory. */
function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1_024;
}

test('D3.7: more requests of one client than its rate are answered with 429, Retry-After and RateLimit headers; others are not', async () => {
  const noisy = await project.createClient();
  const post = async ({ client_id, secret }: { client_id: string; secret: string }) =>
    await fetch(`${service.url}/intake/${client_id}/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(event()),
    });
  const answers: Response[] = [];
  // A busy machine may spread the requests over so many seconds that none has more than its rate.
  const limited = await poll('a request is limited', { within: 30_000, every: nextWindowMs }, async () => {
    answers.push(...(await Promise.all(Array.from({ length: 90 }, () => post(noisy)))));
    return answers.find(({ status }) => status === 429);
  });
  expect(limited.headers.get('content-type')).toContain('application/problem+json');
  expect(await limited.json()).toMatchObject({ code: 'rate_limited', status: 429 });
  expect(limited.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(limited.headers.get('ratelimit-limit')).toBe('40');
  expect(limited.headers.get('ratelimit-remaining')).toBe('0');
  // What is within the rate is taken, or told to come again by a store that a busy machine slows.
  const within = answers.filter(({ status }) => status !== 429).map(({ status }) => status);
  expect(within.length).toBeGreaterThanOrEqual(40);
  expect([200, 503]).toEqual(expect.arrayContaining(within));

  const quiet = await project.createClient();
  expect((await post(quiet)).status).toBe(200);
});

test('D3.5: the configured limits apply', async () => {
  const tooManyTags = await project.intake({ body: event({ tags: { a: '1', b: '2', c: '3', d: '4' } }) });
  expect(tooManyTags.body).toMatchObject({ status: 400, errors: [{ pointer: '/tags', code: 'too_many' }] });
  const tooLarge = await project.intake({ body: event({ note: 'x'.repeat(9_000) }) });
  expect(tooLarge.body).toMatchObject({ status: 413, code: 'payload_too_large' });
  const tooMuch = await project.intake({ body: Array.from({ length: 4 }, () => event({ note: 'x'.repeat(8_000) })) });
  expect(tooMuch.body).toMatchObject({ status: 413, code: 'payload_too_large' });
  const inBatch = await project.intake({ body: [event(), event({ note: 'x'.repeat(9_000) })] });
  expect(inBatch.body).toMatchObject({ status: 400, accepted: 1, errors: [{ pointer: '/1', code: 'too_large' }] });
});

test('D11.3: metrics can ask for a token, and name no project, customer or path', async () => {
  const ask = (token?: string) =>
    fetch(`${service.url}/metrics`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  expect((await ask()).status).toBe(401);
  expect((await ask('wrong')).status).toBe(401);
  const answer = await ask(metricsToken);
  expect(answer.status).toBe(200);
  const text = await answer.text();
  expect(text).toMatch(/^farthing_events_stored_total [1-9]/m);
  expect(text).toContain('route="/intake/:client_id/"');
  expect(text).not.toContain(project.id);
  expect(text).not.toContain(dataDir);
});
