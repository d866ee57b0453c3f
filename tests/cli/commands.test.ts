import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someOf } from '../support/effort.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';
import { commandsOf } from './as-admin.ts';
import { runCommand } from './command.ts';

let service: Service;
const dataDir = makeMigratedDataDir();

beforeAll(async () => {
  service = await startService({ dataDir });
});

afterAll(async () => {
  await service.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Runs a command as the admin of the service and reads the JSON that it prints. */
async function runJson<T>(...args: string[]): Promise<T> {
  const settings = { FARTHING_URL: service.url, FARTHING_ADMIN_TOKEN: service.adminToken };
  const { code, stdout, stderr } = await runCommand([...args, '--json'], settings);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as T;
}

describe('D13.2: the commands', () => {
  // A dozen commands, each a process of its own: minutes on a machine that is very busy.
  test('a project, a client and a key are made, used, listed and revoked', { timeout: 120_000 }, async () => {
    const project = await runJson<{ id: string }>(
      'projects',
      'create',
      'Bot',
      '--type',
      'internal',
      '--timezone',
      'Asia/Kolkata',
    );
    const { projects } = await runJson<{ projects: { id: string; timezone: string }[] }>('projects');
    expect(projects).toContainEqual(
      expect.objectContaining({ ...project, timezone: 'Asia/Kolkata', type: 'internal' }),
    );

    const client = await runJson<{ client_id: string; secret: string }>('clients', 'create', '--project', project.id);
    const post = (secret: string) =>
      fetch(`${service.url}/intake/${client.client_id}/`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: '[]',
      });
    const further = await runJson<{ id: string; secret: string }>(
      'clients',
      'add-secret',
      client.client_id,
      '--project',
      project.id,
    );
    expect((await post(client.secret)).status).toBe(200);
    expect((await post(further.secret)).status).toBe(200);
    await runJson('clients', 'revoke-secret', client.client_id, further.id, '--project', project.id);
    expect((await post(further.secret)).status).toBe(401);
    await runJson('clients', 'revoke', client.client_id, '--project', project.id);
    expect((await post(client.secret)).status).toBe(401);

    const key = await runJson<{ id: string; api_key: string }>(
      'keys',
      'create',
      '--project',
      project.id,
      '--scopes',
      'read',
    );
    const ask = () => fetch(`${service.url}/api/project/`, { headers: { authorization: `Bearer ${key.api_key}` } });
    expect((await ask()).status).toBe(200);
    const listed = await runCommand(['keys', 'list', '--project', project.id], {
      FARTHING_URL: service.url,
      FARTHING_ADMIN_TOKEN: service.adminToken,
    });
    expect(listed.stdout).toContain(key.id);
    expect(listed.stdout).not.toContain(key.api_key);
    await runJson('keys', 'revoke', key.id, '--project', project.id);
    expect((await ask()).status).toBe(401);

    await runJson('projects', 'delete', project.id, '--yes');
    const left = await runJson<{ projects: { id: string }[] }>('projects');
    expect(left.projects.map(({ id }) => id)).not.toContain(project.id);
  });

  test('doctor finds nothing wrong with a running service, and says what is wrong without one', async () => {
    const well = await runCommand(['doctor', '--json'], {
      FARTHING_URL: service.url,
      FARTHING_ADMIN_TOKEN: service.adminToken,
      FARTHING_DATA_DIR: dataDir,
    });
    expect(well.code, well.stdout).toBe(0);
    const { findings } = JSON.parse(well.stdout) as { findings: { check: string; verdict: string }[] };
    expect(findings.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['store clickhouse', 'store control', 'disk', 'clock']),
    );

    const ill = await runCommand(['doctor'], {
      FARTHING_URL: 'http://127.0.0.1:9',
      FARTHING_ADMIN_TOKEN: service.adminToken,
    });
    expect(ill.code).toBe(1);
    expect(ill.stdout).toContain('No service answers at http://127.0.0.1:9');
    expect(ill.stderr.trim().split('\n')).toEqual(['One fault found.']);
  });

  test.each([
    [['projects'], { FARTHING_ADMIN_TOKEN: 'not-the-admin-token' }, 'The admin token is not valid'],
    [['projects', 'list'], {}, 'There is no admin token'],
    [['projects', 'delete', 'prj_x'], {}, 'Add --yes to do it'],
    [
      ['keys', 'list', '--project', 'prj_x'],
      { FARTHING_ADMIN_TOKEN: 'admin-token-of-the-tests-0123456789' },
      'There is no project',
    ],
    [['import', '/nonexistent.ndjson', '--client-id', 'x', '--secret', 'y'], {}, 'There is no file'],
    [['import', '/nonexistent.ndjson'], {}, 'Give --client-id and --secret'],
    [['projects'], { FARTHING_URL: '', FARTHING_PORT: 'abc' }, 'FARTHING_PORT: must be a whole number from 0 to 65535'],
    [
      ['serve'],
      { FARTHING_PORT: '70000', FARTHING_LOG_LEVEL: 'loud', FARTHING_TYPO: '1' },
      'The configuration has 3 faults',
    ],
  ])('%j with %j fails with one clear line', async (args, settings, line) => {
    const { code, stderr } = await runCommand(args, { FARTHING_URL: service.url, ...settings });
    expect(code).toBe(1);
    expect(stderr).toContain(line);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  test('what is made, listed and revoked is shown to people in tables and lines', { timeout: 120_000 }, async () => {
    const { run, runJson } = commandsOf(service);
    const made = await run('projects', 'create', 'Shown');
    const id = /prj_\w+/.exec(made)?.[0] ?? '';
    expect(await run('projects', 'list')).toMatch(new RegExp(`${id} .* Shown .* revenue .* UTC `));
    const of = ['--project', id];
    const [client, key] = await Promise.all([
      run('clients', 'create', ...of, '--name', 'api'),
      run('keys', 'create', ...of),
    ]);
    expect(client).toContain('secret (shown only once)');
    const clientId = /[0-9a-f-]{36}/.exec(client)?.[0] ?? '';
    const keyId = /key_\w+/.exec(key)?.[0] ?? '';
    expect(key).toMatch(/read, write .* fk_\w+/);
    const secret = /sec_\w+/.exec(await run('clients', 'add-secret', clientId, ...of))?.[0] ?? '';
    const listed = await run('clients', 'list', ...of);
    expect(listed).toContain(secret);
    expect(listed).not.toMatch(/fs_\w+/);
    expect(await runJson('keys', 'list', ...of)).toMatchObject({ api_keys: [{ id: keyId }] });
    expect(await run('clients', 'revoke-secret', clientId, secret, ...of)).toBe(`Revoked ${secret}.\n`);
    expect(await run('clients', 'revoke', clientId, ...of)).toBe(`Revoked ${clientId}.\n`);
    expect(await run('keys', 'revoke', keyId, ...of)).toBe(`Revoked ${keyId}.\n`);
    expect(await run('projects', 'delete', id, '--yes')).toBe(`Deleted ${id}.\n`);
  });

  const documented: [string[]][] = [
    [['serve']],
    [['demo']],
    [['projects', 'list']],
    [['projects', 'create']],
    [['projects', 'change']],
    [['projects', 'delete']],
    [['clients', 'list']],
    [['clients', 'create']],
    [['clients', 'add-secret']],
    [['clients', 'revoke-secret']],
    [['clients', 'revoke']],
    [['keys', 'list']],
    [['keys', 'create']],
    [['keys', 'revoke']],
    [['prices', 'list']],
    [['prices', 'explain']],
    [['prices', 'set']],
    [['prices', 'delete']],
    [['prices', 'reprice']],
    [['prices', 'update']],
    [['invoices', 'import']],
    [['reconcile']],
    [['import']],
    [['export', 'events']],
    [['export', 'costs']],
    [['export', 'margin']],
    [['export', 'performance']],
    [['export', 'usage']],
    [['rebuild']],
    [['backup']],
    [['restore']],
    [['move']],
    [['doctor']],
  ];

  test.concurrent.each(someOf(documented, 8))('%j --help has an example', async (words) => {
    const { code, stdout } = await runCommand([...words, '--help']);
    expect(code).toBe(0);
    const [, example = ''] = stdout.split('Example:\n');
    expect(example).toContain(`farthing ${words.join(' ')}`);
  });

  test('every command is held to have an example', async () => {
    const { stdout } = await runCommand(['--help']);
    const names = [...stdout.matchAll(/^ {2}(\w+)(?: \[options\]| <|\s)/gm)].map(([, name]) => name);
    expect(names.filter((name) => name !== 'help')).toEqual([
      'serve',
      'engine',
      'migrate',
      'demo',
      'projects',
      'clients',
      'keys',
      'prices',
      'budgets',
      'closes',
      'revenue',
      'stripe',
      'alerts',
      'invoices',
      'reconcile',
      'import',
      'export',
      'rebuild',
      'backup',
      'restore',
      'move',
      'doctor',
    ]);
  });
});

describe('first start', () => {
  test('D1.6: without a terminal, the keys are in a file of mode 0600, and its commands post a call and show its cost', async () => {
    const path = join(dataDir, 'first-start.txt');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const note = readFileSync(path, 'utf8');
    const bodies = [...note.matchAll(/curl -sS (\S+) \\\n {2}-H 'Authorization: (Bearer \S+)' .*\\\n {2}-d '(.*)'/g)];
    expect(bodies).toHaveLength(2);
    const answers: unknown[] = [];
    for (const [, url = '', authorization = '', body = ''] of bodies) {
      const headers = { authorization, 'content-type': 'application/json' };
      const answer = await fetch(url, { method: 'POST', headers, body });
      expect(answer.status).toBe(200);
      answers.push(await answer.json());
    }
    expect(answers).toMatchObject([{ ok: true }, { rows: [{ customer: 'acme', cost: 0.0019 }] }]);
  });

  test('D1.4, D1.5: a token of its own is kept with mode 0600 and never logged', async () => {
    const other = makeMigratedDataDir();
    const started = await startService({ dataDir: other, adminToken: null, logLevel: 'trace' });
    try {
      const path = join(other, 'admin-token');
      expect(statSync(path).mode & 0o777).toBe(0o600);
      const token = readFileSync(path, 'utf8').trim();
      const answer = await fetch(`${started.url}/admin/projects/`, { headers: { authorization: `Bearer ${token}` } });
      expect(answer.status).toBe(200);
      expect(started.output()).toContain(path);
      expect(started.output()).not.toContain(token);
      expect(started.output()).not.toMatch(/f[ks]_[0-9A-Za-z]{32}/);
    } finally {
      await started.stop();
      rmSync(other, { recursive: true, force: true });
    }
  });
});
