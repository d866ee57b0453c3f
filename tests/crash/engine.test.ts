// The embedded engine is a process that can die without the service (architecture: "an engine crash costs half a second").
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Project } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { poll } from '../support/poll.ts';
import { expectProblem } from '../support/problem.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';

const event = () => ({ event_id: randomUUID(), event_type: 'x.after', cost: 1, timestamp: '2024-05-15T12:00:00Z' });

async function postUntil(project: Project, done: () => boolean): Promise<{ acknowledged: number; refused: number[] }> {
  let acknowledged = 0;
  const refused: number[] = [];
  while (!done()) {
    const answer = await project.intake({
      body: event(),
    });
    if (answer.status === 200) acknowledged += 1;
    else refused.push(answer.status);
    if (answer.status === 503) expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  }
  return { acknowledged, refused };
}

const dataDir = makeMigratedDataDir();
let service: Service;

beforeAll(async () => {
  service = await startService({ dataDir });
});

afterAll(async () => {
  await service?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

test('D3.7: when the engine is killed the service goes on, and nothing acknowledged is lost', async () => {
  const project = await connect(service.url, service.adminToken).createProject();
  let done = false;
  const posting = Array.from({ length: 4 }, () => postUntil(project, () => done));
  for (let kill = 0; kill < usualOrLong(2, 10); kill += 1) {
    const engines = await poll('the engine runs', { within: 15_000 }, () => {
      const children = service.childProcesses();
      return children.length > 0 ? children : undefined;
    });
    for (const pid of engines) process.kill(pid, 'SIGKILL');
    await poll('another engine answers', { within: 30_000 }, async () => {
      if (service.childProcesses().some((pid) => engines.includes(pid))) return undefined;
      const answer = await project.postCosts({ date_from: '2024-05-15', date_to: '2024-05-15' });
      // While there is no engine the service may say that it is not available, never that it is broken.
      expect([200, 503], answer.text).toContain(answer.status);
      return answer.status === 200 ? true : undefined;
    });
  }
  done = true;
  const results = await Promise.all(posting);
  const acknowledged = results.reduce((total, result) => total + result.acknowledged, 0);
  const refused = results.flatMap((result) => result.refused);
  expect(refused.filter((status) => status !== 503)).toEqual([]);
  expect(acknowledged).toBeGreaterThan(0);
  const total = await project.totalCost();
  expect(total).toBeGreaterThanOrEqual(acknowledged);
  // A refused event may still have been stored: its sender was told to send it again.
  expect(total).toBeLessThanOrEqual(acknowledged + refused.length);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
});

test('D4.7: costs that cannot catch up within 10 s are refused with a time to retry, and never out of date', async () => {
  const engines = service.childProcesses();
  const project = await connect(service.url, service.adminToken).createProject();
  const range = { date_from: '2024-05-15', date_to: '2024-05-15' };
  // So many that the engine stands still before they have become calls.
  const events = Array.from({ length: 10_000 }, event);
  await project.post(...events);
  for (const pid of engines) process.kill(pid, 'SIGSTOP');

  const asked = Date.now();
  const answer = await project.postCosts(range);
  const waited = Date.now() - asked;
  expectProblem(answer, 503, 'catching_up');
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(waited).toBeGreaterThan(9_000);
  expect(waited).toBeLessThan(15_000);

  for (const pid of engines) process.kill(pid, 'SIGCONT');
  const caughtUp = await poll('costs are answered again', { within: 60_000 }, async () => {
    const again = await project.postCosts(range);
    expect([200, 503], again.text).toContain(again.status);
    return again.status === 200 ? again.body : undefined;
  });
  expect(caughtUp).toMatchObject({ rows: [{ cost: events.length }] });
});

test('the engine ends with the service, however the service ends', async () => {
  const children = service.childProcesses();
  expect(children.length).toBeGreaterThan(0);
  process.kill(service.pid, 'SIGKILL');
  await service.exited;
  await poll('the engine is gone', { within: 10_000 }, () => (children.some(isRunning) ? undefined : true));
  // Nothing holds the data any more, so it can be served at once.
  service = await startService({ dataDir });
  expect((await service.stop()).code).toBe(0);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
