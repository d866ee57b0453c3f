// Provider accounts in a real service: a key is enough, sums are the provider's, and no stop, fault or second instance
// changes that.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { erase } from '../api/D2-erasure/support.ts';
import { runCommand } from '../cli/command.ts';
import { Deployment } from '../instances/deployment.ts';
import { connect, expectStatus, type Json, type Project } from '../support/client.ts';
import { usualOrLong } from '../support/effort.ts';
import { untilDayLasts } from '../support/midnight.ts';
import { poll } from '../support/poll.ts';
import { chargesOf, modelsOf, ProviderServer, providerKeys, type Traffic } from '../support/provider-server.ts';
import { makeDataDir, makeMigratedDataDir, type Service, startService } from '../support/service.ts';

const account = z.object({
  id: z.string(),
  mode: z.string(),
  calls: z.number(),
  names: z.array(z.unknown()),
  next_at: z.string(),
  last_success_at: z.string().nullable(),
  last_read: z.object({ calls: z.number(), entries_changed: z.number(), calls_changed: z.number() }).nullable(),
  last_fault: z.object({ at: z.string(), reason: z.string() }).nullable(),
  switched: z
    .object({ to: z.string(), calls_made: z.number(), calls_withdrawn: z.number(), done: z.boolean() })
    .nullable(),
});
type Account = z.infer<typeof account>;

const path = '/api/provider-accounts/';
const within = { within: 120_000, every: 100 };
const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

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

const read = async (project: Project): Promise<Account[]> =>
  z.object({ accounts: z.array(account) }).parse(expectStatus(await project.api('GET', path), 200)).accounts;

async function setUp(project: Project, fields: Json): Promise<Account> {
  return account.parse(expectStatus(await project.api('POST', path, fields), 201));
}

/** Waits until a reading that began after now has succeeded. */
async function untilRead(project: Project, { id, last_success_at: before }: Account): Promise<Account> {
  return await poll('the account is read', within, async () => {
    const found = (await read(project)).find((one) => one.id === id);
    return found && found.last_success_at !== before ? found : undefined;
  });
}

async function readAgain(project: Project, id: string): Promise<Account> {
  return await untilRead(project, account.parse(expectStatus(await project.api('POST', `${path}${id}/read/`), 200)));
}

const people = ['ada', 'bob', 'cyd'].map((name, at) => ({
  ...{ key: `key_${name}`, workspace: `team_${at % 2}`, user: `user_${name}` },
}));

const makeTraffic = (kind: 'openai' | 'anthropic'): Traffic[] =>
  Array.from({ length: 30 }, (_, day) =>
    people.flatMap((who, at) =>
      modelsOf[kind].map((model, index) => ({
        ...{ ...who, model, day: dayAgo(day), requests: 50 + at },
        ...{ input: 100_000 * (1 + at + day), cached: 7_000 * (1 + index), output: 3_000 + 11 * day },
      })),
    ),
  ).flat();

const costOf = (list: readonly Traffic[]): number =>
  Number(list.flatMap(chargesOf).reduce((sum, [, amount]) => sum + amount, 0n)) / 1e12;

const range = () => ({ date_from: dayAgo(29), date_to: dayAgo(0) });

/** Costs by a dimension, as the provider counts them and as Farthing does. */
async function expectSums(project: Project, traffic: readonly Traffic[]): Promise<void> {
  const groupings = {
    model: ({ model }: Traffic) => model,
    'tag:key': ({ key }: Traffic) => key,
    'tag:workspace': ({ workspace }: Traffic) => workspace,
    'tag:provider_user': ({ user }: Traffic) => user,
  };
  for (const [group, of] of Object.entries(groupings)) {
    const rows = await project.allCosts({ ...range(), aggregate: 'day', group_by: group });
    const found = Object.fromEntries(rows.map((row) => [`${row.date_from} ${row.tag ?? row.model}`, row.cost]));
    const expected = Map.groupBy(traffic, (one) => `${one.day} ${of(one)}`);
    expect(Object.keys(found).sort(), group).toEqual([...expected.keys()].sort());
    for (const [key, list] of expected) expect(found[key], `${group} ${key}`).toBeCloseTo(costOf(list), 9);
  }
}

