// D13.3: SIGTERM.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, expectStatus, type Farthing, onceCaughtUp, type Project } from '../support/client.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';

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

const dataDir = makeMigratedDataDir();
let service: Service;
let farthing: Farthing;
const makeProject = () => farthing.createProject();
const start = async (port?: number) =>
  await startService({ dataDir, adminToken: null, ...(port !== undefined && { port }) });

beforeAll(async () => {
  service = await start();
  farthing = connect(service.url, readFileSync(join(dataDir, 'admin-token'), 'utf8').trim());
});

afterAll(async () => {
  await service?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Sends SIGTERM: the service must end with 0. It ends with 1 when it has not stopped after 9 s. */
async function expectStopped(): Promise<void> {
  expect(await service.stop()).toEqual({ code: 0, signal: null });
}

test('D13.3, D1.5, D1.6: after SIGTERM, under load, every request is answered and kept or never accepted, and the service exits 0 within 10 s', async () => {
  const project = await makeProject();
  await project.post(event(1));
  const loaded = await makeProject();
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

  service = await start(service.port);
  expect(await project.totalCost()).toBe(11);
  const total = await loaded.totalCost();
  expect(total).toBeGreaterThanOrEqual(acknowledged);
  expect(total).toBeLessThanOrEqual(posted);

  // The admin token that the first start made is kept, and no project is made again.
  const { projects } = Object(expectStatus(await farthing.admin('GET', '/admin/projects/'), 200));
  expect(projects.filter(({ name }: { name: string }) => name === 'default')).toHaveLength(1);
});

test('D13.3: an idle service with open connections exits 0 at once', async () => {
  // `fetch` keeps its connection open.
  await (await fetch(`${service.url}/healthz`)).text();
  await expectStopped();
});
