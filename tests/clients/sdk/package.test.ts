// The package as it would be published (D15.4).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { beforeAll, expect, test } from 'vitest';
import { buildSdk } from '../../../scripts/build-sdk.ts';
import { makeDataDir } from '../../support/service.ts';

let folder: string;
const read = (path: string) => readFileSync(join(folder, path), 'utf8');

beforeAll(async () => {
  folder = await buildSdk(makeDataDir());
});

test('D15.4: the package is fit to be published, and depends on nothing', async () => {
  const { messages, pkg } = await publint({ pkgDir: folder, level: 'suggestion', strict: true, pack: false });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  expect(Object.keys(pkg).filter((name) => /dependencies$/i.test(name) && name !== 'devDependencies')).toEqual([]);
  expect(pkg.version).toBe(JSON.parse(readFileSync('package.json', 'utf8')).version);
  expect(readdirSync(folder).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
});

test('D15.4: it has at most 10 KiB gzipped, and imports nothing', () => {
  const entry = read('dist/index.js');
  expect(gzipSync(entry, { level: 9 }).length).toBeLessThanOrEqual(10 * 1024);
  for (const name of readdirSync(join(folder, 'dist')).filter((one) => one.endsWith('.js'))) {
    const imported = [...read(`dist/${name}`).matchAll(/(?:\bfrom|\bimport)\s*\(?["'`]([^"'`]+)/g)].map(
      ([, from]) => from,
    );
    expect(
      imported.filter((from) => !from?.startsWith('./')),
      name,
    ).toEqual([]);
  }
  expect(entry).not.toMatch(/\bimport\b/);
});

test('D15.4: the types name only files that are there', () => {
  const files = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' });
  const types = files.filter((name) => name.endsWith('.d.ts'));
  const named = types.flatMap((name) =>
    [...read(`dist/${name}`).matchAll(/from '(\.[^']+)'/g)].map(([, from = '']) =>
      join(name, '..', from).replace(/\.js$/, '.d.ts'),
    ),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !types.includes(name))).toEqual([]);
});

test('D15.4: the built entry runs where there are web globals alone, as in an edge runtime', async () => {
  const posted: string[] = [];
  const sandbox = createContext({
    AbortSignal,
    ReadableStream,
    Response,
    clearTimeout: globalThis.clearTimeout,
    crypto,
    performance,
    setTimeout: globalThis.setTimeout,
    fetch: async (url: string, { body }: { body: string }) => {
      posted.push(url, ...body.split('\n'));
      return Response.json({ ok: true });
    },
  });
  const script = read('dist/index.js').replace(
    /export\s*\{\s*(\S+) as Farthing\s*\};?\s*$/,
    'globalThis.Farthing = $1;',
  );
  runInContext(script, sandbox);
  const result: unknown = await runInContext(
    `(async () => {
      const farthing = new Farthing({ url: 'https://f.example', clientId: 'c', clientSecret: 's' });
      const usage = { prompt_tokens: 3, completion_tokens: 1 };
      const client = { chat: { completions: { create: async () => ({ model: 'gpt-5', choices: [], usage }) } } };
      const answer = await farthing.with({ customer: 'acme' }, () => farthing.wrap(client).chat.completions.create({ model: 'gpt-5' }));
      return { usage: answer.usage, isSent: await farthing.flush() };
    })()`,
    sandbox,
  );
  expect(JSON.parse(JSON.stringify(result))).toEqual({
    usage: { prompt_tokens: 3, completion_tokens: 1 },
    isSent: true,
  });
  const [url, before = '', after = ''] = posted;
  expect(url).toBe('https://f.example/intake/c/');
  expect(JSON.parse(before)).toMatchObject({ event_type: 'openai.chat.before', tags: { customer: 'acme' } });
  expect(JSON.parse(after)).toMatchObject({ response: { usage: { prompt_tokens: 3, completion_tokens: 1 } } });
});
