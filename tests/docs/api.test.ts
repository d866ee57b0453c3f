// Runs the examples of the API reference, of the pages about coding agents, gateways and imports, and of README.md: usually of a
// part of the pages. Every route must have its place in the reference.
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filesPath } from '../../src/lib/http/operation-name.ts';
import { someOf } from '../support/effort.ts';
import { listFiles, readSource } from '../tidy/sources.ts';
import { countShown, expectExamples } from './expect-page.ts';
import { type Desk, openDesk, readExamples } from './run-page.ts';

const index = 'docs/api/README.md';
const setUp = readExamples(index);
/** The pages beside the reference whose examples need its set-up. */
const connecting = ['claude-code', 'codex', 'gemini-cli', 'import', 'litellm', 'opentelemetry', 'openrouter'].map(
  (name) => `docs/connect/${name}.md`,
);
const pages = [...listFiles('docs/api'), ...connecting]
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
test.each(someOf(pages, 4))('every command of $path gives the answer shown beside it', async ({ examples }) => {
  await expectExamples(desk, [...setUp, ...examples]);
});

test('the reference shows answers beside its commands', () => {
  expect(countShown([...setUp, ...pages.flatMap(({ examples }) => examples)])).toBeGreaterThanOrEqual(35);
});

test('every command of README.md gives the answer shown beside it', async () => {
  const examples = readExamples('README.md');
  expect(countShown(examples)).toBeGreaterThanOrEqual(3);
  await expectExamples(desk, examples);
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
