// D13.2: from embedded stores to servers, with nothing lost.
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type EmbeddedEngine, startEmbeddedEngine } from '../../src/storage/analytic/embedded/engine.ts';
import { erase } from '../api/D2-erasure/support.ts';
import { runCommand } from '../cli/command.ts';
import { connect, costEvent, expectStatus, type Farthing, type Project } from '../support/client.ts';
import { closeDays } from '../support/closes.ts';
import { isLong } from '../support/effort.ts';
import { createDatabase } from '../support/postgres.ts';
import { deleteFirstProject, makeVariedProject, readAnswers } from '../support/sample-answers.ts';
import {
  launchService,
  makeDataDir,
  makeMigratedDataDir,
  type Service,
  startService,
  untilReady,
} from '../support/service.ts';

const ignore = () => undefined;
const dataDir = makeMigratedDataDir();
/** Speaks as a ClickHouse server does. */
let server: EmbeddedEngine;
let service: Service;
let to: { clickhouse: string; postgres: string };

beforeAll(async () => {
  service = await startService({ dataDir });
  server = await startEmbeddedEngine({
    dataDir: makeMigratedDataDir(),
    logger: { info: ignore, warn: ignore, error: ignore },
  });
  const url = new URL(server.url);
  [url.username, url.password] = [server.username, server.password];
  to = { clickhouse: url.href, postgres: await createDatabase(inject('postgresUrl')) };
});
afterAll(async () => {
  await service?.kill();
  await server?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const move = async (adminToken?: string) =>
  await runCommand(['move', '--to-clickhouse', to.clickhouse, '--to-postgres', to.postgres, '--json'], {
    FARTHING_URL: service.url,
    FARTHING_DATA_DIR: dataDir,
    ...(adminToken !== undefined && { FARTHING_ADMIN_TOKEN: adminToken }),
  });

const lateEvent = (cost: number) =>
  costEvent({ timestamp: '2024-12-30T12:00:00Z', cost, tags: { customer: 'late in the year' } });

const closedYear = { date_from: '2024-01-01', date_to: '2024-12-31', aggregate: 'month' };

/** Answers as of a close, as bytes. */
const askAsOf = async (project: Project, close: string): Promise<string[]> => {
  const questions = ['/api/costs/', '/api/margin/', '/api/usage/'];
  const answers = await Promise.all(
    questions.map((path) => project.api('POST', path, { ...closedYear, as_of: close, group_by: 'customer' })),
  );
  for (const answer of answers) expectStatus(answer, 200);
  return answers.map(({ text }) => text);
};

/** What beside events belongs to a project. */
async function makeFacts(project: Project): Promise<void> {
  await project.tag({ customer_name: 'late in the year', tags: { plan: 'pro' } });
  await project.addPrice({ model: 'm1', input_per_mtok: 3, output_per_mtok: 1 });
  const grant = { provider: 'openai', amount: 3, starts_on: '2024-01-01', expires_on: '2024-12-31' };
  expectStatus(await project.api('POST', '/api/credit-grants/', grant), 201);
  const plan = { name: 'Pro', customers: { names: ['late in the year'] }, base_per_month: 34 };
  const simulation = { date_from: '2024-01-01', date_to: '2024-12-31', plans: [plan] };
  expectStatus(await project.api('PUT', '/api/plans/simulations/dearer/', simulation), 201);
}

/** Usually a few answers: the command has compared those of every kind. */
async function ask(farthing: Farthing, project: Project): Promise<Map<string, string>> {
  if (isLong) return await readAnswers(farthing);
  const question = { ...closedYear, group_by: 'customer', customer_tags: { plan: 'pro' } };
  const asked = {
    costs: project.api('POST', '/api/costs/', question),
    usage: project.api('POST', '/api/usage/', { date_from: '2024-01-01', aggregate: 'all', group_by: 'customer' }),
    events: project.api('GET', '/api/events/?limit=1000'),
    simulations: project.api('GET', '/api/plans/simulations/'),
    audit: project.api('GET', '/api/audit/?limit=1000'),
  };
  const answers = new Map<string, string>();
  for (const [name, answer] of Object.entries(asked)) {
    const { text } = await answer;
    answers.set(name, text);
    expectStatus(await answer, 200);
  }
  return answers;
}

test('D13.2, D19.1: a move copies while events come in, resumes after an interruption, lets no service start on a part of it, and ends with the same answers on servers', async () => {
  const farthing = connect(service.url, service.adminToken);
  if (!isLong) await deleteFirstProject(farthing);
  // The first event of a writer is a call by itself, of a day that stays open, so that it shows where it is skipped.
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1, timestamp: '2025-06-01T12:00:00Z' }));
  await (isLong ? makeVariedProject(farthing, 'revenue', 21) : makeFacts(project));
  await project.post(lateEvent(2));
  const { id: close } = await closeDays(project, closedYear.date_to);
  const closed = await askAsOf(project, close);
  expect(closed[0]).toContain('late in the year');
  // The close pins copies of this day from now on.
  await project.post(lateEvent(4));
  await project.totalCost();
  const first = await move(service.adminToken);
  expect([first.code, first.stderr]).toEqual([0, '']);
  const copied = JSON.parse(first.stdout) as { state: string; events: number; copied: number };
  expect(copied).toMatchObject({ state: 'copied', copied: copied.events });
  const servers = { postgresUrl: to.postgres, env: { FARTHING_CLICKHOUSE_URL: to.clickhouse } };
  const early = await launchService({ dataDir: makeDataDir(), ...servers });
  const end = await Promise.race([early.exited, untilReady(early).then(() => 'it serves')]);
  expect(end).toEqual({ code: 1, signal: null });
  expect(early.output()).toContain('was not finished');
  // Usually tests/backup/parts knows what is copied already.
  if (isLong) {
    expect(JSON.parse((await move(service.adminToken)).stdout)).toMatchObject({ state: 'copied', copied: 0 });
  }

  // Intake goes on until the end: what comes after the first copy moves too, and what is erased does not.
  const event_id = randomUUID();
  await project.post({ event_id, event_type: 'x.after', cost: 0.5, tags: { customer: 'late' } });
  await erase(project, '/api/customers/late/');
  expect((await project.api('GET', '/api/events/?limit=1000')).text).not.toContain(event_id);
  expect((await project.costBy('customer')).late).toBeUndefined();
  await project.post({ event_id: randomUUID(), event_type: 'x.after', cost: 0.25, tags: { customer: 'last' } });
  const before = await ask(farthing, project);
  await service.stop();

  const { code, stdout, stderr } = await move();
  expect(code, stderr).toBe(0);
  const moved = JSON.parse(stdout) as { state: string; compared: number };
  expect(moved.state).toBe('moved');
  expect(moved.compared).toBeGreaterThan(20);

  // The old service accepts no more events.
  const old = await launchService({ dataDir });
  expect((await old.exited).code).toBe(1);
  expect(old.output()).toContain('was moved to servers');
  service = await startService({ dataDir, port: service.port, ...servers });
  expect(await ask(farthing, project)).toEqual(before);
  expect(await askAsOf(project, close)).toEqual(closed);
  await project.post({ event_id: randomUUID(), event_type: 'x.after', cost: 0.125, tags: { customer: 'after' } });
  expect((await project.costBy('customer')).after).toBe(0.125);

  // A folder that a service refuses to serve is refused here too.
  if (isLong) expect((await move()).code).toBe(1);
});
