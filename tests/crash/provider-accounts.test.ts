// Provider accounts in a real service: a key is enough, sums are the provider's, and no kill or fault changes that. Several
// instances: tests/instances. A restored service: tests/crash/backup.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { erase } from '../api/D2-erasure/support.ts';
import { connect, expectStatus, type Project } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { untilDayLasts } from '../support/midnight.ts';
import { poll } from '../support/poll.ts';
import {
  account,
  accountsPath,
  costOf,
  dayAgo,
  expectReconciled,
  expectSums,
  lastMonth,
  makeTraffic,
  people,
  readAccounts,
  readAgain,
  readsWithin,
  setUpAccount,
  untilRead,
} from '../support/provider-accounts.ts';
import { modelsOf, ProviderServer, providerKeys } from '../support/provider-server.ts';
import { isRunning, makeMigratedDataDir, type Service, startService } from '../support/service.ts';

let server: ProviderServer;
let service: Service;

const start = (dataDir = makeMigratedDataDir()) =>
  startService({ dataDir, env: { FARTHING_PROVIDER_URLS: server.setting } });

beforeAll(async () => {
  server = await ProviderServer.start();
  service = await start();
});
afterAll(async () => {
  await service?.stop();
  await server?.close();
});
beforeEach(async () => {
  await untilDayLasts();
  server.mishaps = [];
  server.code = [];
});

test('D30.2: a key is enough: 30 days of cost by model, key, workspace and user, as the provider reports them', async () => {
  const project = await connect(service.url, service.adminToken).createProject();
  server.traffic.openai = makeTraffic('openai');
  const began = performance.now();
  const made = await setUpAccount(project, { kind: 'openai', key: providerKeys.openai, mode: 'meter' });
  let found = await untilRead(project, made);
  expect(performance.now() - began).toBeLessThan(120_000);
  expect(found).toMatchObject({ calls: 180, last_fault: null });
  await expectSums(project, server.traffic.openai);
  await expectReconciled(project, server.traffic.openai);

  // The provider corrects a day, and renames a key; names arrive.
  server.traffic.openai = server.traffic.openai
    .filter(({ day, key }) => day !== dayAgo(2) || key !== 'key_cyd')
    .map((one) =>
      one.day === dayAgo(1) && one.key === 'key_bob' ? { ...one, key: 'key_bobby', input: one.input + 5 } : one,
    );
  found = await readAgain(project, made.id);
  expect(found).toMatchObject({ calls: 178 });
  await expectSums(project, server.traffic.openai);
  await expectReconciled(project, server.traffic.openai);
  const names = [
    { by: 'workspace', id: 'team_0', customer: 'acme' },
    { by: 'key', id: 'key_ada', customer: 'globex', feature: 'chat' },
  ];
  const named = account.parse(expectStatus(await project.api('PATCH', `${accountsPath}${made.id}/`, { names }), 200));
  await untilRead(project, named);
  await expectSums(project, server.traffic.openai);
  const of = (key: string) => costOf(server.traffic.openai.filter((one) => one.key.startsWith(key)));
  const byCustomer = await project.costBy('customer');
  expect(byCustomer.globex).toBeCloseTo(of('key_ada'), 9);
  expect(byCustomer.acme).toBeCloseTo(of('key_cyd'), 9);
  expect(byCustomer['']).toBeCloseTo(of('key_bob'), 9);

  // The same calls reported by an SDK instead: no doubles, and nothing is missing.
  const switched = account.parse(
    expectStatus(await project.api('PATCH', `${accountsPath}${made.id}/`, { mode: 'reconcile' }), 200),
  );
  expect(switched.switched).toMatchObject({ to: 'reconcile', calls_withdrawn: 178, done: false });
  found = await untilRead(project, switched);
  expect(found).toMatchObject({ calls: 0, switched: { to: 'reconcile', calls_withdrawn: 178, done: true } });
  expect(await project.totalCost()).toBe(0);
  await project.post(
    ...server.traffic.openai.map(({ day, model, input, cached, output }) => ({
      ...{ event_id: randomUUID(), event_type: 'llm.after', timestamp: `${day}T00:00:01Z`, model, provider: 'openai' },
      usage: {
        prompt_tokens: input + cached,
        completion_tokens: output,
        prompt_tokens_details: { cached_tokens: cached },
      },
    })),
  );
  await expectReconciled(project, server.traffic.openai);

  // An erased customer leaves the table of names.
  await erase(project, '/api/customers/globex/');
  await poll('the name is gone', readsWithin, async () =>
    (await readAccounts(project))[0]?.names.length === 1 ? true : undefined,
  );
  expectStatus(await project.api('DELETE', `${accountsPath}${made.id}/`), 204);
  await poll('the entries are gone', readsWithin, async () => {
    const left = await project.api('GET', '/api/invoices/');
    return z.object({ rows: z.array(z.unknown()) }).parse(left.body).rows.length === 0 ? true : undefined;
  });
});

