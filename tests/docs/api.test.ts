// The examples of the reference and of the first page are run, and every route has its place in the reference.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSource } from '../tidy/sources.ts';
import { expectPage } from './expect-page.ts';
import { type Desk, openDesk } from './run-page.ts';

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk();
});

afterAll(async () => {
  await desk.close();
});

test('every command of docs/api.md answers what stands beside it', async () => {
  await expectPage(desk, 'docs/api.md', 30);
});

test('every command of README.md answers what stands beside it', async () => {
  await expectPage(desk, 'README.md', 3);
});

test('docs/api.md names every route that the service describes', async () => {
  const answer = await fetch(`${desk.url}/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, unknown>> };
  const { text } = readSource('docs/api.md');
  // The script of the page of /docs/ is not a route for callers.
  const routes = Object.keys(paths).filter((path) => path !== '/docs/reference.js');
  expect(routes.length).toBeGreaterThan(40);
  expect(routes.filter((path) => !text.includes(path))).toEqual([]);
});
