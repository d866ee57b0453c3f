// Events acknowledged by the journal survive kills of everything while the store is behind, and a store that is away. The embedded
// engine is a process that can die without the service (architecture: "an engine crash costs half a second").
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, costEvent, type Json, type Project } from '../support/client.ts';
import { seed, usualOrLong } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { poll } from '../support/poll.ts';
import { freePort } from '../support/ports.ts';
import { expectProblem } from '../support/problem.ts';
import { isRunning, makeMigratedDataDir, type Service, startService } from '../support/service.ts';

const rounds = usualOrLong(1, 200);
const clients = 6;
/** How long the store is away, in milliseconds: longer than a request waits for it. */
const awayMs = usualOrLong(12_000, 600_000);

const dataDir = makeMigratedDataDir();
let port: number;
let service: Service;
const start = async () => await startService({ dataDir, port });

beforeAll(async () => {
  port = await freePort();
  service = await start();
});

afterAll(async () => {
  await service?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

interface Posted {
  readonly id: string;
  isAcknowledged: boolean;
}

const segments = () => {
  const folder = join(dataDir, 'journal');
  return existsSync(folder) ? readdirSync(folder) : [];
};

/** The engine, which the service has started. */
function signalEngine(signal: NodeJS.Signals): void {
  for (const pid of service.childProcesses()) process.kill(pid, signal);
}

/** Posts one request after the other until the service is gone, or `isOver`. Custom events: each row of the log shows. */
async function postOn(project: Project, posted: Posted[], isOver: () => boolean = () => false): Promise<void> {
  for (let request = 0; !isOver(); request += 1) {
    const sent = Array.from({ length: request % 4 === 0 ? 20 : 1 }, () => ({
      id: randomUUID(),
      isAcknowledged: false,
    }));
    posted.push(...sent);
    const body = sent.map(({ id }) => ({ event_id: id, event_type: 'seen', tags: { customer: 'acme' } }));
    const answer = await project.intake({ body: body.length === 1 ? body[0] : body }).catch(() => undefined);
    if (answer === undefined) return;
    expect(answer.status, answer.text).toBe(200);
    for (const one of sent) one.isAcknowledged = true;
  }
}

/** The ids of all rows that the log has of the project. */
async function readIds(project: Project): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body, text } = await project.api('GET', `/api/events/?order=oldest&limit=1000${from}`);
    expect(status, text).toBe(200);
    const page = body as { rows: { event: Json }[]; next_cursor: string | null };
    ids.push(...page.rows.map(({ event }) => String(event.event_id)));
    cursor = page.next_cursor ?? undefined;
  }
  return ids;
}

/** Every acknowledged event is in the log, none is there twice, and none that was not posted. */
async function expectOnce(project: Project, posted: readonly Posted[]): Promise<void> {
  const found = await readIds(project);
  expect(new Set(found).size).toBe(found.length);
  const known = new Set(posted.map(({ id }) => id));
  expect(found.filter((id) => !known.has(id))).toEqual([]);
  const stored = new Set(found);
  expect(posted.filter(({ id, isAcknowledged }) => isAcknowledged && !stored.has(id))).toEqual([]);
}

/** A number below `most`, the same for a seed and a round. */
const chosen = (round: number, salt: number, most: number): number =>
  Math.floor((Math.abs(Math.sin(seed + 97 * round + 13 * salt)) * 10_000) % most);

test(
  `D3.2: ${rounds} kills of everything, with the store behind or not, lose and double nothing that was acknowledged`,
  async () => {
    const project = await connect(service.url, service.adminToken).createProject();
    const posted: Posted[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const posting = Array.from({ length: clients }, () => postOn(project, posted));
      await pause(20 + chosen(round, 1, 500));
      // In two of three rounds the store stops first: what comes then is in the journal alone.
      if (round % 3 !== 1) {
        signalEngine('SIGSTOP');
        await pause(20 + chosen(round, 2, 600));
      }
      await service.kill();
      await Promise.all(posting);
      service = await start();
      await expectOnce(project, posted);
    }
    expect(posted.filter(({ isAcknowledged }) => isAcknowledged).length).toBeGreaterThan(rounds * clients);
  },
  usualOrLong(600_000, 3_600_000),
);

