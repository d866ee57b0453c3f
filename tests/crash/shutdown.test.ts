// D13.3: SIGTERM.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Project } from '../support/client.ts';
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
let project: Project;

beforeAll(async () => {
  service = await startService({ dataDir });
  project = await connect(service.url, service.adminToken).createProject();
});

afterAll(async () => {
  await service?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Sends SIGTERM: the service must end with 0. It ends with 1 when it has not stopped after 9 s. */
async function expectStopped(): Promise<void> {
  expect(await service.stop()).toEqual({ code: 0, signal: null });
}

test('D13.3: after SIGTERM accepted requests are answered and kept, and the service exits 0 within 10 s', async () => {
  await project.post(event(1));
  const bodies = Array.from({ length: 10 }, () => JSON.stringify(event(1)));
  const opened = await Promise.all(bodies.map((body) => openRequest(project, body)));

  const stopping = expectStopped();
  const statuses = Promise.all(opened.map(statusOf));
  for (const [index, request] of opened.entries()) request.end(bodies[index]);
  expect(await statuses).toEqual(bodies.map(() => 200));
  await stopping;
  await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();

  service = await startService({ dataDir, port: service.port });
  expect(await project.totalCost()).toBe(11);
});

test('D13.3: under load every request is either answered or never accepted, and what was answered 200 is kept', async () => {
  const before = await project.totalCost();
  let acknowledged = 0;
  let posted = 0;
  const others: number[] = [];
  const posting = Array.from({ length: 8 }, async () => {
    for (;;) {
      posted += 1;
      const answer = await project.intake({ body: event(1) }).catch(() => undefined);
      if (answer === undefined) return;
      if (answer.status === 200) acknowledged += 1;
      else others.push(answer.status);
      if (answer.status !== 200) return;
    }
  });
  while (acknowledged < 100) await project.costs({ date_from: '2024-05-15', date_to: '2024-05-15' });
  await expectStopped();
  await Promise.all(posting);
  // A request that comes too late may be refused with 503.
  expect(others.filter((status) => status !== 503)).toEqual([]);

  service = await startService({ dataDir, port: service.port });
  const total = (await project.totalCost()) - before;
  expect(total).toBeGreaterThanOrEqual(acknowledged);
  expect(total).toBeLessThanOrEqual(posted);
});

test('D13.3: an idle service with open connections exits 0 at once', async () => {
  // `fetch` keeps its connection open.
  await (await fetch(`${service.url}/healthz`)).text();
  await expectStopped();
});
