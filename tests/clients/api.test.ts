// Typed questions to the service (D15.5).
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, expectTypeOf, test } from 'vitest';
import { FarthingApi, FarthingError } from '../../packages/sdk/src/api.ts';
import { generated } from '../../scripts/generate-sdk-api.ts';
import { costEvent, sharedFarthing } from '../support/client.ts';
import { root } from '../tidy/sources.ts';

const farthing = sharedFarthing();

test.each(Object.entries(generated))('D15.5: %s is what the OpenAPI document gives', async (path, render) => {
  const { body } = await farthing.send('GET', '/openapi.json');
  const isUpToDate = render(body) === readFileSync(join(root, path), 'utf8');
  expect(isUpToDate, 'it is out of date: run node bin/runtime.js scripts/generate-sdk-api.ts').toBe(true);
});

test('D15.5: a question is awaited for its first page, or iterated for all rows and pages', async () => {
  const project = await farthing.createProject();
  const customers = Array.from({ length: 7 }, (_, index) => `customer ${index}`);
  await project.post(...customers.map((customer) => costEvent({ cost: 0.25, tags: { customer } })));
  const api = new FarthingApi({ url: `${farthing.url}/`, apiKey: project.apiKey });
  const ask = () =>
    api.costs({ date_from: '2024-05-01', date_to: '2024-05-31', aggregate: 'all', group_by: 'customer', limit: 3 });

  const first = await ask();
  expect(first.rows.map(({ customer, cost }) => [customer, cost])).toEqual(
    customers.slice(0, 3).map((customer) => [customer, 0.25]),
  );
  const names: Array<string | undefined> = [];
  for await (const row of ask()) names.push(row.customer);
  expect(names).toEqual(customers);
  const sizes: number[] = [];
  for await (const { rows } of ask().pages()) sizes.push(rows.length);
  expect(sizes).toEqual([3, 3, 1]);
  const listed: string[] = [];
  for await (const { name } of api.customers({ limit: 2, search: 'customer' })) listed.push(name);
  expect(listed.toSorted()).toEqual(customers);

  expectTypeOf(first.rows).items.toHaveProperty('cost').toEqualTypeOf<number>();
  expectTypeOf(api.costs).parameter(0).toHaveProperty('aggregate');
});

test('D35.3: the same in Python, with exact amounts', async () => {
  const project = await farthing.createProject();
  await project.post(...['', 'acme', 'globex'].map((customer) => costEvent({ cost: 0.1, tags: { customer } })));
  const script = `
from decimal import Decimal
from farthing.api import FarthingApi, FarthingError

api = FarthingApi()
rows = list(api.costs(date_from="2024-05-01", date_to="2024-05-31", aggregate="all", group_by="customer", limit=2))
assert [row["customer"] for row in rows] == ["", "acme", "globex"], rows
assert sum(row["cost"] for row in rows) == Decimal("0.3"), rows
call = next(iter(api.calls(date_from="2024-05-01", date_to=None, row={"date_from": "2024-05-01", "date_to": "2024-05-31"})))
assert api.call(call["event_id"])["cost"] == Decimal("0.1")
assert api.put_key_metric("a/b", event_type="ticket.resolved", aggregation="count")["name"] == "a/b"
assert [one["name"] for one in api.key_metrics()["key_metrics"]] == ["a/b"]
assert api.delete_key_metric("a/b") is None
try:
    api.costs(date_from="yesterday", limit=0).first()
except FarthingError as error:
    assert {one.pointer for one in error.errors} == {"/date_from", "/limit"}, error.errors
print("well")
`;
  const env = {
    ...process.env,
    PYTHONPATH: join(root, 'packages/python/src'),
    PYTHONDONTWRITEBYTECODE: '1',
    FARTHING_URL: farthing.url,
    FARTHING_API_KEY: project.apiKey,
  };
  const { stdout } = await promisify(execFile)('python3', ['-c', script], { env });
  expect(stdout).toBe('well\n');
});

test('D15.5: other requests, and refusals as errors with every fault', async () => {
  const project = await farthing.createProject();
  const api = new FarthingApi({ url: farthing.url, apiKey: project.apiKey });
  expect((await api.project()).id).toBe(project.id);
  const made = await api.putKeyMetric('a/b', { event_type: 'ticket.resolved', aggregation: 'count' });
  expect(made.name).toBe('a/b');
  expect((await api.keyMetric('a/b')).event_type).toBe('ticket.resolved');
  expect(await api.deleteKeyMetric('a/b')).toBeUndefined();

  const refused = api.costs({ date_from: 'yesterday', limit: 0 });
  await expect(refused).rejects.toThrow(FarthingError);
  await expect(refused).rejects.toMatchObject({
    status: 400,
    code: 'invalid_body',
    requestId: expect.any(String),
    errors: expect.arrayContaining([expect.objectContaining({ pointer: '/date_from' })]),
  });
  await expect(new FarthingApi({ url: farthing.url, apiKey: 'fk_wrong' }).project()).rejects.toMatchObject({
    status: 401,
  });
  expect(() => new FarthingApi({ apiKey: 'fk_x' })).toThrow('FARTHING_URL');
});

test('D15.5: a question that gets a 503 or 429 is asked again after the time that it names', async () => {
  let asked = 0;
  const answers = [503, 429, 200].map((status) => ({ status, headers: { 'retry-after': '0' } }));
  const api = new FarthingApi({
    url: 'http://farthing.example',
    apiKey: 'fk_x',
    fetch: async () => {
      asked += 1;
      return Response.json({ code: 'catching_up', rows: [], next_cursor: null, has_more: false }, answers[asked - 1]);
    },
  });
  expect((await api.costs({ date_from: '2026-01-01' })).rows).toEqual([]);
  expect(asked).toBe(3);
});
