// A ClickHouse server that is reached over TLS, with a certificate of an authority of one's own.
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import '../support/provided.ts';
import { freePort } from '../support/ports.ts';
import { createDatabase } from '../support/postgres.ts';
import { launchService, makeDataDir, makeMigratedDataDir, type Service, startEngine } from '../support/service.ts';

/** The authority's key is nowhere: it has signed one certificate, for 127.0.0.1. */
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));
const directories = [makeMigratedDataDir(), makeDataDir()] as const;
let engine: Service;
/** Ends TLS before the engine, as a server does itself. */
let server: Server;
let clickhouseUrl: string;
let requests = 0;

beforeAll(async () => {
  engine = await startEngine({
    dataDir: directories[0],
    port: await freePort(),
    token: 'token-of-the-engine-0123456789',
  });
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
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

const migrate = async (env: Record<string, string>) => {
  const migration = await launchService({
    command: 'migrate',
    dataDir: directories[1],
    postgresUrl: await createDatabase(inject('postgresUrl')),
    env: { FARTHING_CLICKHOUSE_URL: clickhouseUrl, ...env },
  });
  return { code: (await migration.exited).code, output: migration.output() };
};

test('FARTHING_CLICKHOUSE_CA_FILE names who has signed the certificate of the server; without it nothing is sent', async () => {
  const refused = await migrate({});
  expect(refused.code, refused.output).toBe(1);
  expect(refused.output).toMatch(/certificate/i);
  expect(requests).toBe(0);

  const taken = await migrate({ FARTHING_CLICKHOUSE_CA_FILE: fixture('ca.pem') });
  expect(taken.code, taken.output).toBe(0);
  expect(requests).toBeGreaterThan(0);
});
