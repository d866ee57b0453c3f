// Today's service on the data folder of each earlier release: the same answers, also when its first start is killed.
import { cpSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { connect, costEvent, expectStatus, type Farthing, send } from '../support/client.ts';
import { poll } from '../support/poll.ts';
import { launchService, makeDataDir, type Service, startService } from '../support/service.ts';
import {
  listUpgrades,
  type ProjectOfRelease,
  readUpgrade,
  toComparable,
  type Upgrade,
  unpackUpgrade,
} from '../support/upgrades.ts';

const services: Service[] = [];
const directories: string[] = [];

afterAll(async () => {
  await Promise.all(services.map((service) => service.kill()));
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

function makeFolder(name: string): string {
  const dataDir = makeDataDir();
  directories.push(dataDir);
  unpackUpgrade(name, dataDir);
  return dataDir;
}

async function start(dataDir: string, { admin_token: adminToken }: Upgrade, sealAfterSeconds: number) {
  const service = await startService({
    dataDir,
    adminToken,
    env: { FARTHING_SEAL_AFTER_SECONDS: String(sealAfterSeconds) },
  });
  services.push(service);
  return { service, farthing: connect(service.url, adminToken) };
}

/** Asks what the release was asked. Fields may have come since, none may be gone or be otherwise (D12.1). */
async function expectAnswers({ url, adminToken }: Farthing, { answers }: Upgrade): Promise<void> {
  expect(answers.length).toBeGreaterThan(50);
  for (const { project, method, path, body, answer } of answers) {
    const found = await poll(path, { within: 60_000, every: 100 }, async () => {
      const got = await send(method, `${url}${path}`, {
        token: adminToken,
        ...(project !== '' && { headers: { 'farthing-project': project } }),
        ...(body !== undefined && { body }),
      });
      return got.status === 503 ? undefined : got;
    });
    const question = `${project} ${method} ${path} ${JSON.stringify(body)}`;
    expect(found.status, `${question} ${found.text}`).toBe(200);
    expect({ question, answer: toComparable(found.body) }).toMatchObject({ question, answer });
  }
}

const readMetric = async ({ url }: Service, name: string): Promise<number> => {
  const { text } = await send('GET', `${url}/metrics`);
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? Number.NaN);
};

const totals = { date_from: '2025-11-01', date_to: '2025-12-31', aggregate: 'all' };

async function totalsOf(farthing: Farthing, { id, api_key: token }: ProjectOfRelease) {
  const ask = async (path: string) =>
    Object(expectStatus(await farthing.send('POST', path, { token, body: totals }), 200)).rows[0];
  const [costs, usage] = await Promise.all([ask('/api/costs/'), ask('/api/usage/')]);
  return { id, cost: costs.cost as number, calls: usage.calls as number };
}

describe.each(listUpgrades())('the data folder of %s', (name) => {
  const upgrade = readUpgrade(name);

  test('D12.1: answers as it did, from calls and from days that are sealed anew', async () => {
    const dataDir = makeFolder(name);
    const before = await start(dataDir, upgrade, 86_400);
    await expectAnswers(before.farthing, upgrade);
    expect((await before.service.stop()).code).toBe(0);

    const { service, farthing } = await start(dataDir, upgrade, 0);
    await poll('all days are sealed', { within: 60_000 }, async () =>
      (await readMetric(service, 'farthing_unsealed_days')) === 0 ? true : undefined,
    );
    await expectAnswers(farthing, upgrade);
    expect((await service.stop()).code).toBe(0);
  });

  test('D4.2: takes events with the secrets that there were: new ones count once, old ones not again', async () => {
    const { farthing } = await start(makeFolder(name), upgrade, 0);
    for (const project of upgrade.projects) {
      const { id, client_id: clientId, secret } = project;
      const old = await totalsOf(farthing, project);
      const repeated = upgrade.answers
        .filter((one) => one.project === id && one.path.startsWith('/api/events/'))
        .flatMap(({ answer }) => Object(answer).rows.map(({ event }: { event: object }) => event));
      expect(repeated.length).toBeGreaterThan(20);
      // On days that the release had sealed, and on some that it had not.
      const added = Array.from({ length: 14 }, (_, day) =>
        costEvent({ cost: 0.25, timestamp: new Date(Date.UTC(2025, 10, 24 + day, 12)).toISOString() }),
      );
      const body = [...repeated, ...added];
      expectStatus(await farthing.send('POST', `/intake/${clientId}/`, { token: secret, body }), 200);
      const { cost, calls } = await totalsOf(farthing, project);
      expect(calls).toBe(old.calls + added.length);
      expect(cost).toBeCloseTo(old.cost + 0.25 * added.length, 10);
    }
  });

  test('D3.2: the first start may be killed at any moment, and the next one goes on', {
    timeout: 300_000,
  }, async () => {
    const folder = makeFolder(name);
    // As long as a start takes here.
    const begunAt = Date.now();
    const whole = makeDataDir();
    directories.push(whole);
    cpSync(folder, whole, { recursive: true, verbatimSymlinks: true });
    await (await start(whole, upgrade, 0)).service.kill();
    const startMs = Date.now() - begunAt;

    for (let round = 0; round < 4; round += 1) {
      const dataDir = makeDataDir();
      directories.push(dataDir);
      cpSync(folder, dataDir, { recursive: true, verbatimSymlinks: true });
      for (let kill = 0; kill < 3; kill += 1) {
        const killed = await launchService({ dataDir, adminToken: upgrade.admin_token });
        await pause(Math.random() * startMs);
        await killed.kill();
      }
      const { service, farthing } = await start(dataDir, upgrade, 0);
      await expectAnswers(farthing, upgrade);
      await service.kill();
    }
  });
});
