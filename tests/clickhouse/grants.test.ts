// The privileges of deploy/clickhouse/grants.sql: statements that ClickHouse takes, and all that the service needs.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onCluster } from '../../src/storage/analytic/cluster.ts';
import { laterMigrations } from '../support/later-migration.ts';
import { type EngineStore, startEngineStore } from '../support/stores.ts';
import { listFiles, readSource } from '../tidy/sources.ts';

const statements = readSource('deploy/clickhouse/grants.sql')
  .text.replaceAll(/^--.*$/gm, '')
  .split(';')
  .map((statement) => statement.trim())
  .filter((statement) => statement !== '');
const grants = statements.filter((statement) => statement.startsWith('GRANT '));
const migrations = laterMigrations.flatMap((migration) => migration.statements);

let engine: EngineStore;

beforeAll(async () => {
  engine = await startEngineStore();
});

afterAll(async () => {
  await engine?.close();
});

test('every statement is one that ClickHouse takes', async () => {
  expect(statements.length).toBeGreaterThan(8);
  for (const sql of statements) {
    const ast = await engine.store.select(`EXPLAIN AST ${sql}`);
    expect(ast.length, sql).toBeGreaterThan(0);
  }
});

test('every system table that the service reads can be read', () => {
  const sources = listFiles('src').filter((path) => !path.startsWith('src/storage/analytic/embedded/'));
  const read = sources.flatMap((path) => [...readSource(path).text.matchAll(/FROM (system\.[a-z_]+)/g)]);
  const names = new Set(read.map(([, name]) => name ?? ''));
  expect(names.size).toBeGreaterThan(3);
  for (const name of names) expect(grants).toContain(`GRANT SELECT ON ${name} TO farthing`);
});

test('every table engine can be used, on a server and on a cluster', () => {
  const cluster = { name: 'farthing', database: 'farthing' };
  const all = [...migrations, ...migrations.flatMap((sql) => onCluster(sql, cluster))];
  const engines = new Set(all.flatMap((sql) => [...sql.matchAll(/ENGINE = (\w+)/g)]).map(([, name]) => name));
  expect(engines).toContain('Distributed');
  const granted = grants.flatMap((sql) => [...sql.matchAll(/TABLE ENGINE ON (\w+)/g)]).map(([, name]) => name);
  expect([...engines].sort()).toEqual(granted.sort());
});

test('every way of altering a table that a migration may have is granted for the tables of a server and for those of a cluster', () => {
  const ways = {
    'MODIFY SETTING': 'ALTER SETTINGS',
    'ADD COLUMN': 'ALTER ADD COLUMN',
    'MODIFY COLUMN': 'ALTER MODIFY COLUMN',
    'ADD INDEX': 'ALTER ADD INDEX',
  };
  const altered = migrations.flatMap((sql) => [...sql.matchAll(/^ALTER TABLE \w+ (\w+ \w+)/g)]).map(([, way]) => way);
  expect(Object.keys(ways)).toEqual(expect.arrayContaining([...new Set(altered)]));
  for (const database of ['farthing', 'farthing_local']) {
    const granted = grants.find((sql) => sql.includes(` ON ${database}.* `));
    for (const privilege of Object.values(ways)) expect(granted).toContain(privilege);
  }
});