async function expectReconciled(project: Project, traffic: readonly Traffic[]): Promise<void> {
  const asked = await project.api('POST', '/api/reconciliation/', { ...range(), aggregate: 'all' });
  const { rows } = z
    .object({ rows: z.array(z.object({ computed: z.number(), invoiced: z.number(), difference: z.number() })) })
    .parse(expectStatus(asked, 200));
  expect(rows[0]?.invoiced).toBeCloseTo(costOf(traffic), 9);
  expect(rows[0]?.computed).toBeCloseTo(costOf(traffic), 9);
  expect(rows[0]?.difference).toBeCloseTo(0, 9);
}

test('D30.2: a key is enough: 30 days of cost by model, key, workspace and user, as the provider reports them', async () => {
  const project = await connect(service.url, service.adminToken).createProject();
  server.traffic.openai = makeTraffic('openai');
  const began = performance.now();
  const made = await setUp(project, { kind: 'openai', key: providerKeys.openai, mode: 'meter' });
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
  const named = account.parse(expectStatus(await project.api('PATCH', `${path}${made.id}/`, { names }), 200));
  await untilRead(project, named);
  await expectSums(project, server.traffic.openai);
  const of = (key: string) => costOf(server.traffic.openai.filter((one) => one.key.startsWith(key)));
  const byCustomer = await project.costBy('customer');
  expect(byCustomer.globex).toBeCloseTo(of('key_ada'), 9);
  expect(byCustomer.acme).toBeCloseTo(of('key_cyd'), 9);
  expect(byCustomer['']).toBeCloseTo(of('key_bob'), 9);

  // The same calls reported by an SDK instead: no doubles, and nothing is missing.
  const switched = account.parse(
    expectStatus(await project.api('PATCH', `${path}${made.id}/`, { mode: 'reconcile' }), 200),
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
  await poll('the name is gone', within, async () => ((await read(project))[0]?.names.length === 1 ? true : undefined));
  expectStatus(await project.api('DELETE', `${path}${made.id}/`), 204);
  await poll('the entries are gone', within, async () => {
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
  for (const nth of usualOrLong([2, 9], [2, 5, 9])) {
    const { length: before } = server.asked;
    if (nth === 2) await setUp(project, { kind: 'anthropic', key: providerKeys.anthropic, mode: 'meter' });
    await poll('requests came', within, () => (server.asked.length >= before + nth ? true : undefined));
    await service.kill();
    service = await start(service.dataDir);
  }
  const [found] = await poll('the account is read', within, async () => {
    const accounts = await read(project);
    return accounts[0]?.last_success_at ? accounts : undefined;
  });
  expect(found).toMatchObject({ calls: 181, last_fault: null });
  await expectSumsWithSeat(project);
  await expectReconciled(project, server.traffic.anthropic);

  // Restored elsewhere, nothing can be read until the key is given again, and then nothing counts twice.
  const settings = { FARTHING_URL: service.url, FARTHING_ADMIN_TOKEN: service.adminToken };
  const [backup, dataDir] = [join(makeDataDir(), 'backup'), makeDataDir()];
  expect(await runCommand(['backup', backup], settings)).toMatchObject({ code: 0 });
  for (const text of filesOf(backup)) expect(text.includes(providerKeys.anthropic)).toBe(false);
  await service.stop();
  expect(await runCommand(['restore', backup], { FARTHING_DATA_DIR: dataDir })).toMatchObject({ code: 0 });
  service = await start(dataDir);
  await poll('the fault is told', within, async () =>
    /cannot be decrypted/.test((await read(project))[0]?.last_fault?.reason ?? '') ? true : undefined,
  );
  const [lost] = await read(project);
  const given = await project.api('PATCH', `${path}${lost?.id}/`, { key: providerKeys.anthropic });
  await untilRead(project, account.parse(expectStatus(given, 200)));
  await expectSumsWithSeat(project);
  await expectReconciled(project, server.traffic.anthropic);
});

async function expectSumsWithSeat(project: Project): Promise<void> {
  const rows = await project.allCosts({ ...range(), aggregate: 'all', group_by: 'tag:provider_user' });
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
  const made = await setUp(project, body);
  expectStatus(await project.api('POST', path, body), 409);
  expectStatus(await project.api('POST', path, { ...body, key: 'has a space' }), 400);
  expectStatus(await project.api('POST', path, { ...body, key: `${wrong}2`, since: '2001-01-01' }), 400);
  const fault = (reason: RegExp) =>
    poll(`a fault like ${reason}`, within, async () => {
      const [found] = await read(project);
      return reason.test(found?.last_fault?.reason ?? '') ? found : undefined;
    });
  await fault(/refused the key \(401\)/);
  server.mishaps = [{ status: 429, retryAfter: '3600' }];
  expectStatus(await project.api('PATCH', `${path}${made.id}/`, { key: `${wrong}2` }), 200);
  const waiting = await fault(/fewer requests \(429\)/);
  expect(Date.parse(waiting?.next_at ?? '') - Date.now()).toBeGreaterThan(3_500_000);
  const { length: before } = server.asked;
  expectStatus(await project.api('POST', `${path}${made.id}/read/`), 200);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(server.asked).toHaveLength(before);
  const changed = await project.api('PATCH', `${path}${made.id}/`, { key: providerKeys.openrouter });
  await untilRead(project, account.parse(expectStatus(changed, 200)));
  const past = server.traffic.openrouter.filter(({ day }) => day < dayAgo(0));
  const rows = await project.allCosts({ ...range(), aggregate: 'all', group_by: 'tag:workspace' });
  for (const { tag, cost } of rows) {
    expect(cost).toBeCloseTo(costOf(past.filter(({ workspace }) => workspace === tag)), 6);
  }
  expect(rows).toHaveLength(2);

  // No key is in answers, logs, exports, or any file but encrypted.
  const texts = [
    (await project.api('GET', path)).text,
    (await project.api('GET', '/api/events/?limit=1000')).text,
    (await project.api('GET', '/api/invoices/')).text,
    (await project.farthing.admin('GET', '/admin/diagnosis/')).text,
    service.output(),
    ...filesOf(service.dataDir),
  ];
  for (const secret of [wrong, ...Object.values(providerKeys)]) {
    for (const [at, text] of texts.entries()) expect(text.includes(secret), `a key in text ${at}`).toBe(false);
  }

  // While the provider wants no requests, calls are taken back all the same, and a deleted account goes.
  server.mishaps = [{ status: 429, retryAfter: '3600' }];
  expectStatus(await project.api('POST', `${path}${made.id}/read/`), 200);
  await fault(/fewer requests \(429\)/);
  const { length: asked } = server.asked;
  expectStatus(await project.api('PATCH', `${path}${made.id}/`, { mode: 'reconcile' }), 200);
  await poll('the calls are taken back', within, async () =>
    (await read(project))[0]?.calls === 0 ? true : undefined,
  );
  expect(await project.totalCost()).toBe(0);
  expect((await read(project))[0]).toMatchObject({ switched: { done: false } });
  expectStatus(await project.api('DELETE', `${path}${made.id}/`), 204);
  await poll('the entries are gone', within, async () => {
    const left = await project.api('GET', '/api/invoices/');
    return z.object({ rows: z.array(z.unknown()) }).parse(left.body).rows.length === 0 ? true : undefined;
  });
  expect(server.asked).toHaveLength(asked);
});

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile())
    .map((file) => readFileSync(file, 'latin1'));

test('D30.1: two instances make one reader, also when the one that reads is killed', async () => {
  server.traffic.openai = makeTraffic('openai');
  server.bucketsOfPage = 2;
  const deployment = await Deployment.start(2, {
    FARTHING_PROVIDER_URLS: server.setting,
    FARTHING_SECRETS_KEY: 'a key of the tests, of 32 characters or more',
  });
  try {
    const [one, other] = deployment.instances;
    if (!one || !other) throw new Error('there are not two instances');
    let alive = one;
    const project = await connect(() => alive.url, deployment.adminToken).createProject();
    const { length: before } = server.asked;
    const made = await setUp(project, { kind: 'openai', key: providerKeys.openai, mode: 'meter' });
    await poll('requests came', within, () => (server.asked.length >= before + 4 ? true : undefined));
    await one.service.kill();
    alive = other;
    const found = await untilRead(project, made);
    expect(found).toMatchObject({ calls: 180 });
    await expectSums(project, server.traffic.openai);
    await deployment.revive(one);
    const { length: settled } = server.asked;
    await readAgain(project, made.id);
    const asked = server.asked.slice(settled);
    expect(new Set(asked).size).toBe(asked.length);
    // What the provider has not changed is not posted again.
    const unchanged = await readAgain(project, made.id);
    expect(unchanged.last_read).toMatchObject({ entries_changed: 0, calls_changed: 0 });
    expect(unchanged.last_read?.calls).toBeGreaterThan(0);
  } finally {
    server.bucketsOfPage = 3;
    await deployment.close();
  }
});
