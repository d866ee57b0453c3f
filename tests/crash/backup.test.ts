// D13.2: a backup of a running service, and what is restored of it.
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { join as joinTeam } from '../api/D34-members/team.ts';
import { runCommand, runInHost } from '../cli/command.ts';
import {
  connect,
  costEvent,
  expectStatus,
  type Farthing,
  type Json,
  onceCaughtUp,
  type Project,
  tokenEvent,
} from '../support/client.ts';
import { askAll, closeDays } from '../support/closes.ts';
import { isLong, someOf, usualOrLong } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { untilDayLasts } from '../support/midnight.ts';
import { once } from '../support/once.ts';
import { poll } from '../support/poll.ts';
import { createDatabase } from '../support/postgres.ts';
import {
  account,
  accountsPath,
  expectReconciled,
  expectSums,
  makeTraffic,
  readAccounts,
  readsWithin,
  setUpAccount,
  untilRead,
} from '../support/provider-accounts.ts';
import { ProviderServer, providerKeys } from '../support/provider-server.ts';
import { repriceDays } from '../support/reprice.ts';
import { deleteFirstProject, makeVariedProject, readAnswers } from '../support/sample-answers.ts';
import { makeDataDir, makeMigratedDataDir, type Service, startService } from '../support/service.ts';

const root = mkdtempSync(join(tmpdir(), 'farthing-backups-'));
const newFolder = () => join(root, randomUUID());
let service: Service;
/** Those on what was restored. */
const services: Service[] = [];
let farthing: Farthing;
let before: Map<string, string>;
/** A project with a close whose days have changed since, and its answers as of the close. */
let closed: Project;
let asOf: Map<string, string>;
let close: string;
/** A backup of all that the answers `before` are of, made while events come into another project. */
const backup = newFolder();
let busy: Busy;
/** Who is signed in while the backup is made. */
let member: Awaited<ReturnType<typeof joinTeam>>;
/** A project with an account at a provider, whose key is in no backup. */
let provider: ProviderServer;
let metered: Project;

const settingsOf = ({ url, adminToken }: Service) => ({ FARTHING_URL: url, FARTHING_ADMIN_TOKEN: adminToken });
const makeBackup = async (folder: string) => {
  const { code, stdout, stderr } = await runCommand(['backup', folder, '--json'], settingsOf(service));
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as { events: number; bytes: number };
};
const restore = (folder: string, dataDir: string, settings: Record<string, string> = {}, run = runCommand) =>
  run(['restore', folder, '--json'], { FARTHING_DATA_DIR: dataDir, ...settings });

beforeAll(async () => {
  // Days are sealed at once, so that answers before come from rollups too.
  await untilDayLasts();
  provider = await ProviderServer.start();
  const env = { FARTHING_SEAL_AFTER_SECONDS: '0', FARTHING_PROVIDER_URLS: provider.setting };
  service = await startService({ dataDir: makeMigratedDataDir(), env });
  farthing = connect(service.url, service.adminToken);
  if (!isLong) await deleteFirstProject(farthing);
  // The first event of a writer is a call by itself, so that it shows where it is skipped.
  await (await farthing.createProject()).post(costEvent({ cost: 1 }));
  closed = await makeClosedProject();
  await makeSources();
});
afterAll(async () => {
  await service?.kill();
  await Promise.all(services.map((one) => one.kill()));
  await provider?.close();
  rmSync(root, { recursive: true, force: true });
});

/** What is restored, the answers about it, and the backup of it. */
async function makeSources(): Promise<void> {
  await makeVariedProject(farthing, 'revenue', 11);
  // More than one writer in the log.
  if (isLong) {
    await service.kill();
    const env = { FARTHING_PROVIDER_URLS: provider.setting };
    service = await startService({ dataDir: service.dataDir, port: service.port, env });
    await makeVariedProject(farthing, 'internal', 12);
  }
  asOf = await askAsOf(closed);
  const project = await farthing.createProject();
  member = await joinTeam(farthing, { role: 'editor', project: project.id });
  provider.traffic.anthropic = makeTraffic('anthropic', 3);
  metered = await farthing.createProject();
  const key = providerKeys.anthropic;
  await untilRead(metered, await setUpAccount(metered, { kind: 'anthropic', key, mode: 'meter' }));
  before = await readAnswers(farthing, [project, metered]);
  busy = await backUpWhileBusy(project);
}

/** Of three closed days one is as it was, one has a late event, and one is repriced. */
async function makeClosedProject(): Promise<Project> {
  const project = await farthing.createProject({ type: 'internal' });
  await project.addPrice({ model: 'm1', input_per_mtok: 3, output_per_mtok: 1 });
  const call = (day: number, customer: string, prompt_tokens: number) =>
    tokenEvent({
      timestamp: `2024-05-0${day}T12:00:00Z`,
      prompt_tokens,
      tags: { customer, user: `u-${customer}`, feature: 'chat', run: 'over midnight', job: 'nightly' },
    });
  await project.post(call(2, 'acme', 1_000), call(3, 'acme', 2_000), call(3, 'bravo', 4_000), call(4, 'acme', 8_000));
  await project.tagUsers({ user_name: 'u-acme', tags: { team: 'a' } });
  await project.keyMetric('tickets', { event_type: 'ticket.done', aggregation: 'count' });
  await project.post({ event_id: randomUUID(), event_type: 'ticket.done', timestamp: '2024-05-03T09:00:00Z' });
  close = (await closeDays(project, '2024-05-31')).id;
  await project.post(call(3, 'bravo', 16_000));
  await project.tagUsers({ user_name: 'u-acme', tags: { team: 'b' } });
  await project.addPrice({ model: 'm1', input_per_mtok: 5, output_per_mtok: 1 });
  await repriceDays(project, { date_from: '2024-05-04', date_to: '2024-05-04', dry_run: false });
  return project;
}

