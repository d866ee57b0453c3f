// The commands against a service that nothing else uses, with a token that it has made.
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import '../support/provided.ts';
import { connect, type Farthing, tokenEvent } from '../support/client.ts';
import { catalogueJson, type PriceUpstream, startPriceUpstream } from '../support/price-upstream.ts';
import { makeMigratedDataDir, type Service, startService } from '../support/service.ts';
import { commandsOf } from './as-admin.ts';
import { runCommand, runInHost } from './command.ts';

const dataDir = makeMigratedDataDir();
let upstream: PriceUpstream;
let service: Service;
let own: Farthing;

beforeAll(async () => {
  upstream = await startPriceUpstream();
  const env = { FARTHING_PRICE_CATALOGUE_URL: upstream.url };
  service = await startService({ dataDir, adminToken: null, logLevel: 'trace', env });
  own = connect(service.url, readFileSync(join(dataDir, 'admin-token'), 'utf8').trim());
});

afterAll(async () => {
  await service.stop();
  await upstream.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('D1.4, D1.5: a token of its own is kept with mode 0600 and never logged', async () => {
  const path = join(dataDir, 'admin-token');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const token = readFileSync(path, 'utf8').trim();
  const answer = await fetch(`${service.url}/admin/projects/`, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  expect(service.output()).toContain(path);
  expect(service.output()).not.toContain(token);
  expect(service.output()).not.toMatch(/f[ks]_[0-9A-Za-z]{32}/);
});

test('D1.6: without a terminal, the keys are in a file of mode 0600, and its commands post a call and show its cost', async () => {
  const path = join(inject('dataDirs')[0] ?? '', 'first-start.txt');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const note = readFileSync(path, 'utf8');
  const bodies = [...note.matchAll(/curl -sS (\S+) \\\n {2}-H 'Authorization: (Bearer \S+)' .*\\\n {2}-d '(.*)'/g)];
  expect(bodies).toHaveLength(2);
  const answers: unknown[] = [];
  for (const [, target = '', authorization = '', body = ''] of bodies) {
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(target, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    answers.push(await answer.json());
  }
  expect(answers).toMatchObject([{ ok: true }, { rows: [{ customer: 'acme', cost: 0.0019 }] }]);
});

test('doctor finds nothing wrong with a running service, and says what is wrong without one', async () => {
  // Without a token in its environment it finds that of the data folder.
  const well = await runCommand(['doctor', '--json'], { FARTHING_URL: service.url, FARTHING_DATA_DIR: dataDir });
  expect(well.code, well.stdout).toBe(0);
  const { findings } = JSON.parse(well.stdout) as { findings: { check: string; verdict: string }[] };
  expect(findings.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
  expect(findings.map(({ check }) => check)).toEqual(
    expect.arrayContaining(['store clickhouse', 'store control', 'disk', 'clock']),
  );

  const ill = await runCommand(['doctor'], {
    FARTHING_URL: 'http://127.0.0.1:9',
    FARTHING_ADMIN_TOKEN: own.adminToken,
  });
  expect(ill.code).toBe(1);
  expect(ill.stdout).toContain('No service answers at http://127.0.0.1:9');
  expect(ill.stderr.trim().split('\n')).toEqual(['One fault found.']);
});

test('D13.2: --project may be left out when there is only one project', async () => {
  const commands = commandsOf(own);
  const { projects } = Object(await commands.runJson('projects'));
  expect(projects).toHaveLength(1);
  const [clients, keys, prices, rebuilt] = await Promise.all([
    commands.run('clients', 'list'),
    commands.runJson('keys', 'list'),
    commands.runJson('prices', 'list'),
    commands.runJson('rebuild'),
  ]);
  expect(clients).toContain('default');
  expect(Object(keys).api_keys).toHaveLength(1);
  expect(prices).toMatchObject({ prices: [] });
  expect(rebuilt).toMatchObject({ state: 'done', before: 0, after: 0 });

  const second = await own.createProject({ name: 'Support\nbot\u001b[1m' });
  const line = `Choose a project with --project: ${projects[0].id} (default), ${second.id} (Support□bot□[1m).`;
  const lines = await Promise.all([
    commands.fail('clients', 'list'),
    commands.fail('keys', 'list'),
    commands.fail('prices', 'list'),
    commands.fail('rebuild'),
    commands.fail('export', 'events'),
    commands.fail('export', 'costs', '--from', '2026-01-01'),
  ]);
  expect(new Set(lines)).toEqual(new Set([line]));
  expect(await commands.fail('prices', 'list', '--project', 'prj_none')).toContain('There is no project');
});

test('D5.2: update fetches newer list prices', async () => {
  const commands = commandsOf(own);
  const project = await own.createProject();
  const of = ['--project', project.id];
  const model = { name: 'newer-llm', input: 7, output: 8 };
  upstream.answer(catalogueJson(model));
  expect(await commands.run('prices', 'update')).toMatch(
    /^New prices are in force: version \S+, [\d,]+ models of \d+ providers\.\nNo model called in the last 30 days has another price\.\n$/,
  );
  expect(await commands.runJson('prices', 'update')).toMatchObject({ changed: false });
  const explained = await commands.runJson('prices', 'explain', 'newer-llm', '--provider', 'openai', ...of);
  expect(Object(explained).rates.per_mtok.input).toBe(7);
  upstream.answer('gone', 410);
  expect(await commands.fail('prices', 'update')).toContain('answered with status 410; no price has changed');

  const doctor = Object(await commands.runJson('doctor'));
  expect(doctor.findings).toContainEqual(
    expect.objectContaining({
      check: 'price catalogue',
      detail: expect.stringMatching(/^version \S+\+\S+, fetched at /),
    }),
  );
  await project.post(tokenEvent({ model: 'my farthing llm', timestamp: new Date().toISOString(), prompt_tokens: 1 }));
  const worse = Object(await commands.runJson('doctor'));
  expect(worse.findings).toContainEqual({
    check: 'unpriced calls',
    verdict: 'warn',
    detail: '1 of 1 calls in the last 30 days (100.0%): my farthing llm; set their prices with farthing prices set',
  });
  // People get commands as they can be typed, and names as they are.
  expect(await commands.run('doctor')).toMatch(/my farthing llm; set their prices with node \S+ prices set/);
});

test('D5.2: check tells by its code whether a model in use differs, and puts no price in force', async () => {
  const commands = commandsOf(own);
  const model = { name: 'watched-llm', input: 7, output: 8 };
  upstream.answer(catalogueJson(model));
  await commands.run('prices', 'update');
  const other = await own.createProject();
  const ofOther = ['--project', other.id];
  expect(await commands.run('prices', 'check', ...ofOther)).toMatch(
    /^Catalogue \S+ against llm-zoo \S+, USD per million tokens:\n[\s\S]*\nNo model with calls in the last 30 days is among them\.\n$/,
  );

  await other.post(
    tokenEvent({ model: 'watched-llm', provider: 'openai', timestamp: new Date().toISOString(), prompt_tokens: 1 }),
  );
  upstream.answer(catalogueJson({ ...model, input: 9 }));
  const settings = { FARTHING_URL: service.url, FARTHING_ADMIN_TOKEN: own.adminToken };
  const looked = await runInHost(['prices', 'check', '--look', '--json', ...ofOther], settings);
  expect([looked.code, looked.stderr]).toEqual([1, '']);
  expect(Object(JSON.parse(looked.stdout)).models[0]).toEqual({
    ...{ finding: 'changed', provider: 'openai', model: 'watched-llm', calls: 1, overridden_calls: 0 },
    rates: [{ rate: 'input', listed: 7, other: 9, ratio: 9 / 7 }],
  });
  const again = await runInHost(['prices', 'check', ...ofOther], settings);
  expect(again.code).toBe(1);
  expect(again.stdout).toMatch(/changed +│ openai +│ watched-llm +│ 1 +│ input +│ 7 +│ 9 +│ × 1\.29/);
  expect(again.stdout).toContain('1 of them are in use');
  const explained = await commands.runJson('prices', 'explain', 'watched-llm', '--provider', 'openai', ...ofOther);
  expect(Object(explained).rates.per_mtok.input).toBe(7);

  await other.addPrice({ model: 'watched-llm', input_per_mtok: 1, output_per_mtok: 1 });
  await commands.run('prices', 'check', ...ofOther);
  expect(await commands.fail('prices', 'check', '--days', '91', ...ofOther)).toContain('days');
});