test('D30.2: Anthropic: cents, seats of Claude Code at no cost, and a service that is killed in the middle', async () => {
  const project = await connect(() => service.url, service.adminToken).createProject();
  server.traffic.anthropic = makeTraffic('anthropic');
  const model = modelsOf.anthropic[0];
  server.code = [
    { day: dayAgo(1), email: 'eve@example.com', model, isSubscription: true, input: 5_000, output: 700 },
    { day: dayAgo(1), email: 'fay@example.com', model, isSubscription: false, input: 9_000, output: 900 },
  ];
  for (const [round, nth] of usualOrLong([5], [2, 5, 9]).entries()) {
    const { length: before } = server.asked;
    if (round === 0) await setUpAccount(project, { kind: 'anthropic', key: providerKeys.anthropic, mode: 'meter' });
    await poll('requests came', readsWithin, () => (server.asked.length >= before + nth ? true : undefined));
    // The service alone; its engine ends with it, so that the folder can be served at once.
    const engine = service.childProcesses();
    expect(engine.length).toBeGreaterThan(0);
    process.kill(service.pid, 'SIGKILL');
    await service.exited;
    await poll('the engine is gone', { within: 60_000 }, () => (engine.some(isRunning) ? undefined : true));
    service = await start(service.dataDir);
  }
  const [found] = await poll('the account is read', readsWithin, async () => {
    const accounts = await readAccounts(project);
    return accounts[0]?.last_success_at ? accounts : undefined;
  });
  expect(found).toMatchObject({ calls: 181, last_fault: null });
  await expectSumsWithSeat(project);
  await expectReconciled(project, server.traffic.anthropic);
});

async function expectSumsWithSeat(project: Project): Promise<void> {
  const rows = await project.allCosts({ ...lastMonth(), aggregate: 'all', group_by: 'tag:provider_user' });
  const found = Object.fromEntries(rows.map((row) => [row.tag, row.cost]));
  for (const { user } of people) {
    const own = server.traffic.anthropic.filter((one) => one.user === user);
    expect(found[user]).toBeCloseTo(costOf(own), 9);
  }
  expect(found['eve@example.com']).toBe(0);
  expect(found).not.toHaveProperty('fay@example.com');
}

test('D30.1: faults are told without the key, waits are kept, and another key helps', async () => {
  const project = await connect(service.url, service.adminToken).createProject();
  server.traffic.openrouter = makeTraffic('openai').map((one) => ({ ...one, model: modelsOf.openrouter[0] }));
  const wrong = 'sk-or-v1-wrong-key-of-the-tests-0123456789';
  const body = { kind: 'openrouter', key: wrong, mode: 'meter' };
  const made = await setUpAccount(project, body);
  expectStatus(await project.api('POST', accountsPath, body), 409);
  expectStatus(await project.api('POST', accountsPath, { ...body, key: 'has a space' }), 400);
  expectStatus(await project.api('POST', accountsPath, { ...body, key: `${wrong}2`, since: '2001-01-01' }), 400);
  const fault = (reason: RegExp) =>
    poll(`a fault like ${reason}`, readsWithin, async () => {
      const [found] = await readAccounts(project);
      return reason.test(found?.last_fault?.reason ?? '') ? found : undefined;
    });
  await fault(/refused the key \(401\)/);
  server.mishaps = [{ status: 429, retryAfter: '3600' }];
  expectStatus(await project.api('PATCH', `${accountsPath}${made.id}/`, { key: `${wrong}2` }), 200);
  const waiting = await fault(/fewer requests \(429\)/);
  expect(Date.parse(waiting?.next_at ?? '') - Date.now()).toBeGreaterThan(3_500_000);
  const { length: before } = server.asked;
  expectStatus(await project.api('POST', `${accountsPath}${made.id}/read/`), 200);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(server.asked).toHaveLength(before);
  const changed = await project.api('PATCH', `${accountsPath}${made.id}/`, { key: providerKeys.openrouter });
  await untilRead(project, account.parse(expectStatus(changed, 200)));
  const past = server.traffic.openrouter.filter(({ day }) => day < dayAgo(0));
  const rows = await project.allCosts({ ...lastMonth(), aggregate: 'all', group_by: 'tag:workspace' });
  for (const { tag, cost } of rows) {
    expect(cost).toBeCloseTo(costOf(past.filter(({ workspace }) => workspace === tag)), 6);
  }
  expect(rows).toHaveLength(2);

  // No key is in answers, logs, exports, or any file but encrypted.
  const texts = [
    (await project.api('GET', accountsPath)).text,
    (await project.api('GET', '/api/events/?limit=1000')).text,
    (await project.api('GET', '/api/invoices/')).text,
    (await project.farthing.admin('GET', '/admin/diagnosis/')).text,
    service.output(),
  ];
  // Files that a merge has replaced vanish meanwhile, which is no fault of grep's.
  const isInFiles = (text: string) => spawnSync('grep', ['-rqsaF', '-e', text, service.dataDir]).status === 0;
  expect(isInFiles(made.id)).toBe(true);
  for (const secret of [wrong, ...Object.values(providerKeys)]) {
    expect(isInFiles(secret)).toBe(false);
    for (const [at, text] of texts.entries()) expect(text.includes(secret), `a key in text ${at}`).toBe(false);
  }

  // While the provider wants no requests, calls are taken back all the same, and a deleted account goes.
  server.mishaps = [{ status: 429, retryAfter: '3600' }];
  expectStatus(await project.api('POST', `${accountsPath}${made.id}/read/`), 200);
  await fault(/fewer requests \(429\)/);
  const { length: asked } = server.asked;
  expectStatus(await project.api('PATCH', `${accountsPath}${made.id}/`, { mode: 'reconcile' }), 200);
  await poll('the calls are taken back', readsWithin, async () =>
    (await readAccounts(project))[0]?.calls === 0 ? true : undefined,
  );
  expect(await project.totalCost()).toBe(0);
  expect((await readAccounts(project))[0]).toMatchObject({ switched: { done: false } });
  expectStatus(await project.api('DELETE', `${accountsPath}${made.id}/`), 204);
  await poll('the entries are gone', readsWithin, async () => {
    const left = await project.api('GET', '/api/invoices/');
    return z.object({ rows: z.array(z.unknown()) }).parse(left.body).rows.length === 0 ? true : undefined;
  });
  expect(server.asked).toHaveLength(asked);
});