interface Busy {
  readonly project: Project;
  /** The ids of all acknowledged events, and of those from before the backup. */
  readonly acknowledged: readonly string[];
  readonly before: readonly string[];
}

/** Makes the backup while events come into the project. */
async function backUpWhileBusy(project: Project): Promise<Busy> {
  const acknowledged: string[] = [];
  let isStopped = false;
  const post = async (client: number) => {
    for (let request = 0; !isStopped; request += 1) {
      const events = Array.from({ length: 1 + ((request + client) % 20) }, (): Json => {
        const event_id = randomUUID();
        return { event_id, event_type: 'x.after', cost: 0.000001, tags: { customer: event_id } };
      });
      await project.post(...events);
      acknowledged.push(...events.map(({ event_id }) => String(event_id)));
      await pause(usualOrLong(50, 0));
    }
  };
  const posting = Promise.all(Array.from({ length: 4 }, (_, client) => post(client)));
  await poll('events are coming', { within: 60_000 }, () => (acknowledged.length > 100 ? true : undefined));
  const before = acknowledged.slice();
  await makeBackup(backup).finally(() => {
    isStopped = true;
  });
  await posting;
  return { project, acknowledged, before };
}

/** Every answer as of the close, and what has changed since. */
async function askAsOf(project: Project): Promise<Map<string, string>> {
  const range = { date_from: '2024-05-01', date_to: '2024-05-31', as_of: close };
  const answers = await askAll(project, range, 2);
  const drift = await onceCaughtUp(() => project.api('POST', `/api/closes/${close}/drift/`, {}));
  expectStatus(drift, 200);
  return answers.set('drift', drift.text).set('closes', (await project.api('GET', '/api/closes/')).text);
}

/** Restores the backup and starts a service on it. */
async function startRestored(postgresUrl?: string): Promise<Farthing> {
  const dataDir = makeDataDir();
  const { code, stderr } = await restore(backup, dataDir, postgresUrl ? { FARTHING_POSTGRES_URL: postgresUrl } : {});
  expect(code, stderr).toBe(0);
  const env = { FARTHING_PROVIDER_URLS: provider.setting };
  const started = await startService({ dataDir, env, ...(postgresUrl !== undefined && { postgresUrl }) });
  services.push(started);
  return connect(started.url, started.adminToken);
}

/** The backup as it is restored into embedded stores. */
const restored = once(() => startRestored());

async function expectRestored(there: Farthing): Promise<void> {
  expect(await readAnswers(there, [busy.project, metered])).toEqual(before);
  expect(await askAsOf(closed.through(there))).toEqual(asOf);
}

test('D13.2, D19.1: days are closed while a backup is read, which holds the closes from before it', async () => {
  const { id } = Object(expectStatus(await farthing.admin('POST', '/admin/backups/'), 201));
  try {
    const later = await closeDays(closed, '2024-06-30');
    const { text } = await farthing.admin('GET', `/admin/backups/${id}/control/`);
    const rows = text.split('\n').filter((line) => line.includes(closed.id));
    expect(text).not.toContain(later.id);
    expect(rows.filter((line) => line.startsWith('{"table":"closes"'))).toEqual([expect.stringContaining(close)]);
    expect(rows.find((line) => line.startsWith('{"table":"projects"'))).toContain('"closed_through":"2024-05-31"');
    expectStatus(await closed.api('DELETE', `/api/closes/${later.id}/`), 204);
  } finally {
    expectStatus(await farthing.admin('DELETE', `/admin/backups/${id}/`), 204);
  }
});

test('D13.2, D19.1, D34.3: every answer of a restored service is byte for byte as before, and its log has the restore', async () => {
  const there = await restored();
  await expectRestored(there);
  const { body } = await there.admin('GET', '/admin/audit/?kind=copy');
  const restore = { actor: 'command', actor_id: 'restore', action: 'created', kind: 'copy', project_id: null };
  expect(body).toMatchObject({ entries: [{ ...restore, after: { events: expect.any(Number) } }] });
});

test('D34.2: a restored service has the members with their roles, who sign in anew', async () => {
  const there = await restored();
  const list = Object(expectStatus(await there.admin('GET', `/admin/members/?project_id=${busy.project.id}`), 200));
  expect(list.members).toMatchObject([
    { id: member.id, email: member.email, roles: [{ project_id: busy.project.id, role: 'editor' }] },
  ]);
  const headers = { cookie: member.cookie, 'farthing-project': busy.project.id };
  expectStatus(await farthing.send('GET', '/api/project/', { headers }), 200);
  expectStatus(await there.send('GET', '/api/project/', { headers }), 401);
});

