// The schema on a cluster: word for word, and as far as one engine without a cluster can tell, valid.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onCluster, seeingAllReplicas } from '../../src/storage/analytic/cluster.ts';
import { projectTables } from '../../src/storage/analytic/project-tables.ts';
import { isSupportedVersion, settingsFor } from '../../src/storage/analytic/settings.ts';
import { laterMigrations } from '../support/later-migration.ts';
import { longTest } from '../support/long-test.ts';
import { type EngineStore, startEngineStore } from '../support/stores.ts';

const cluster = { name: 'farthing', database: 'farthing' };
const golden = fileURLToPath(new URL('golden/cluster.sql', import.meta.url));
const deletion =
  'ALTER TABLE events DELETE WHERE project = {project:String} AND event_id IN (SELECT event_id FROM erased_ids WHERE project = {project:String})';

let engine: EngineStore;
let statements: readonly string[];

beforeAll(async () => {
  engine = await startEngineStore();
  statements = [
    ...laterMigrations.flatMap((migration) => migration.statements).flatMap((sql) => onCluster(sql, cluster)),
    ...onCluster(deletion, cluster),
    ...onCluster("ALTER TABLE runs UPDATE first_customer = '' WHERE project = {project:String}", cluster),
    ...onCluster('TRUNCATE TABLE calls', cluster),
  ];
});

afterAll(async () => {
  await engine?.close();
});

const format = async (sql: string): Promise<string> => {
  const [row] = await engine.store.select<{ sql: string }>('SELECT formatQuery({sql:String}) AS sql', { sql });
  return row?.sql ?? '';
};

test('the statements are those of the golden file, as the engine formats them', async () => {
  const text = `${(await Promise.all(statements.map(format))).join(';\n\n')};\n`;
  if (process.env.UPDATE_GOLDEN) writeFileSync(golden, text);
  expect(text).toBe(readFileSync(golden, 'utf8'));
});

longTest('the engine parses every statement, and formats what it has formatted the same', async () => {
  for (const sql of statements) {
    const formatted = await format(sql);
    expect(await format(formatted)).toBe(formatted);
    // A statement is more than parsed by it: the engine refuses a table engine with arguments that can't be.
    const ast = await engine.store.select<{ explain: string }>(
      `EXPLAIN AST ${sql.replaceAll(/\{\w+:String\}/g, "''")}`,
    );
    expect(ast.length).toBeGreaterThan(0);
  }
});

test('every table is replicated on each shard, and Distributed under its own name', () => {
  for (const table of [...projectTables]) {
    const [replicated, distributed] = statements.filter((sql) =>
      new RegExp(`^CREATE TABLE IF NOT EXISTS \\S+\\.${table} `).test(sql),
    );
    expect(replicated).toContain(`\`farthing_local\`.${table} ON CLUSTER 'farthing'`);
    expect(replicated).toMatch(
      /ENGINE = Replicated\w*MergeTree\('\/clickhouse\/tables\/\{database\}\/\{table\}\/\{shard\}', '\{replica\}'/,
    );
    expect(replicated).toContain('fsync_after_insert = 1');
    expect(distributed).toContain(`\`farthing\`.${table} ON CLUSTER 'farthing' AS \`farthing_local\`.${table}`);
  }
});

test('D4.1, D4.3: what is merged or replaced by id is on one shard: its key begins with what decides on the shard', () => {
  for (const table of ['events', 'event_ids', 'calls', 'erased_ids']) {
    const distributed = statements.find((sql) => sql.includes(`Distributed('farthing', 'farthing_local', ${table},`));
    expect(distributed).toContain('sipHash64(project, event_id)');
  }
  const calls = laterMigrations
    .flatMap((migration) => migration.statements)
    .find((sql) => sql.includes('EXISTS calls '));
  const key = /ORDER BY \(([^)]*)\)/.exec(calls ?? '')?.[1]?.split(', ') ?? [];
  expect(key).toEqual(expect.arrayContaining(['project', 'event_id']));
});

test('a deletion goes to the replicated tables once every replica has the rows that it depends on', () => {
  expect(onCluster(deletion, cluster)).toEqual([
    "SYSTEM SYNC REPLICA ON CLUSTER 'farthing' `farthing_local`.erased_ids",
    "ALTER TABLE `farthing_local`.events ON CLUSTER 'farthing' DELETE WHERE project = {project:String} AND event_id IN (SELECT event_id FROM erased_ids WHERE project = {project:String})",
  ]);
  expect(seeingAllReplicas('SELECT 1 FROM system.mutations WHERE database = currentDatabase() AND x', cluster)).toBe(
    "SELECT 1 FROM clusterAllReplicas('farthing', system.mutations) WHERE database = 'farthing_local' AND x",
  );
  expect(seeingAllReplicas('SELECT 1 FROM events WHERE database = currentDatabase()', cluster)).toBe(
    'SELECT 1 FROM events WHERE database = currentDatabase()',
  );
});

test('farthing doctor judges the state of all hosts', () => {
  expect(
    seeingAllReplicas('SELECT count() FROM system.parts WHERE active AND database = currentDatabase()', cluster),
  ).toBe(
    "SELECT count() FROM clusterAllReplicas('farthing', system.parts) WHERE active AND database = 'farthing_local'",
  );
  expect(seeingAllReplicas('SELECT count() FROM system.detached_parts', cluster)).toBe(
    "SELECT count() FROM clusterAllReplicas('farthing', system.detached_parts)",
  );
  expect(seeingAllReplicas('SELECT free_space FROM system.disks', cluster)).toBe(
    "SELECT free_space FROM clusterAllReplicas('farthing', system.disks)",
  );
});

test('a statement that a cluster would not carry out as a whole is refused; others stay as they are', () => {
  for (const sql of ['ALTER TABLE calls DROP PARTITION 202601', 'RENAME TABLE calls TO c', 'OPTIMIZE TABLE calls']) {
    expect(() => onCluster(sql, cluster)).toThrow('not supported on a cluster');
  }
  expect(onCluster('INSERT INTO calls SELECT 1', cluster)).toEqual(['INSERT INTO calls SELECT 1']);
});

describe('the settings of a cluster', () => {
  test('are those of a server and more', () => {
    expect(settingsFor('farthing')).toMatchObject(settingsFor(undefined));
  });

  test('are known to the engine, and taken by it', async () => {
    const wanted = Object.entries(settingsFor('farthing'));
    const known = await engine.store.select<{ name: string }>(
      'SELECT name FROM system.settings WHERE has({names:Array(String)}, name)',
      { names: wanted.map(([name]) => name) },
    );
    const interfaceFields = ['wait_end_of_query'];
    expect(wanted.map(([name]) => name).filter((name) => !known.some((row) => row.name === name))).toEqual(
      interfaceFields,
    );
    const assignments = wanted
      .filter(([name]) => !interfaceFields.includes(name))
      .map(([name, value]) => `${name} = '${value}'`);
    expect(await engine.store.select(`SELECT 1 AS one SETTINGS ${assignments.join(', ')}`)).toEqual([{ one: 1 }]);
  });
});

test('versions from 25.8 on are supported', () => {
  expect(['25.8.1.1', '25.9.2.1', '26.7.1.1'].map(isSupportedVersion)).toEqual([true, true, true]);
  expect(['25.7.9.9', '24.12.1.1', ''].map(isSupportedVersion)).toEqual([false, false, false]);
});
