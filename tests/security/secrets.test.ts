// Where secrets must not be: logs, answers, metrics, and files that others may read.
import { lstatSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, costEvent, type Farthing, type Project, send } from '../support/client.ts';
import { isLong, someOf } from '../support/effort.ts';
import { readOperations } from '../support/openapi.ts';
import { launchService, makeDataDir, type Service, startService } from '../support/service.ts';

const dataDir = makeDataDir();
let service: Service;
let farthing: Farthing;
let project: Project;
/** Every secret that there is, by name. */
const secrets = new Map<string, string>();
/** Everything that was answered, but for what shows a new secret. */
const answered: string[] = [];

beforeAll(async () => {
  // No token is given: one is made and kept.
  service = await startService({
    dataDir,
    adminToken: null,
    logLevel: 'trace',
    env: { FARTHING_METRICS_TOKEN: 'metrics-token-0123456789' },
  });
  const adminToken = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  farthing = connect(service.url, adminToken);
  project = await farthing.createProject();
  const signIn = await farthing.send('POST', '/session/', { body: { api_key: project.apiKey } });
  const session = /farthing_session=([^;]+)/.exec(signIn.headers.get('set-cookie') ?? '')?.[1] ?? '';
  const note = readFileSync(join(dataDir, 'first-start.txt'), 'utf8');
  const found = {
    adminToken,
    apiKey: project.apiKey,
    secret: project.secret,
    session,
    metrics: 'metrics-token-0123456789',
    firstKey: /fk_\w+/.exec(note)?.[0],
    firstSecret: /fs_\w+/.exec(note)?.[0],
  };
  for (const [name, value] of Object.entries(found)) {
    expect(value?.length, name).toBeGreaterThan(20);
    secrets.set(name, value ?? '');
  }

  // Every route with credentials, right or wrong in their place, well and badly asked: with each, or one by turns.
  const operations = await readOperations(farthing);
  const tokens = [...secrets.values()];
  const harmless = operations.filter(
    ({ key, path }) => key !== 'DELETE /admin/projects/{id}/' && !path.startsWith('/docs'),
  );
  for (const [turn, { method, path, requestBody }] of harmless.entries()) {
    const given = tokens.filter((_token, index) => isLong || (index + turn) % tokens.length === 0);
    const isMaking = method === 'POST' && /(?:clients|secrets|api-keys)\/$/.test(path);
    await Promise.all(
      given.map(async (token, index) => {
        const target = path
          .replace('{id}', path.startsWith('/admin/') ? project.id : 'nothing')
          .replaceAll(/\{[^}]*\}/g, 'nothing');
        const options = {
          token,
          headers: { cookie: `farthing_session=${session}`, origin: service.url, 'farthing-project': project.id },
        };
        const raw = requestBody ? { raw: `{"x":` } : {};
        answered.push((await farthing.send(method, target, { ...options, ...raw })).text);
        if (!isMaking && index === 0) answered.push((await farthing.send(method, `${target}?key=x`, options)).text);
      }),
    );
  }
  await project.post(costEvent({ cost: 1 }));
  answered.push((await send('GET', `${service.url}/metrics`, { token: 'metrics-token-0123456789' })).text);
});

afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('D1.4, D11.2: no secret is in the log at its most talkative, in an answer or in the metrics', () => {
  expect(answered.length).toBeGreaterThan(200);
  for (const [name, secret] of secrets) {
    expect(service.output().includes(secret), `the log has the ${name}`).toBe(false);
    expect(
      answered.filter((text) => text.includes(secret)),
      name,
    ).toEqual([]);
  }
});

test('D1.4, D1.5, D1.6: of the files of the data folder, only the admin token and the note of the first start hold secrets, one each', async () => {
  await project.costs({ date_from: '2024-05-01', date_to: '2024-05-31' });
  const allowed: Record<string, readonly string[]> = {
    'admin-token': ['adminToken'],
    'first-start.txt': ['firstKey', 'firstSecret'],
  };
  const faults: string[] = [];
  for (const path of listTree(dataDir)) {
    const bytes = readIfThere(path);
    if (!bytes) continue;
    const name = path.slice(dataDir.length + 1);
    for (const [secret, value] of secrets) {
      if (bytes.includes(value) && !allowed[name]?.includes(secret)) faults.push(`${name} has the ${secret}`);
    }
  }
  expect(faults).toEqual([]);
});

test('D1.5: nobody but the owner may read or enter anything of the data folder', () => {
  const open = [dataDir, ...listTree(dataDir)].filter((path) => {
    try {
      const entry = lstatSync(path);
      return !entry.isSymbolicLink() && (entry.mode & 0o077) !== 0;
    } catch {
      // The engine has merged it away.
      return false;
    }
  });
  expect(open).toEqual([]);
  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
});

const failingStarts = [
  {
    what: 'a PostgreSQL that is not there',
    env: { FARTHING_POSTGRES_URL: 'postgres://farthing:hush-hush-1@127.0.0.1:1/none' },
  },
  {
    what: 'a ClickHouse that is not there',
    env: { FARTHING_CLICKHOUSE_URL: 'http://farthing:hush-hush-1@127.0.0.1:1/none' },
  },
  {
    what: 'settings that are wrong',
    env: {
      FARTHING_POSTGRES_URL: 'postgres://farthing:hush-hush-1@host with spaces/none',
      FARTHING_CLICKHOUSE_URL: 'ftp://farthing:hush-hush-1@127.0.0.1:1/none',
      FARTHING_ADMIN_TOKEN: 'hush-hush-1',
      FARTHING_METRICS_TOKEN: 'hush-hush-1',
    },
    named: true,
  },
];

test.concurrent.each(someOf(failingStarts, 1))(
  'D13.1: a start that fails because of $what does not tell the password',
  async ({ env, named = false }) => {
    const failing = makeDataDir();
    const launched = await launchService({
      dataDir: failing,
      logLevel: 'trace',
      adminToken: null,
      env,
    });
    expect((await launched.exited).code).toBeGreaterThan(0);
    expect(launched.output()).not.toContain('hush-hush-1');
    if (named) for (const name of Object.keys(env)) expect(launched.output()).toContain(name);
    await launched.kill();
    rmSync(failing, { recursive: true, force: true });
  },
);

function listTree(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) =>
      join(entry.parentPath, entry.name),
    );
  } catch {
    // The engine merges folders away while they are listed.
    return listTree(directory);
  }
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return lstatSync(path).isFile() ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}