test('D30.2: no backup has the key of a provider account; once it is given again, nothing counts twice', async () => {
  for (const name of readdirSync(backup)) {
    expect(readFileSync(join(backup, name), 'latin1').includes(providerKeys.anthropic)).toBe(false);
  }
  const there = metered.through(await restored());
  const lost = await poll('the fault is told', readsWithin, async () => {
    const [found] = await readAccounts(there);
    return /cannot be decrypted/.test(found?.last_fault?.reason ?? '') ? found : undefined;
  });
  const given = await there.api('PATCH', `${accountsPath}${lost.id}/`, { key: providerKeys.anthropic });
  await untilRead(there, account.parse(expectStatus(given, 200)));
  await expectSums(there, provider.traffic.anthropic);
  await expectReconciled(there, provider.traffic.anthropic);
});

test('D13.2: a backup taken while events come in has every event acknowledged before it, once', async () => {
  const found = await readEventIds(await restored(), busy.project);
  expect(new Set(found).size).toBe(found.length);
  expect(busy.before.filter((id) => !new Set(found).has(id))).toEqual([]);
  expect(found.filter((id) => !new Set(busy.acknowledged).has(id))).toEqual([]);
});

test('D13.2: only the owner can read a backup', () => {
  expect((statSync(backup).mode & 0o777).toString(8)).toBe('700');
  for (const name of readdirSync(backup)) expect((statSync(join(backup, name)).mode & 0o777).toString(8)).toBe('600');
});

// Usually tests/crash/move copies the same from embedded stores to servers.
longTest('D13.2, D19.1: a backup of embedded stores is restored into PostgreSQL, with the same answers', async () => {
  await expectRestored(await startRestored(await createDatabase(inject('postgresUrl'))));
});

async function readEventIds(from: Farthing, project: Project): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const asked = new URLSearchParams({ limit: '1000', ...(cursor !== '' && { cursor }) });
    const { body } = await from.send('GET', `/api/events/?${asked}`, { token: project.apiKey });
    const page = body as { rows: { event: { event_id: string } }[]; next_cursor: string | null };
    ids.push(...page.rows.map(({ event }) => event.event_id));
    cursor = page.next_cursor;
  }
  return ids;
}

test('D13.2: an incomplete backup is refused with one line, and nothing is written', async () => {
  const expectRefused = async (folder: string, dataDir: string, reason: RegExp) => {
    const held = existsSync(dataDir) ? readdirSync(dataDir) : [];
    const { code, stderr } = await restore(folder, dataDir, {}, runInHost);
    expect(code).toBe(1);
    expect(stderr.trim()).toMatch(reason);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(readdirSync(dataDir)).toEqual(held);
  };
  const dataDir = makeDataDir();
  const cutOff = newFolder();
  cpSync(backup, cutOff, { recursive: true });
  const [events = ''] = readdirSync(cutOff).filter((name) => name.includes('events'));
  appendFileSync(join(cutOff, events), 'x');
  await expectRefused(cutOff, dataDir, /events.* damaged: its checksum is wrong/);
  const manifest = readFileSync(join(cutOff, 'manifest.json'), 'utf8');
  const lacks = [
    [() => rmSync(join(cutOff, 'manifest.json')), /no manifest\.json .* cut off/],
    [() => writeFileSync(join(cutOff, 'manifest.json'), manifest.slice(0, -20)), /manifest\.json .* damaged/],
    [() => rmSync(join(cutOff, events)), /events.* cannot be read/],
  ] as const;
  for (const [damage, reason] of someOf(lacks, 1)) {
    writeFileSync(join(cutOff, 'manifest.json'), manifest);
    damage();
    await expectRefused(cutOff, dataDir, reason);
  }
  const taken = makeDataDir();
  writeFileSync(join(taken, 'something'), '');
  await expectRefused(backup, taken, /not empty/);
  const again = await runInHost(['backup', backup], settingsOf(service));
  expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/ already contains a backup: /)]);
});

test('D2: nothing is deleted while a backup is read, and all is afterwards', async () => {
  const project = await farthing.createProject();
  await project.post({ event_id: randomUUID(), event_type: 'x.after', cost: 1, tags: { customer: 'gone' } });
  expect(await project.costBy('customer')).toEqual({ gone: 1 });
  const begun = await farthing.admin('POST', '/admin/backups/');
  const { id } = begun.body as { id: string };
  expect((await farthing.admin('DELETE', `/admin/backups/${id}x/`)).status).toBe(404);
  await farthing.send('DELETE', '/api/customers/gone/', {
    token: farthing.adminToken,
    headers: { 'farthing-project': project.id },
  });
  await pause(5_000);
  expect(await project.costBy('customer')).toEqual({ gone: 1 });
  expect((await farthing.admin('DELETE', `/admin/backups/${id}/`)).status).toBe(204);
  await expect.poll(() => project.costBy('customer'), { timeout: 60_000, interval: 500 }).toEqual({});
});
