import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Project } from '../support/client.ts';
import { makeDataDir, type Service, startService } from '../support/service.ts';

const metricsToken = 'metrics-token-of-the-tests';
const dataDir = makeDataDir();
let service: Service;
let project: Project;

beforeAll(async () => {
  service = await startService({
    dataDir,
    env: {
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

test('D3.7: a store that takes nothing is answered with 503 and Retry-After, and what was taken is there afterwards', async () => {
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

test('D3.7: more requests of one client than its rate are answered with 429, Retry-After and RateLimit headers; others are not', async () => {
  const noisy = await project.createClient();
  const post = async ({ client_id, secret }: { client_id: string; secret: string }) =>
    await fetch(`${service.url}/intake/${client_id}/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(event()),
    });
  const answers = await Promise.all(Array.from({ length: 90 }, () => post(noisy)));
  const limited = answers.find(({ status }) => status === 429);
  if (!limited) throw new Error('no request was limited');
  expect(limited.headers.get('content-type')).toContain('application/problem+json');
  expect(await limited.json()).toMatchObject({ code: 'rate_limited', status: 429 });
  expect(limited.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(limited.headers.get('ratelimit-limit')).toBe('40');
  expect(limited.headers.get('ratelimit-remaining')).toBe('0');
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(40);

  const quiet = await project.createClient();
  expect((await post(quiet)).status).toBe(200);
});

test('D3.5: the limits are those that are configured', async () => {
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
