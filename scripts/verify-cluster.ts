/*
 * Checks a ClickHouse server or cluster from end to end, and prints a report:
 *
 *   FARTHING_CLICKHOUSE_URL=https://user:password@host:8443/verify FARTHING_CLICKHOUSE_CLUSTER=farthing \
 *     node bin/runtime.js scripts/verify-cluster.ts [--rounds 100]
 *
 * It needs an empty database of its own (on a cluster also `<database>_local`), and fills it. Nothing is dropped at the
 * end.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from '../src/config.ts';
import { createLogger } from '../src/lib/logger.ts';
import { startService } from '../src/main.ts';
import { AnalyticStore } from '../src/storage/analytic/analytic-store.ts';
import { localDatabase } from '../src/storage/analytic/cluster.ts';
import { textColumns } from '../src/storage/analytic/native-block.ts';
import { projectTables } from '../src/storage/analytic/project-tables.ts';
import { isSupportedVersion, oldestVersion } from '../src/storage/analytic/settings.ts';

/** How many rows are written and read back one by one. */
const rounds = Number(parseArgs({ options: { rounds: { type: 'string', default: '100' } } }).values.rounds);
const dataDir = mkdtempSync(join(tmpdir(), 'farthing-verify-'));
const adminToken = `verify-${randomUUID()}`;
const config = readConfig({
  FARTHING_LOG_LEVEL: 'error',
  ...process.env,
  FARTHING_PORT: '0',
  FARTHING_DATA_DIR: dataDir,
  FARTHING_ADMIN_TOKEN: adminToken,
  FARTHING_SEAL_AFTER_SECONDS: '0',
});
const { clickhouseUrl: url, clickhouseCluster: cluster, clickhouseCaFile } = config;
if (url === undefined) throw new Error('Set FARTHING_CLICKHOUSE_URL, and FARTHING_CLICKHOUSE_CLUSTER for a cluster');
const database = decodeURIComponent(new URL(url).pathname.slice(1)) || 'default';
const ca = clickhouseCaFile === undefined ? undefined : readFileSync(clickhouseCaFile);
const store = new AnalyticStore({ url, credentials: undefined, cluster, ca });
const project = `verify_${randomUUID()}`;

