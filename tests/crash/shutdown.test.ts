// D13.3: SIGTERM.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type ClientRequest, request } from 'node:http';
import { expect, test } from 'vitest';
import { connect, type Project } from '../support/client.ts';
import { makeDataDir, startService } from '../support/service.ts';

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

test('D13.3: after SIGTERM accepted requests are answered and kept, and the service exits 0 within 10 s', async () => {
  const dataDir = makeDataDir();
  const service = await startService({ dataDir });
  const project = await connect(service.url, service.adminToken).createProject();
  await project.post(event(1));
  const bodies = Array.from({ length: 10 }, () => JSON.stringify(event(1)));
  const opened = await Promise.all(bodies.map((body) => openRequest(project, body)));

  const asked = Date.now();
  const stopping = service.stop();
  const statuses = Promise.all(opened.map(statusOf));
  for (const [index, request] of opened.entries()) request.end(bodies[index]);
  expect(await statuses).toEqual(bodies.map(() => 200));
  expect(await stopping).toEqual({ code: 0, signal: null });
  expect(Date.now() - asked).toBeLessThan(10_000);
  await expect(fetch(`${service.url}/healthz`)).rejects.toThrow();

  const next = await startService({ dataDir, port: service.port });
  expect(await project.totalCost()).toBe(11);
  expect((await next.stop()).code).toBe(0);
  rmSync(dataDir, { recursive: true, force: true });
});

test('D13.3: under load every request is either answered or never accepted, and what was answered 200 is kept', async () => {
  const dataDir = makeDataDir();
  const service = await startService({ dataDir });
  const project = await connect(service.url, service.adminToken).createProject();
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
  const asked = Date.now();
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  expect(Date.now() - asked).toBeLessThan(10_000);
  await Promise.all(posting);
  // Who comes too late may be told so.
  expect(others.filter((status) => status !== 503)).toEqual([]);

  const next = await startService({ dataDir, port: service.port });
  const total = await project.totalCost();
  expect(total).toBeGreaterThanOrEqual(acknowledged);
  expect(total).toBeLessThanOrEqual(posted);
  expect((await next.stop()).code).toBe(0);
  rmSync(dataDir, { recursive: true, force: true });
});

test('D13.3: an idle service with open connections exits 0 at once', async () => {
  const dataDir = makeDataDir();
  const service = await startService({ dataDir });
  // `fetch` keeps its connection open.
  await (await fetch(`${service.url}/healthz`)).text();
  const asked = Date.now();
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  expect(Date.now() - asked).toBeLessThan(10_000);
  rmSync(dataDir, { recursive: true, force: true });
});
