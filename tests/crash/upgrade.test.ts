// Today's service on the data folder of each earlier release: the same answers, also when its first start is killed.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, costEvent, expectStatus, type Farthing, send } from '../support/client.ts';
import { drawOf } from '../support/draw.ts';
import { isLong, someOf, usualOrLong } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { poll } from '../support/poll.ts';
import { freezeBefore } from '../support/retention.ts';
import {
  askEngine,
  launchService,
  makeDataDir,
  makeMigratedDataDir,
  type Service,
  startService,
} from '../support/service.ts';
import {
  listUpgrades,
  type ProjectOfRelease,
  type RecordedAnswer,
  readUpgrade,
  toComparable,
  type Upgrade,
  unpackUpgrade,
} from '../support/upgrades.ts';

/** Usually the one whose folder has the most to upgrade: what later releases lack, it lacks too. */
const releases = usualOrLong(['0.1.0-before-cell-tables'], listUpgrades());
/** How long a start that upgrades the folder of a release takes here. */
const startsMs = new Map<string, number>();
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

/** Whether an answer is made from days that may be sealed: every question about several calls. */
const isOfDays = ({ method }: RecordedAnswer): boolean => method === 'POST';

/** Repeats questions of the release. Answers may have new fields; no field may be missing or different (D12.1). */
async function expectAnswers({ url, adminToken }: Farthing, answers: readonly RecordedAnswer[]): Promise<void> {
  expect(answers.length).toBeGreaterThan(15);
  const ask = async ({ project, method, path, body, answer }: RecordedAnswer) => {
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
  };
  const waiting = [...answers];
  const askOn = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await ask(next);
  };
  await Promise.all(Array.from({ length: 6 }, askOn));
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