const expectEqual = (actual: unknown, expected: unknown): void => {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
  }
};
const one = async (sql: string, parameters: Record<string, unknown> = {}): Promise<string> => {
  const [row] = await store.select<{ value: string }>(sql, { project, ...parameters });
  return String(row?.value);
};
/** Repeats an assertion until it holds, for a minute at most. */
async function eventually(ask: () => Promise<void>): Promise<void> {
  const until = Date.now() + 60_000;
  for (;;) {
    const failed = await ask().then(
      () => undefined,
      (cause: unknown) => ({ cause }),
    );
    if (!failed) return;
    if (Date.now() > until) throw failed.cause;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

const eventColumns = textColumns(['writer', 'seq', 'project', 'received_at', 'event_id', 'phase', 'text']);
const ids = Array.from({ length: 3_000 }, () => randomUUID());
const insertEventIds = async (token: string) =>
  await store.insertRows(
    'events',
    eventColumns,
    ids.map((id, seq) => [`w_${project}`, String(seq + 1), project, '2026-01-15 12:00:00', id, 'after', '{}']),
    { deduplicationToken: token },
  );
const insertCall = async (id: string, version: number, isDeleted: 0 | 1) =>
  await store.insertRows('calls', textColumns(['project', 'day', 'event_id', 'version', 'is_deleted', 'cost']), [
    [project, '2026-01-15', id, String(version), String(isDeleted), String(version)],
  ]);

/** The checks, in order. Each returns a short note of what it saw. */
const checks: [name: string, check: () => Promise<string>][] = [
  [
    `every host runs ClickHouse ${oldestVersion} or newer`,
    async () => {
      const from = cluster === undefined ? 'system.one' : `clusterAllReplicas('${cluster}', system.one)`;
      const rows = await store.select<{ version: string }>(`SELECT DISTINCT version() AS version FROM ${from}`);
      for (const { version } of rows) if (!isSupportedVersion(version)) throw new Error(`a host runs ${version}`);
      return rows.map(({ version }) => version).join(', ');
    },
  ],
  ...(cluster === undefined
    ? []
    : ([
        [
          'the cluster is known, and each host has the macros shard and replica',
          async () => {
            const hosts = await store.select<{ shard_num: number; replica_num: number }>(
              'SELECT shard_num, replica_num FROM system.clusters WHERE cluster = {cluster:String}',
              { cluster },
            );
            if (hosts.length === 0) throw new Error(`system.clusters has no cluster ${cluster}`);
            const macros = await one(
              `SELECT countIf(macro IN ('shard', 'replica')) AS value FROM clusterAllReplicas('${cluster}', system.macros)`,
            );
            expectEqual(macros, String(2 * hosts.length));
            const pairs = await one(
              `SELECT uniqExact(pair) AS value FROM (SELECT hostName(), groupArray((macro, substitution)) AS pair
                FROM (SELECT * FROM clusterAllReplicas('${cluster}', system.macros) WHERE macro IN ('shard', 'replica') ORDER BY macro) GROUP BY hostName())`,
            );
            expectEqual(pairs, String(hosts.length));
            const shards = new Set(hosts.map(({ shard_num }) => shard_num)).size;
            return `${shards} shards, ${hosts.length} hosts`;
          },
        ],
      ] satisfies [string, () => Promise<string>][])),
  [
    'the schema is created, and creating it again changes nothing',
    async () => {
      await store.migrate();
      await store.migrate();
      expectEqual(await one('SELECT count() = uniqExact(id) AS value FROM migrations'), '1');
      return `${await one('SELECT count() AS value FROM migrations')} migrations`;
    },
  ],
  ...(cluster === undefined
    ? []
    : ([
        [
          'every table is replicated on every host',
          async () => {
            const local = localDatabase({ name: cluster, database });
            const hosts = await one('SELECT count() AS value FROM system.clusters WHERE cluster = {cluster:String}', {
              cluster,
            });
            for (const table of projectTables) {
              const found = await one(
                `SELECT countIf(startsWith(engine, 'Replicated')) AS value FROM clusterAllReplicas('${cluster}', system.tables) WHERE database = {local:String} AND name = {table:String}`,
                { local, table },
              );
              expectEqual([table, found], [table, hosts]);
            }
            return `${projectTables.length} tables on ${hosts} hosts`;
          },
        ],
      ] satisfies [string, () => Promise<string>][])),
  [
    'an INSERT repeated with its token is stored once',
    async () => {
      for (let attempt = 0; attempt < 3; attempt += 1) await insertEventIds(`${project}:1`);
      expectEqual(
        await one('SELECT count() AS value FROM events WHERE project = {project:String}'),
        String(ids.length),
      );
      return `${ids.length} rows, sent three times`;
    },
  ],
  ...(cluster === undefined
    ? []
    : ([
        [
          'all events of an id are on one shard, and every shard has some',
          async () => {
            await store.insertRows(
              'events',
              eventColumns,
              ids.map((id, seq) => [
                `v_${project}`,
                String(seq + 1),
                project,
                '2026-01-15 13:00:00',
                id,
                'before',
                '{}',
              ]),
            );
            const split = await one(
              'SELECT countIf(shards > 1) AS value FROM (SELECT uniqExact(_shard_num) AS shards FROM events WHERE project = {project:String} GROUP BY event_id)',
            );
            expectEqual(split, '0');
            const used = await one(
              'SELECT uniqExact(_shard_num) AS value FROM events WHERE project = {project:String}',
            );
            expectEqual(
              used,
              await one('SELECT uniqExact(shard_num) AS value FROM system.clusters WHERE cluster = {cluster:String}', {
                cluster,
              }),
            );
            return `${used} shards`;
          },
        ],
      ] satisfies [string, () => Promise<string>][])),
  [
    'a SELECT sees every INSERT answered before it',
    async () => {
      for (let round = 1; round <= rounds; round += 1) {
        const id = randomUUID();
        await insertCall(id, round, 0);
        expectEqual(
          await one(
            'SELECT count() AS value FROM calls FINAL WHERE project = {project:String} AND event_id = {id:UUID}',
            { id },
          ),
          '1',
        );
      }
      return `${rounds} rounds`;
    },
  ],
  [
    'a call has its newest version, or none if that deletes it',
    async () => {
      const id = randomUUID();
      const cost = () =>
        one('SELECT sum(cost) AS value FROM calls FINAL WHERE project = {project:String} AND event_id = {id:UUID}', {
          id,
        });
      await insertCall(id, 2_000, 0);
      await insertCall(id, 1_000, 0);
      expectEqual(await cost(), '2000');
      await insertCall(id, 3_000, 1);
      expectEqual(await cost(), '0');
      return 'versions in any order';
    },
  ],
  [
    'columns that are computed from others on INSERT',
    async () => {
      await store.insertRows('crossing_runs', textColumns(['project', 'base_generation', 'run']), [
        [project, '0', 'r1'],
      ]);
      expectEqual(
        await one(
          "SELECT countIf(run_hash = sipHash128('r1')) AS value FROM crossing_runs WHERE project = {project:String}",
        ),
        '1',
      );
      return 'EPHEMERAL and DEFAULT';
    },
  ],
  [
    'a subquery sees all shards',
    async () => {
      expectEqual(
        await one(
          `SELECT uniqExact(event_id) AS value FROM events WHERE project = {project:String}
            AND toString(project) IN (SELECT toString(project) FROM crossing_runs WHERE project = {project:String})`,
        ),
        String(ids.length),
      );
      return 'IN over all';
    },
  ],
  [
    'a deletion by stored ids reaches every replica',
    async () => {
      await store.insertRows(
        'erased_ids',
        textColumns(['project', 'erasure', 'event_id']),
        ids.slice(0, 1_000).map((id) => [project, 'e1', id]),
      );
      await store.command(
        'ALTER TABLE events DELETE WHERE project = {project:String} AND event_id IN (SELECT event_id FROM erased_ids WHERE project = {project:String})',
        { project },
      );
      await eventually(async () => {
        expectEqual(
          await one('SELECT uniqExact(event_id) AS value FROM events WHERE project = {project:String}'),
          String(ids.length - 1_000),
        );
        expectEqual(
          await one(
            "SELECT count() AS value FROM system.mutations WHERE database = currentDatabase() AND table = 'events' AND NOT is_done",
          ),
          '0',
        );
      });
      return '1000 ids';
    },
  ],
  ['the service: events in, costs out, rebuilt, erased', verifyService],
];

/** Checks everything through a service on these stores. */
async function verifyService(): Promise<string> {
  const service = await startService(config, {
    logger: await createLogger(config.logLevel, false),
    terminal: undefined,
  });
  try {
    const send = async (
      method: string,
      path: string,
      token: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ): Promise<Record<string, unknown>> => {
      const answer = await fetch(`${service.url}${path}`, {
        method,
        headers: {
          ...headers,
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return text === '' ? {} : JSON.parse(text);
    };
    const { id } = await send('POST', '/admin/projects/', adminToken, { name: 'verify' });
    const client = await send('POST', `/admin/projects/${id}/clients/`, adminToken, { name: 'verify' });
    const key = await send('POST', `/admin/projects/${id}/api-keys/`, adminToken, {
      name: 'verify',
      scopes: ['read', 'write'],
    });
    const [secret, apiKey] = [String(client.secret), String(key.api_key)];
    const day = '2026-01-15';
    const calls = Array.from({ length: 2_000 }, (_, index) => ({
      event_id: randomUUID(),
      customer: `c${index % 7}`,
      run: `r${index % 400}`,
    }));
    const before = calls.map(({ event_id, customer, run }) => ({
      event_id,
      event_type: 'x.before',
      tags: { customer, feature: 'chat', run_id: run },
    }));
    const after = calls.map(({ event_id }) => ({
      event_id,
      event_type: 'x.after',
      cost: 0.25,
      timestamp: `${day}T12:00:00Z`,
    }));
    const ask = (fields: object) => send('POST', '/api/costs/', apiKey, { date_from: day, date_to: day, ...fields });
    for (const events of [before, after, after]) await send('POST', `/intake/${client.client_id}/`, secret, events);
    expectEqual(
      ((await ask({})).rows as { cost: number }[]).map(({ cost }) => cost),
      [500],
    );
    const groups = async () =>
      ((await ask({ group_by: 'customer' })).rows as { customer: string; cost: number }[]).map((row) => row.cost);
    const costs = await groups();
    expectEqual(
      costs.reduce((sum, cost) => sum + cost, 0),
      500,
    );
    // The days are rolled up meanwhile: the answers stay.
    for (let round = 0; round < 10; round += 1) {
      expectEqual(await groups(), costs);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const rebuild = await send('POST', `/admin/projects/${id}/rebuilds/`, adminToken, {});
    await eventually(async () => {
      expectEqual((await send('GET', `/admin/projects/${id}/rebuilds/${rebuild.id}/`, adminToken)).state, 'done');
    });
    expectEqual(await groups(), costs);
    await send('DELETE', '/api/customers/c0/', adminToken, undefined, { 'farthing-project': String(id) });
    await eventually(async () => expectEqual((await groups()).length, costs.length - 1));
    return '2000 calls';
  } finally {
    await service.stop();
  }
}

let failed = 0;
console.log(
  `ClickHouse at ${new URL(url).host}, database ${database}, ${cluster === undefined ? 'a server alone' : `cluster ${cluster}`}\n`,
);
for (const [name, check] of checks) {
  const startedAt = performance.now();
  const [mark, word] = await check().then(
    (seen) => ['ok    ', seen],
    (cause: unknown) => {
      failed += 1;
      return ['FAILED', cause instanceof Error ? cause.message : String(cause)];
    },
  );
  console.log(`${mark}  ${name}: ${word} (${Math.round(performance.now() - startedAt)} ms)`);
}
console.log(failed === 0 ? '\nAll is well.' : `\n${failed} of ${checks.length} checks failed.`);
await store.close();
rmSync(dataDir, { recursive: true, force: true });
process.exit(failed === 0 ? 0 : 1);
