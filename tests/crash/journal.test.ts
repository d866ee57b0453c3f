// Events acknowledged by the journal survive kills of everything while the store is behind, and a store that is away.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, type Json, type Project } from '../support/client.ts';
import { seed, usualOrLong } from '../support/effort.ts';
import { freePort } from '../support/ports.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';

const rounds = usualOrLong(2, 200);
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
  usualOrLong(240_000, 3_600_000),
);

test(
  'D3.7: a store that is away for long does not stop the intake, and has everything once it is back',
  async () => {
    const project = await connect(service.url, service.adminToken).createProject();
    const posted: Posted[] = [];
    const until = performance.now() + awayMs;
    signalEngine('SIGSTOP');
    await Promise.all(
      Array.from({ length: 2 }, async () => {
        while (performance.now() < until) {
          let requests = 0;
          await postOn(project, posted, () => requests++ >= 20);
          await pause(usualOrLong(500, 20));
        }
      }),
    );
    expect(segments()).not.toEqual([]);
    signalEngine('SIGCONT');
    await expect
      .poll(async () => (await project.api('GET', '/api/events/?limit=1')).status, { timeout: 120_000 })
      .toBe(200);
    await expectOnce(project, posted);
    expect(posted.length).toBeGreaterThan(100);
  },
  usualOrLong(240_000, 1_200_000),
);

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

test('D13.3: after a stop everything is stored, and the journal is empty', async () => {
  const project = await connect(service.url, service.adminToken).createProject();
  const posted: Posted[] = [];
  let requests = 0;
  await postOn(project, posted, () => requests++ >= 12);
  expect((await service.stop()).code).toBe(0);
  expect(segments()).toEqual([]);
  service = await start();
  await expectOnce(project, posted);
});
