// Runs the examples of the API reference, of the pages about coding agents, gateways and imports, and of README.md. Every route must have its place in the reference. Runs the code of the pages that say how to connect an
// application, and of the packages' own READMEs (D15, D35), and the receiver that docs/api/notifications.md shows.
import { spawn } from 'node:child_process';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSdk } from '../../scripts/build-sdk.ts';
import { filesPath } from '../../src/lib/http/operation-name.ts';
import { type FakeProvider, startFakeProvider } from '../clients/fake-provider.ts';
import { connect, expectStatus, send } from '../support/client.ts';
import { whenThisProcessEnds } from '../support/leash.ts';
import { poll } from '../support/poll.ts';
import { freePort } from '../support/ports.ts';
import { makeDataDir } from '../support/service.ts';
import { listFiles, readSource, root } from '../tidy/sources.ts';
import { countShown, expectExamples } from './expect-page.ts';
import { type Desk, openDesk, readExamples } from './run-page.ts';

const index = 'docs/api/README.md';
const setUp = readExamples(index);
/** The pages beside the reference whose examples need its set-up. */
const connecting = ['claude-code', 'codex', 'gemini-cli', 'import', 'litellm', 'opentelemetry', 'openrouter'].map(
  (name) => `docs/connect/${name}.md`,
);
const referencePages = [...listFiles('docs/api'), ...connecting]
  .filter((path) => path !== index)
  .map((path) => ({ path, examples: readExamples(path) }))
  .filter(({ examples }) => examples.length > 0);

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk();
});

afterAll(async () => {
  await desk.close();
});

// The set-up makes a project for each page, so every page starts from the same data in any order of the tests.
test.each(referencePages)('every command of $path gives the answer shown beside it', async ({ examples }) => {
  await expectExamples(desk, [...setUp, ...examples]);
});

test('the reference shows answers beside its commands', () => {
  expect(countShown([...setUp, ...referencePages.flatMap(({ examples }) => examples)])).toBeGreaterThanOrEqual(35);
});

test('every command of README.md gives the answer shown beside it', async () => {
  const examples = readExamples('README.md');
  expect(countShown(examples)).toBeGreaterThanOrEqual(3);
  // The first project is for the pages that connect an application.
  const { clientId, secret, apiKey } = await connect(desk.url, desk.adminToken).createProject();
  await expectExamples(desk, examples, { CLIENT_ID: clientId, CLIENT_SECRET: secret, API_KEY: apiKey });
});

test('docs/api/README.md lists every route of the OpenAPI document, with a page that names it', async () => {
  const answer = await fetch(`${desk.url}/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, unknown>> };
  const described = Object.entries(paths)
    // The script of the /docs/ page is not part of the API.
    .filter(([path]) => path !== '/docs/reference.js')
    // The page on exports says for all routes with formats that they are answered as files too.
    .filter(([path]) => !path.startsWith(filesPath) || paths[path.replace(filesPath, '/api/')] === undefined)
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
  const listed = readSource(index)
    .text.split('\n')
    .filter((line) => /^- `[A-Z, ]+ \//.test(line))
    .flatMap((line) => {
      const page = /\]\(((?:\.\.\/\w+\/)?[\w-]+\.md)/.exec(line)?.[1] ?? '';
      return [...line.matchAll(/`([A-Z, ]+) (\/[^`]*)`/g)].flatMap(([, methods = '', path = '']) =>
        methods.split(', ').map((method) => ({ route: `${method} ${path}`, path, page })),
      );
    });
  expect(listed.map(({ route }) => route).toSorted()).toEqual(described.toSorted());
  const unnamed = listed.filter(({ path, page }) => !readSource(join(dirname(index), page)).text.includes(path));
  expect(unnamed).toEqual([]);
});

const connectPages = ['typescript', 'ai-sdk', 'curl', 'python'].map((name) => `docs/connect/${name}.md`);
/** The Python package, and its stand-in for `openai`, which asks the provider as the real one does. */
const pythonPath = ['src', 'tests/standins'].map((folder) => join(root, 'packages/python', folder));

test('D15.4: each page about connecting an application shows what its code prints', () => {
  for (const page of connectPages) expect(countShown(readExamples(page)), page).toBeGreaterThan(0);
});

describe('the pages that connect an application', () => {
  let fake: FakeProvider;
  let variables: Record<string, string>;

  beforeAll(async () => {
    // The examples import the package by its name, so it must be built where it is.
    await buildSdk();
    fake = await startFakeProvider();
    variables = {
      OPENAI_API_KEY: 'k',
      OPENAI_BASE_URL: fake.url('openai'),
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: fake.url('anthropic'),
      PYTHONPATH: pythonPath.join(delimiter),
      PYTHONDONTWRITEBYTECODE: '1',
    };
  });

  afterAll(() => fake.close());

  // A reader puts in the settings that some pages show without their values.
  const settings = readExamples('docs/connect/typescript.md').slice(0, 1);

  test.each(connectPages)('D15.4: the code of %s runs, and prints what is shown beside it', async (page) => {
    await expectExamples(desk, [...settings, ...readExamples(page)], variables);
  });

  test.each(['sdk', 'python'])(
    'D15.4: the code of packages/%s/README.md runs with the settings that it names',
    async (name) => {
      await expectExamples(desk, [...settings, ...readExamples(`packages/${name}/README.md`)], variables);
    },
  );
});

const [, code = ''] = /^```js\n([\s\S]*?)^```$/m.exec(readSource('docs/api/notifications.md').text) ?? [];

test('D20.5: the page has a receiver that verifies what it gets', () => {
  expect(code).toContain('webhook.verify');
});

test('D20.5: the receiver of the page takes a webhook of the service, and refuses one that is forged', async () => {
  const folder = makeDataDir();
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'receiver.mjs'), code);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  let letGo = () => undefined as unknown;
  try {
    const project = await connect(desk.url, desk.adminToken).createProject();
    const path = '/api/notification-endpoints/';
    const made = Object(expectStatus(await project.api('POST', path, { kind: 'webhook', url }), 201));
    const receiver = spawn(process.execPath, ['receiver.mjs'], {
      cwd: folder,
      env: { WEBHOOK_SECRET: made.secret, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const stopLeash = whenThisProcessEnds('kill -9 "$0"', String(receiver.pid));
    letGo = () => {
      stopLeash();
      receiver.kill('SIGKILL');
    };
    let printed = '';
    receiver.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const forged = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)) };
    const headers = { ...forged, 'webhook-signature': `v1,${'A'.repeat(43)}=` };
    const refused = await poll('the receiver answers', { within: 60_000 }, async () =>
      send('POST', url, { body: {}, headers }).catch(() => undefined),
    );
    expect(refused.status).toBe(401);
    expectStatus(await project.api('POST', `${path}${made.id}/test/`), 202);
    await poll('the receiver prints the test', { within: 60_000 }, () => (printed === '' ? undefined : true));
    expect(printed).toBe('alert.test This is a test\n');
    await poll('the attempt is noted', { within: 60_000 }, async () => {
      const { attempts } = Object(expectStatus(await project.api('GET', `${path}${made.id}/attempts/`), 200));
      return attempts[0]?.status === 204 ? true : undefined;
    });
  } finally {
    letGo();
    rmSync(folder, { recursive: true, force: true });
  }
});
