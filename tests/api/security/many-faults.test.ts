// However many faults a body has, a hundred are worked out, and no answer repeats what it refuses (D11.1).
import { expect, test } from 'vitest';
import { type Answer, sharedFarthing } from '../../support/client.ts';
import { once } from '../../support/once.ts';

const farthing = sharedFarthing();
const project = once(() => farthing.createProject());

const many = (count: number, entry: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => entry(index)).join(',');
const unknownKeys = (count: number): string => `{${many(count, (index) => `"k${index}":1`)}}`;
const longName = 'n'.repeat(500_000);

/** The problem, which must be small. */
function problemOf({ status, text }: Answer): { errors: { pointer: string; code: string }[]; errors_total?: number } {
  expect(status).toBe(400);
  expect(text.length).toBeLessThan(100_000);
  return JSON.parse(text);
}

const bodies: [name: string, path: string, body: string, listed: number, total: number | undefined][] = [
  ['unknown fields', '/api/costs/', unknownKeys(5_000), 100, 5_000],
  ['more fields than are looked at', '/api/costs/', unknownKeys(300_000), 1, undefined],
  ['values of a filter', '/api/costs/', `{"customers":[${many(9_000, () => '0')}]}`, 100, 9_000],
  ['more values than are looked at', '/api/costs/', `{"customers":[${many(300_000, () => '0')}]}`, 1, undefined],
  ['tags of a filter', '/api/costs/', `{"run_tags":{${many(9_000, (index) => `"k${index}":[0]`)}}}`, 100, 101],
  ['entries without fields', '/api/customer-tags/', `{"customers":[${many(900, () => '{}')}]}`, 100, 1_800],
  [
    'tags of customers',
    '/api/customer-tags/',
    `{"customers":[${many(200, (index) => `{"customer_name":"c${index}","tags":{${many(900, (key) => `"k${key}":1`)}}}`)}]}`,
    100,
    20_200,
  ],
  [
    'objects of Stripe',
    '/api/stripe/objects/',
    `{"objects":[${many(1_000, () => '{"object":"invoice"}')}]}`,
    100,
    undefined,
  ],
];

test.each(bodies)('D11.1: %s', async (_name, path, raw, listed, total) => {
  const { api } = await project();
  const problem = problemOf(await api('POST', path, undefined, { raw }));
  expect(problem.errors).toHaveLength(listed);
  if (total === undefined) expect(problem.errors_total ?? 0).toBeGreaterThanOrEqual(0);
  else expect(problem.errors_total).toBeGreaterThanOrEqual(Math.min(total, 101));
});

test('D11.1: an entry with unknown fields', async () => {
  const { api } = await project();
  const problem = problemOf(await api('PUT', '/api/exchange-rates/', undefined, { raw: unknownKeys(5_000) }));
  expect(problem.errors).toHaveLength(100);
  expect(problem.errors_total).toBe(101);
});

test('D11.1: a long name is cut where it is told', async () => {
  const { api, intake } = await project();
  const unknown = problemOf(await api('POST', '/api/costs/', undefined, { raw: `{"${longName}":1}` }));
  expect(unknown.errors[0]?.pointer.length).toBeLessThan(400);
  const tags = problemOf(await intake({ raw: `[{"tags":{"${longName}":1}}]` }));
  expect(tags.errors.every(({ pointer }) => pointer.length < 400)).toBe(true);
});

test('D11.1: a query string', async () => {
  const { api } = await project();
  const query = Array.from({ length: 1_000 }, (_, index) => `k${index}=1`).join('&');
  const problem = problemOf(await api('GET', `/api/events/?${query}`));
  expect(problem.errors).toHaveLength(100);
  expect(problem.errors_total).toBeGreaterThanOrEqual(101);
});

test('D11.1: a route of the admin', async () => {
  const problem = problemOf(
    await farthing.send('POST', '/admin/projects/', { raw: unknownKeys(5_000), token: farthing.adminToken }),
  );
  expect(problem.errors).toHaveLength(100);
  expect(problem.errors_total).toBe(5_001);
});

test('D3.3: a batch lists its first 1,000 faults', async () => {
  const { intake } = await project();
  const bad = `{"tags":{${many(100, (index) => `"k${index}":{}`)}}}`;
  const answer = await intake({ raw: `[${many(300, () => bad)}]` });
  expect(answer.text.length).toBeLessThan(200_000);
  const problem = answer.body as { errors: unknown[]; errors_total: number };
  expect(problem.errors).toHaveLength(1_000);
  expect(problem.errors_total).toBe(300 * 102);
});

test('D24.3: arguments of a tool', async () => {
  const { api } = await project();
  const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"costs","arguments":${unknownKeys(5_000)}}}`;
  const { text } = await api('POST', '/mcp', undefined, {
    raw: call,
    headers: { accept: 'application/json, text/event-stream' },
  });
  expect(text.length).toBeLessThan(40_000);
});