/** A price override as it is posted. */
function toPosted(price: Record<string, unknown>): Record<string, unknown> {
  const { id: _id, created_at: _at, ...fields } = price;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** The tables of both stores, with their columns. */
async function readSchema(dataDir: string) {
  const control = new DatabaseSync(join(dataDir, 'control.sqlite'));
  const columns = control
    .prepare(
      'select t.name as of, c.name, c.type, c."notnull", c.dflt_value, c.pk from sqlite_master t, pragma_table_info(t.name) c where t.type = \'table\' order by 1, 2',
    )
    .all();
  const indexes = control.prepare("select name, sql from sqlite_master where type = 'index' order by 1").all();
  control.close();
  const answer = await askEngine(
    dataDir,
    'SELECT name, create_table_query FROM system.tables WHERE database = currentDatabase() ORDER BY name FORMAT JSON',
  );
  const { data } = JSON.parse(answer) as { data: { name: string }[] };
  expect(data.map(({ name }) => name)).toContain('calls');
  expect(columns.length).toBeGreaterThan(100);
  return { columns, indexes, tables: data };
}

let newSchema: ReturnType<typeof readSchema> | undefined;

/** The tables that a new folder has. */
function readNewSchema(): ReturnType<typeof readSchema> {
  const make = async () => {
    const dataDir = makeMigratedDataDir();
    directories.push(dataDir);
    return await readSchema(dataDir);
  };
  newSchema ??= make();
  return newSchema;
}

// Usually tests/control/migrations migrates the same days in the control store.
test.each(usualOrLong([], ['0009_crossing_runs_in_cells']))(
  'D4.7: when %s has days sealed anew, for their cells to hold more, frozen ones keep those that they have',
  {
    timeout: 120_000,
  },
  async (migration) => {
    const dataDir = makeMigratedDataDir();
    directories.push(dataDir);
    const env = { FARTHING_SEAL_AFTER_SECONDS: '0', FARTHING_DELETE_FROZEN_AFTER_SECONDS: '0' };
    const startIt = async (adminToken?: string) => {
      const service = await startService({ dataDir, env, ...(adminToken !== undefined && { adminToken }) });
      services.push(service);
      return service;
    };
    const first = await startIt();
    const farthing = connect(first.url, first.adminToken);
    const project = await farthing.createProject();
    const tags = { customer: 'acme', feature: 'chat', run_id: 'over the edge' };
    const on = (day: number, cost: number) => costEvent({ timestamp: `2024-05-${day}T12:00:00Z`, cost, tags });
    await project.post(on(10, 1), on(14, 4), on(15, 8), on(16, 16));
    const may = { date_from: '2024-05-01', date_to: '2024-05-31' };
    const ask = async ({ url }: Service) => {
      const askRows = async (body: object) =>
        Object(
          expectStatus(
            await send('POST', `${url}/api/costs/`, { token: project.apiKey, body: { ...may, ...body } }),
            200,
          ),
        ).rows;
      return {
        all: await askRows({ aggregate: 'all' }),
        weeks: await askRows({ aggregate: 'week', group_by: 'customer' }),
      };
    };
    const before = await ask(first);
    expect(before.all).toEqual([
      { date_from: '2024-05-01', date_to: '2024-05-31', cost: 29, avg_feature_run_cost: 29, max_feature_run_cost: 29 },
    ]);
    await freezeBefore(project, '2024-05-15');
    const allSealed = (service: Service) =>
      poll('all days are sealed', { within: 60_000 }, async () =>
        (await readMetric(service, 'farthing_unsealed_days')) === 0 ? true : undefined,
      );
    await allSealed(first);
    expect(await ask(first)).toEqual(before);
    expect((await first.stop()).code).toBe(0);

    const control = new DatabaseSync(join(dataDir, 'control.sqlite'));
    const readSeals = () => control.prepare('select day, seal from days order by day').all();
    const seals = readSeals();
    // The folder as it was before that migration, and those after it.
    control.exec(`
    drop table seen_catalogue;
    alter table rebuilds drop column assumption;
    drop table budgets;
    drop table notification_attempts;
    drop table notification_deliveries;
    drop table notification_endpoints;
    drop table firings;
    drop table alert_watches;
    drop table invoice_entries;
    drop table stripe_hooks;
    drop table stripe_objects;
    drop table stripe_customers;
    drop table stripe_remakes;
    drop table exchange_rates;
    drop table apart_watermarks;
    drop table set_aside_ids;
    drop table close_days;
    drop table closes;
    drop table pinned_copies;
    alter table projects drop column closed_through;
    drop table pinned_settings;
    drop table pinned_tags;
    drop table pinned_grants;
    drop table pinned_revenue;
    drop table pinned_key_metrics;
    drop table pinned_readings;
    drop index revenue_entries_by_stripe_invoice;
    drop index revenue_entries_by_stripe_customer;
    alter table revenue_entries drop column currency;
    alter table revenue_entries drop column source;
    alter table revenue_entries drop column rate_day;
    alter table revenue_entries drop column stripe_customer;
    alter table revenue_entries drop column stripe_invoice;
    alter table revenue_entries drop column is_named;
    drop index rebuilds_rereads;
    alter table rebuilds drop column reread;
    alter table projects drop column keep_content;
    delete from kysely_migration where name >= '${migration}';
  `);
    const second = await startIt(first.adminToken);
    await allSealed(second);
    expect(await ask(second)).toEqual(before);
    const now = readSeals();
    expect(now.slice(0, 2)).toEqual(seals.slice(0, 2));
    for (const index of [2, 3]) expect(now[index]?.seal).not.toBe(seals[index]?.seal);
    control.close();
  },
);

describe.each(releases)('the data folder of %s', { timeout: 600_000 }, (name) => {
  const upgrade = readUpgrade(name);
  let dataDir: string;
  let running: Awaited<ReturnType<typeof start>>;

  beforeAll(async () => {
    dataDir = makeFolder(name);
    const startedAt = performance.now();
    // Usually days are sealed anew while it answers, from calls and from rollups.
    running = await start(dataDir, upgrade, usualOrLong(0, 86_400));
    startsMs.set(name, performance.now() - startedAt);
  });

  test('D12.1: answers as it did, from calls and from days that are sealed again', async () => {
    expect(upgrade.answers.length).toBeGreaterThan(50);
    const [ofDays, others] = [upgrade.answers.filter(isOfDays), upgrade.answers.filter((one) => !isOfDays(one))];
    await expectAnswers(running.farthing, [...drawOf(ofDays, 8), ...drawOf(others, 12)]);
    if (isLong) {
      expect((await running.service.stop()).code).toBe(0);
      running = await start(dataDir, upgrade, 0);
    }
    await poll('all days are sealed', { within: 60_000 }, async () =>
      (await readMetric(running.service, 'farthing_unsealed_days')) === 0 ? true : undefined,
    );
    await expectAnswers(running.farthing, drawOf(ofDays, 18));
  });

  // Usually tests/assembly/reread reads the events of every kind anew.
  longTest('D26.5: reads the events that it took anew, as if they came now', async () => {
    const { farthing } = running;
    for (const { id, api_key: token } of upgrade.projects) {
      const ask = async (method: string, path: string, body?: unknown) =>
        Object(expectStatus(await farthing.send(method, path, { token, body }), method === 'POST' ? 202 : 200));
      const { timezone, type } = Object(expectStatus(await farthing.admin('GET', `/admin/projects/${id}/`), 200));
      const anew = await farthing.createProject({ timezone, type });
      for (const price of (await ask('GET', '/api/prices/')).prices) await anew.addPrice(toPosted(price));
      const text = await send('GET', `${farthing.url}/api/events/?limit=1000`, {
        token,
        headers: { accept: 'application/x-ndjson' },
      });
      const headers = { 'content-type': 'application/x-ndjson' };
      expectStatus(await anew.intake({ raw: text.text, headers }), 200);

      const range = { date_from: '2025-11-01', date_to: '2025-12-31' };
      const { id: reprice } = await ask('POST', '/api/prices/reprice/', { ...range, reread: true, dry_run: false });
      await poll('the reread is in force', { within: 60_000 }, async () =>
        (await ask('GET', `/api/prices/reprices/${reprice}/`)).state === 'done' ? true : undefined,
      );
      for (const path of ['/api/costs/', '/api/usage/']) {
        const body = { ...range, aggregate: 'day', group_by: 'model', limit: 1_000 };
        const [found, expected] = await Promise.all([
          farthing.send('POST', path, { token, body }),
          anew.api('POST', path, body),
        ]);
        expect(Object(expectStatus(found, 200)).rows.length).toBeGreaterThan(20);
        expect(found.body).toEqual(expectStatus(expected, 200));
      }
    }
  });

  test('D4.2: takes events with the existing secrets: new events count once, old ones not again', async () => {
    const { farthing } = running;
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

  test('D2: it is noted of every id whether its call is open', async () => {
    expect((await running.service.stop()).code).toBe(0);
    const ofIds = 'SELECT max(open_state) AS state FROM event_ids GROUP BY project, event_id';
    const counted = await askEngine(dataDir, `SELECT countIf(state = 0), count() > 100 FROM (${ofIds})`);
    expect(counted.trim()).toBe('0\t1');
  });

  // Usually a table or a column that an upgrade lacks shows in an answer, or in an event that is not taken.
  longTest('has the tables of a new one when it is upgraded', async () => {
    expect(await readSchema(dataDir)).toEqual(await readNewSchema());
  });
});

// Usually tests/crash/start and tests/instances/migrate kill and rival first starts.
test.each(usualOrLong([], releases))(
  'D3.2, D12.1: the first start of %s may be killed at any moment; the next one goes on, and answers as it did from the calls',
  { timeout: 600_000 },
  async (name) => {
    const upgrade = readUpgrade(name);
    const startMs = startsMs.get(name) ?? 0;
    for (let round = 0; round < usualOrLong(1, 10); round += 1) {
      const killedDir = makeFolder(name);
      const control = new DatabaseSync(join(killedDir, 'control.sqlite'));
      const migrations = control.prepare('select count(*) as applied from kysely_migration');
      const before = migrations.get()?.applied;
      const kills = [
        () => pause(Math.random() * startMs),
        // The control store is up to date, the other one is about to be.
        async () => {
          await poll('the control store is up to date', { within: 60_000, every: 1 }, () =>
            migrations.get()?.applied === before ? undefined : true,
          );
          await pause(Math.random() * 500);
        },
        ...usualOrLong([], [() => pause(Math.random() * startMs)]),
      ];
      for (const untilThen of kills) {
        const killed = await launchService({ dataDir: killedDir, adminToken: upgrade.admin_token });
        await untilThen();
        await killed.kill();
      }
      control.close();
      const { service, farthing } = await start(killedDir, upgrade, 86_400);
      await expectAnswers(farthing, someOf(upgrade.answers, 20));
      await service.kill();
    }
  },
);
