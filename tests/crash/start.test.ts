// D1.5, D1.6, D13.1 and D13.3: the first start, starts that must not be, and the end by SIGTERM.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, expectStatus, onceCaughtUp, type Project, send } from '../support/client.ts';
import { longTest } from '../support/long-test.ts';
import { poll } from '../support/poll.ts';
import { launchService, makeDataDir, makeMigratedDataDir, type Service, startService } from '../support/service.ts';

/** The files of a data directory that hold this text. */
function filesWith(directory: string, pattern: RegExp): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && statSync(join(directory, entry.name)).size < 100_000)
    .map((entry) => join(directory, entry.name))
    .filter((file) => pattern.test(readFileSync(file, 'utf8')));
}

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

const dataDir = makeDataDir();
let service: Service;

beforeAll(async () => {
  // The start before was killed while it made the stores: this one is the first all the same (first-start.test.ts).
  const killed = await launchService({ dataDir, adminToken: null });
  await poll('the first project is about to be made', { within: 60_000, every: 2 }, () =>
    sizeOf(join(dataDir, 'control.sqlite-wal')) > 100_000 ? true : undefined,
  );
  await killed.kill();
  service = await startService({ dataDir, adminToken: null, logLevel: 'info' });
});

afterAll(async () => {
  await service?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('D1.6: the first start, also after a killed one, makes a project, a client and a key, in a file of mode 0600 that the log names', async () => {
  const [file, ...others] = filesWith(dataDir, /fk_[0-9A-Za-z]{32,}/);
  if (file === undefined) throw new Error(`no file with a key in ${dataDir}`);
  expect(others).toEqual([]);
  expect(modeOf(file)).toBe('600');
  expect(readdirSync(dataDir).filter((name) => /\.(part|new)$/.test(name))).toEqual([]);
  expect(service.output()).toContain(file);
  expect(service.output()).not.toMatch(/fk_[0-9A-Za-z]{32,}|fs_[0-9A-Za-z]{32,}/);

  const text = readFileSync(file, 'utf8');
  const [apiKey] = text.match(/fk_[0-9A-Za-z]+/) ?? [];
  const [secret] = text.match(/fs_[0-9A-Za-z]+/) ?? [];
  const [clientId] = text.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) ?? [];
  for (const route of ['/intake/', '/api/costs/'])
    expect(text).toMatch(new RegExp(`curl(?:(?!curl)[\\s\\S])*${route}`));

  const project = await send('GET', `${service.url}/api/project/`, { token: apiKey });
  expect(expectStatus(project, 200)).toMatchObject({ name: 'default', type: 'revenue', timezone: 'UTC' });
  const posted = await send('POST', `${service.url}/intake/${clientId}/`, {
    token: secret,
    body: { event_id: crypto.randomUUID(), event_type: 'x.after', cost: 0.5 },
  });
  expectStatus(posted, 200);
  const costs = await send('POST', `${service.url}/api/costs/`, {
    token: apiKey,
    body: { date_from: '2026-01-01', aggregate: 'all' },
  });
  expect(expectStatus(costs, 200)).toMatchObject({ rows: [{ cost: 0.5 }] });
  const tags = await send('POST', `${service.url}/api/customer-tags/`, {
    token: apiKey,
    body: { customers: [{ customer_name: 'a', tags: { plan: 'pro' } }] },
  });
  expectStatus(tags, 200);
});

test('a second service on the same data is refused with a reason, which a terminal shows as text', async () => {
  const second = await launchService({ dataDir, inTerminal: true });
  expect((await second.exited).code).toBeGreaterThan(0);
  expect(second.output()).toMatch(/FATAL.*The store at .* is already in use/);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
});

longTest('a port that is in use is reported plainly', async () => {
  const otherDir = makeMigratedDataDir();
  const second = await launchService({ dataDir: otherDir, port: service.port });
  expect((await second.exited).code).toBeGreaterThan(0);
  expect(second.output()).toContain(String(service.port));
  rmSync(otherDir, { recursive: true, force: true });
});

/** The file of the admin token that the log names. */
function findTokenFile(): string {
  const named = readdirSync(dataDir)
    .map((name) => join(dataDir, name))
    .filter((file) => statSync(file).isFile() && service.output().includes(file) && /admin/i.test(file));
  expect(named).toHaveLength(1);
  return named[0] ?? '';
}

test('D1.5: an admin token is made in a file of mode 0600 that the log names', async () => {
  const file = findTokenFile();
  expect(modeOf(file)).toBe('600');
  const token = readFileSync(file, 'utf8').trim();
  expect(token.length).toBeGreaterThanOrEqual(32);
  expect(service.output()).not.toContain(token);
  expectStatus(await send('GET', `${service.url}/admin/projects/`, { token }), 200);
});

// Usually the service below starts a second time.
longTest('D1.5, D1.6: the admin token and the project of the first start are kept', async () => {
  const token = readFileSync(findTokenFile(), 'utf8').trim();
  expect((await service.stop()).code).toBe(0);

  service = await startService({ dataDir, adminToken: null, port: service.port });
  const listed = await send('GET', `${service.url}/admin/projects/`, { token });
  expectStatus(listed, 200);
  expect(listed.text.match(/"prj_/g)).toHaveLength(1);
});

test('D13.1: a wrong configuration stops the start, with every fault listed', async () => {
  const dataDir = makeDataDir();
  const service = await launchService({
    dataDir,
    env: {
      FARTHING_PORT: 'eighty',
      FARTHING_INTAKE_PORT: '99999',
      FARTHING_LOG_LEVEL: 'chatty',
      FARTHING_POSTGRES_URL: 'not a url',
      FARTHING_PROT: '8787',
    },
  });
  const exit = await service.exited;
  expect(exit.code).toBeGreaterThan(0);
  for (const name of ['FARTHING_PORT', 'FARTHING_INTAKE_PORT', 'FARTHING_LOG_LEVEL', 'FARTHING_POSTGRES_URL']) {
    expect(service.output()).toContain(name);
  }
  expect(service.output()).toContain('FARTHING_PROT: is not a setting');
  expect(service.output()).not.toMatch(/^\s+at /m);
  rmSync(dataDir, { recursive: true, force: true });
});

const event = (cost: number) => ({
  event_id: randomUUID(),
  event_type: 'x.after',
  cost,
  timestamp: '2024-05-15T12:00:00Z',
});

/** A request that the service has accepted, which it says with "100 Continue", and that still lacks its body. */
async function openRequest(project: Project, body: string): Promise<ClientRequest> {
  const opened = request(`${project.farthing.url}${project.intakePath}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${project.secret}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  });
  await new Promise<void>((resolve, reject) => {
    opened.once('continue', resolve);
    opened.once('response', ({ statusCode }) => reject(new Error(`answered ${statusCode} before its body`)));
    opened.once('error', reject);
    opened.flushHeaders();
  });
  return opened;
}

async function statusOf(opened: ClientRequest): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    opened.once('response', (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
    });
    opened.once('error', reject);
  });
}

/** Sends SIGTERM: the service must end with 0. It ends with 1 when it has not stopped after 9 s. */
async function expectStopped(): Promise<void> {
  expect(await service.stop()).toEqual({ code: 0, signal: null });
}

test('D13.3, D1.5, D1.6: after SIGTERM, under load, every request is answered and kept or never accepted, and the service exits 0 within 10 s', async () => {
  const farthing = connect(service.url, readFileSync(findTokenFile(), 'utf8').trim());
  const project = await farthing.createProject();
  await project.post(event(1));
  const loaded = await farthing.createProject();
  let acknowledged = 0;
  let posted = 0;
  const others: number[] = [];
  let isStopping = false;
  const posting = Array.from({ length: 8 }, async () => {
    for (;;) {
      posted += 1;
      const answer = await loaded.intake({ body: event(1) }).catch(() => undefined);
      if (answer === undefined) return;
      if (answer.status === 200) acknowledged += 1;
      else others.push(answer.status);
      if (isStopping && answer.status !== 200) return;
    }
  });
  const asked = { date_from: '2024-05-15', date_to: '2024-05-15' };
  while (acknowledged < 100) await onceCaughtUp(() => loaded.postCosts(asked));

  // At the last moment: a busy machine has no time to give up what lacks its body.
  const bodies = Array.from({ length: 10 }, () => JSON.stringify(event(1)));
  const opened = await Promise.all(bodies.map((body) => openRequest(project, body)));
  isStopping = true;
  const stopping = expectStopped();
  const statuses = Promise.all(opened.map(statusOf));
  for (const [index, request] of opened.entries()) request.end(bodies[index]);
  expect(await statuses).toEqual(bodies.map(() => 200));
  await stopping;
  await Promise.all(posting);
  // A request that comes too late, or that a busy machine cannot take now, may be refused with 503.
  expect(others.filter((status) => status !== 503)).toEqual([]);
  await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();
  // All of it is in the store.
  expect(readdirSync(join(dataDir, 'journal'))).toEqual([]);

  service = await startService({ dataDir, adminToken: null, port: service.port });
  expect(await project.totalCost()).toBe(11);
  const total = await loaded.totalCost();
  expect(total).toBeGreaterThanOrEqual(acknowledged);
  expect(total).toBeLessThanOrEqual(posted);

  // The admin token that the first start made is kept, and no project is made again.
  const { projects } = Object(expectStatus(await farthing.admin('GET', '/admin/projects/'), 200));
  expect(projects.filter(({ name }: { name: string }) => name === 'default')).toHaveLength(1);
});

test('D13.3: an idle service with open connections exits 0 at once, also if the signal reaches its engine', async () => {
  // `fetch` keeps its connection open.
  await (await fetch(`${service.url}/healthz`)).text();
  process.kill(-service.pid, 'SIGTERM');
  expect(await service.exited).toEqual({ code: 0, signal: null });
  expect(service.output()).not.toContain('engine');
});
