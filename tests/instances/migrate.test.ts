// The schema of both stores, made by several processes at once, on a ClickHouse server that is reached over TLS with a certificate
// of an authority of one's own.
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import '../support/provided.ts';
import { controlMigrations } from '../../src/storage/control/migrations.ts';
import { isLong, usualOrLong } from '../support/effort.ts';
import { freePort } from '../support/ports.ts';
import { createDatabase } from '../support/postgres.ts';
import { launchService, makeDataDir, type Service, startEngine, startService } from '../support/service.ts';

/** The authority's key is nowhere: it has signed one certificate, for 127.0.0.1. */
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));
const engineDir = makeDataDir();
const others = Array.from({ length: usualOrLong(2, 3) }, makeDataDir);
let engine: Service;
/** Ends TLS before the engine, as a server does itself. */
let server: Server;
let clickhouseUrl: string;
let postgresUrl: string;
let requests = 0;

beforeAll(async () => {
  engine = await startEngine({
    dataDir: engineDir,
    port: await freePort(),
    token: 'token-of-the-engine-0123456789',
  });
  postgresUrl = await createDatabase(inject('postgresUrl'));
  const { hostname, port, username, password } = new URL(engine.url);
  const certificate = { cert: readFileSync(fixture('server.pem')), key: readFileSync(fixture('server-key.pem')) };
  server = createServer(certificate, (incoming, answer) => {
    requests += 1;
    const { method, url: path, headers } = incoming;
    const inner = request({ hostname, port, method, path, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(answer);
    });
    inner.on('error', () => answer.destroy());
    incoming.pipe(inner);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: tlsPort } = server.address() as AddressInfo;
  clickhouseUrl = `https://${username}:${password}@127.0.0.1:${tlsPort}`;
});

afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await engine?.kill();
  for (const directory of [engineDir, ...others]) rmSync(directory, { recursive: true, force: true });
});

const migrate = async (dataDir: string, env: Record<string, string>) => {
  const migration = await launchService({
    command: 'migrate',
    dataDir,
    postgresUrl,
    env: { FARTHING_CLICKHOUSE_URL: clickhouseUrl, ...env },
  });
  return { code: (await migration.exited).code, output: migration.output() };
};

test('farthing migrate makes the schema of both stores once, however many do it at once, and ends', async () => {
  const authority = { FARTHING_CLICKHOUSE_CA_FILE: fixture('ca.pem') };
  const migrations = await Promise.all(others.map((dataDir) => migrate(dataDir, authority)));
  for (const { code, output } of migrations) expect(code, output).toBe(0);
  expect(requests).toBeGreaterThan(0);
  const { username, password, origin } = new URL(engine.url);
  const answer = await fetch(
    `${origin}/?query=${encodeURIComponent('SELECT count() = uniqExact(id) FROM migrations')}`,
    {
      headers: { authorization: `Basic ${btoa(`${username}:${password}`)}` },
    },
  );
  expect((await answer.text()).trim()).toBe('1');
  const control = new pg.Client({ connectionString: postgresUrl });
  await control.connect();
  const { rows } = await control.query<{ name: string }>('SELECT name FROM kysely_migration ORDER BY name');
  await control.end();
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(controlMigrations('postgres')).toSorted());
  // Usually tests/instances/instances starts services on such stores.
  if (isLong) {
    const env = { FARTHING_CLICKHOUSE_URL: engine.url };
    const service = await startService({ dataDir: makeDataDir(), postgresUrl, env });
    expect((await service.stop()).code).toBe(0);
  }
});

test('without FARTHING_CLICKHOUSE_CA_FILE, which names who has signed the certificate of the server, nothing is sent', async () => {
  const before = requests;
  const refused = await migrate(others[0] ?? '', {});
  expect(refused.code, refused.output).toBe(1);
  expect(refused.output).toMatch(/certificate/i);
  expect(requests).toBe(before);
});
