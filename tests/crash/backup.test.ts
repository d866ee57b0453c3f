// D13.2: a backup of a running service, and what is restored of it.
import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
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
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { beginCopy } from '../../src/backup/copy-in.ts';
import { openControlStore } from '../../src/control/control-store.ts';
import { runCommand } from '../cli/command.ts';
import { connect, costEvent, type Farthing, type Json, type Project } from '../support/client.ts';
import { createDatabase } from '../support/postgres.ts';
import { makeVariedProject, readAnswers } from '../support/sample-answers.ts';
import { launchService, makeDataDir, makeMigratedDataDir, type Service, startService } from '../support/service.ts';
import { startOwnEngineStore } from '../support/stores.ts';

const root = mkdtempSync(join(tmpdir(), 'farthing-backups-'));
const newFolder = () => join(root, randomUUID());
let service: Service;
let farthing: Farthing;
let before: Map<string, string>;
/** A backup of all that the answers `before` are of. */
const backup = newFolder();

const settingsOf = ({ url, adminToken }: Service) => ({ FARTHING_URL: url, FARTHING_ADMIN_TOKEN: adminToken });
const makeBackup = async (folder: string) => {
  const { code, stdout, stderr } = await runCommand(['backup', folder, '--json'], settingsOf(service));
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as { events: number; bytes: number };
};
const restore = (folder: string, dataDir: string, settings: Record<string, string> = {}) =>
  runCommand(['restore', folder, '--json'], { FARTHING_DATA_DIR: dataDir, ...settings });

beforeAll(async () => {
  // Days are sealed at once, so that answers before come from rollups too.
  service = await startService({ dataDir: makeMigratedDataDir(), env: { FARTHING_SEAL_AFTER_SECONDS: '0' } });
  farthing = connect(service.url, service.adminToken);
  // The first event of a writer is a call by itself, so that it shows where it is skipped.
  await (await farthing.createProject()).post(costEvent({ cost: 1 }));
  await makeVariedProject(farthing, 'revenue', 11);
  // More than one writer in the log.
  await service.kill();
  service = await startService({ dataDir: service.dataDir, port: service.port });
  await makeVariedProject(farthing, 'internal', 12);
  before = await readAnswers(farthing);
  await makeBackup(backup);
}, 150_000);
afterAll(async () => {
  await service?.kill();
  rmSync(root, { recursive: true, force: true });
});

async function expectRestored(dataDir: string, postgresUrl?: string): Promise<void> {
  const restored = await startService({ dataDir, ...(postgresUrl !== undefined && { postgresUrl }) });
  try {
    expect(await readAnswers(connect(restored.url, restored.adminToken))).toEqual(before);
  } finally {
    await restored.stop();
  }
}

test('D13.2: every answer of a restored service is byte for byte as before, and only the owner can read a backup', async () => {
  expect((statSync(backup).mode & 0o777).toString(8)).toBe('700');
  for (const name of readdirSync(backup)) expect((statSync(join(backup, name)).mode & 0o777).toString(8)).toBe('600');
  const dataDir = makeDataDir();
  const { code, stderr } = await restore(backup, dataDir);
  expect(code, stderr).toBe(0);
  await expectRestored(dataDir);
});

test('D13.2: a backup of embedded stores is restored into PostgreSQL, with the same answers', async () => {
  const postgresUrl = await createDatabase(inject('postgresUrl'));
  const dataDir = makeDataDir();
  const { code, stderr } = await restore(backup, dataDir, { FARTHING_POSTGRES_URL: postgresUrl });
  expect(code, stderr).toBe(0);
  await expectRestored(dataDir, postgresUrl);
});

test('D13.2: a backup taken while events come in has every event acknowledged before it, once', async () => {
  const project = await farthing.createProject();
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
    }
  };
  const posting = Promise.all(Array.from({ length: 4 }, (_, client) => post(client)));
  await expect.poll(() => acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(300);
  const beforeIt = acknowledged.slice();
  const folder = newFolder();
  await makeBackup(folder).finally(() => {
    isStopped = true;
  });
  await posting;

  const dataDir = makeDataDir();
  const { code, stderr } = await restore(folder, dataDir);
  expect(code, stderr).toBe(0);
  const restored = await startService({ dataDir });
  try {
    const copy = { farthing: connect(restored.url, restored.adminToken), key: project.apiKey };
    const found = await readEventIds(copy.farthing, project);
    expect(new Set(found).size).toBe(found.length);
    expect(beforeIt.filter((id) => !new Set(found).has(id))).toEqual([]);
    expect(found.filter((id) => !new Set(acknowledged).has(id))).toEqual([]);
  } finally {
    await restored.kill();
  }
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
    const { code, stderr } = await restore(folder, dataDir);
    expect(code).toBe(1);
    expect(stderr.trim()).toMatch(reason);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(readdirSync(dataDir)).toEqual(held);
  };
  const dataDir = makeDataDir();
  const cutOff = newFolder();
  await makeBackup(cutOff);
  const manifest = readFileSync(join(cutOff, 'manifest.json'), 'utf8');
  rmSync(join(cutOff, 'manifest.json'));
  await expectRefused(cutOff, dataDir, /no manifest\.json .* cut off/);
  writeFileSync(join(cutOff, 'manifest.json'), manifest.slice(0, -20));
  await expectRefused(cutOff, dataDir, /manifest\.json .* damaged/);
  writeFileSync(join(cutOff, 'manifest.json'), manifest);
  const [events = ''] = readdirSync(cutOff).filter((name) => name.includes('events'));
  appendFileSync(join(cutOff, events), 'x');
  await expectRefused(cutOff, dataDir, /events.* damaged: its checksum is wrong/);
  rmSync(join(cutOff, events));
  await expectRefused(cutOff, dataDir, /events.* cannot be read/);
  const taken = makeDataDir();
  writeFileSync(join(taken, 'something'), '');
  await expectRefused(backup, taken, /not empty/);
  const again = await runCommand(['backup', backup], settingsOf(service));
  expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/ already contains a backup: /)]);
});

test('D13.2: no service starts on stores that were only partly restored', async () => {
  const { dataDir, engine, store } = await startOwnEngineStore();
  const control = await openControlStore({ dataDir, postgresUrl: undefined, onError: () => undefined });
  await beginCopy({ store, control }, 'bak_cut_off');
  await control.destroy();
  await store.close();
  await engine.close();
  const refused = await launchService({ dataDir });
  expect(await refused.exited).toEqual({ code: 1, signal: null });
  expect(refused.output()).toContain('was not finished');
  rmSync(dataDir, { recursive: true, force: true });
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
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  expect(await project.costBy('customer')).toEqual({ gone: 1 });
  expect((await farthing.admin('DELETE', `/admin/backups/${id}/`)).status).toBe(204);
  await expect.poll(() => project.costBy('customer'), { timeout: 20_000 }).toEqual({});
});