test('D3.7, D4.7: a store that is away for long does not stop the intake, costs are refused and never out of date, and all is there once it is back', async () => {
  const farthing = connect(service.url, service.adminToken);
  const [project, asked] = [await farthing.createProject(), await farthing.createProject()];
  const posted: Posted[] = [];
  const until = performance.now() + awayMs;
  signalEngine('SIGSTOP');
  await asked.post(costEvent({ cost: 1 }), costEvent({ cost: 2 }));
  await Promise.all([
    expectCatchingUp(asked),
    ...Array.from({ length: 2 }, async () => {
      while (performance.now() < until) {
        let requests = 0;
        await postOn(project, posted, () => requests++ >= 20);
        await pause(usualOrLong(1_500, 20));
      }
    }),
  ]);
  expect(segments()).not.toEqual([]);
  signalEngine('SIGCONT');
  await expect
    .poll(async () => (await project.api('GET', '/api/events/?limit=1')).status, { timeout: 120_000 })
    .toBe(200);
  await expectOnce(project, posted);
  expect(posted.length).toBeGreaterThan(100);
  const caughtUp = await poll('costs are answered again', { within: 60_000 }, async () => {
    const again = await asked.postCosts(range);
    expect([200, 503], again.text).toContain(again.status);
    return again.status === 200 ? again.body : undefined;
  });
  expect(caughtUp).toMatchObject({ rows: [{ cost: 3 }] });
});

/** The days of `costEvent`. */
const range = { date_from: '2024-05-15', date_to: '2024-05-15' };

/** Costs that cannot catch up within 10 s are refused with a time to retry. */
async function expectCatchingUp(project: Project): Promise<void> {
  const askedAt = Date.now();
  const answer = await project.postCosts(range);
  const waited = Date.now() - askedAt;
  expectProblem(answer, 503, 'catching_up');
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(waited).toBeGreaterThan(9_000);
  expect(waited).toBeLessThan(15_000);
}

test('D2: what deletes or freezes is recorded once the log has all that was acknowledged before', async () => {
  const farthing = connect(service.url, service.adminToken);
  const [project, other] = [await farthing.createProject(), await farthing.createProject()];
  signalEngine('SIGSTOP');
  for (const one of [project, other]) await one.post({ event_id: randomUUID(), event_type: 'seen', tags: {} });
  const asked = [
    farthing.send('DELETE', '/api/customers/acme/', {
      token: service.adminToken,
      headers: { 'farthing-project': project.record.id },
    }),
    farthing.admin('PATCH', `${project.adminPath}/`, { retention_days: 30 }),
    farthing.admin('DELETE', `${other.adminPath}/`),
  ];
  expect(await Promise.race([...asked, pause(1_000, 'they wait')])).toBe('they wait');
  signalEngine('SIGCONT');
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([202, 200, 204]);
});

// Usually tests/crash/start stops under load, and looks into the journal.
longTest('D13.3: after a stop everything is stored, and the journal is empty', async () => {
  const project = await connect(service.url, service.adminToken).createProject();
  const posted: Posted[] = [];
  let requests = 0;
  await postOn(project, posted, () => requests++ >= 12);
  expect((await service.stop()).code).toBe(0);
  expect(segments()).toEqual([]);
  service = await start();
  await expectOnce(project, posted);
});

/** Counts the events that are acknowledged until it is done, and how others are refused. */
async function countTaken(project: Project, done: () => boolean): Promise<{ acknowledged: number; refused: number[] }> {
  let acknowledged = 0;
  const refused: number[] = [];
  while (!done()) {
    const answer = await project.intake({ body: costEvent({ cost: 1 }) });
    if (answer.status === 200) acknowledged += 1;
    else refused.push(answer.status);
    if (answer.status === 503) expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  }
  return { acknowledged, refused };
}

test('D3.7: when the engine is killed the service goes on, and nothing acknowledged is lost', async () => {
  const project = await connect(service.url, service.adminToken).createProject();
  let done = false;
  const posting = Array.from({ length: 4 }, () => countTaken(project, () => done));
  for (let kill = 0; kill < usualOrLong(1, 10); kill += 1) {
    const engines = await poll('the engine runs', { within: 60_000 }, () => {
      const children = service.childProcesses();
      return children.length > 0 ? children : undefined;
    });
    for (const pid of engines) process.kill(pid, 'SIGKILL');
    await poll('another engine answers', { within: 60_000 }, async () => {
      if (service.childProcesses().some((pid) => engines.includes(pid))) return undefined;
      const answer = await project.postCosts(range);
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

// Usually tests/crash/provider-accounts kills the service alone.
longTest('the engine ends with the service, however the service ends', async () => {
  const children = service.childProcesses();
  expect(children.length).toBeGreaterThan(0);
  process.kill(service.pid, 'SIGKILL');
  await service.exited;
  await poll('the engine is gone', { within: 60_000 }, () => (children.some(isRunning) ? undefined : true));
  // Nothing holds the data any more, so it can be served at once.
  service = await start();
});
