import { expect, test } from 'vitest';
import { costEvent, expectStatus, sharedFarthing } from '../../support/client.ts';
import { projectWith } from './support.ts';

const farthing = sharedFarthing();

test('4.2: each filter selects its values, with OR within one filter', async () => {
  const project = await projectWith(
    { cost: 1, model: 'm1', provider: 'p1', tags: { customer: 'a', feature: 'x' } },
    { cost: 2, model: 'm2', provider: 'p2', tags: { customer: 'b', feature: 'y' } },
    { cost: 4, model: 'm3', provider: 'p3', tags: { customer: 'c', feature: 'z' } },
  );
  expect(await project.totalCost({ customers: ['a'] })).toBe(1);
  expect(await project.totalCost({ customers: ['a', 'c'] })).toBe(5);
  expect(await project.totalCost({ customers: ['a', 'a'] })).toBe(1);
  expect(await project.totalCost({ features: ['y', 'z'] })).toBe(6);
  expect(await project.totalCost({ models: ['m2', 'unknown'] })).toBe(2);
  expect(await project.totalCost({ providers: ['p1', 'p2', 'p3'] })).toBe(7);
  expect(await project.totalCost({ providers: ['P1'] })).toBe(0);
});

test('D6.6: filters are joined by AND', async () => {
  const project = await projectWith(
    { cost: 1, model: 'm1', provider: 'p1', tags: { customer: 'a', feature: 'x' } },
    { cost: 2, model: 'm1', provider: 'p1', tags: { customer: 'a', feature: 'y' } },
    { cost: 4, model: 'm1', provider: 'p2', tags: { customer: 'b', feature: 'x' } },
    { cost: 8, model: 'm2', provider: 'p1', tags: { customer: 'a', feature: 'x' } },
  );
  expect(await project.totalCost({ customers: ['a'], features: ['x'] })).toBe(9);
  expect(await project.totalCost({ customers: ['a'], features: ['x'], models: ['m1'] })).toBe(1);
  expect(await project.totalCost({ customers: ['a', 'b'], features: ['x'], providers: ['p2'] })).toBe(4);
  expect(await project.totalCost({ customers: ['b'], models: ['m2'] })).toBe(0);
});

test('D6.6: a filter works under every grouping', async () => {
  const project = await projectWith(
    { cost: 1, model: 'm1', tags: { customer: 'a', feature: 'x' } },
    { cost: 2, model: 'm2', tags: { customer: 'a', feature: 'y' } },
    { cost: 4, model: 'm1', tags: { customer: 'b', feature: 'x' } },
  );
  expect(await project.costBy('customer', { models: ['m1'] })).toEqual({ a: 1, b: 4 });
  expect(await project.costBy('model', { customers: ['a'] })).toEqual({ m1: 1, m2: 2 });
  expect(await project.costBy('feature', { models: ['m1'] })).toEqual({ x: 5 });
  expect(await project.costBy('feature', { features: ['y'] })).toEqual({ y: 2 });
});

test('D6.6: values are compared exactly, with any characters', async () => {
  const names = [
    "o'brien",
    'a\\b',
    '%',
    '_',
    'x"y',
    "'; DROP TABLE calls; --",
    'tab\there',
    '日本語',
    '😀',
    ' padded ',
    '{p:String}',
    'a\\',
    'line\nbreak',
    'É',
    'E\u0301',
  ];
  const project = await projectWith(...names.map((customer) => ({ cost: 1, tags: { customer } })));
  for (const name of names) {
    expect(await project.costBy('customer', { customers: [name] })).toEqual({ [name]: 1 });
  }
  expect(await project.totalCost({ customers: names })).toBe(names.length);
});

test('D6.5: a filter may have ten thousand values', async () => {
  const project = await projectWith({ cost: 1, tags: { customer: 'name 9999' } }, { cost: 2 });
  const names = Array.from({ length: 10_000 }, (_, index) => `name ${index}`);
  expect(await project.totalCost({ customers: names })).toBe(1);
  expect(await project.totalCost({ run_tags: { customer: names } })).toBe(1);
});

test('4.2: customer_tags is AND across keys and OR within the values of one key', async () => {
  const project = await projectWith(
    { cost: 1, tags: { customer: 'a' } },
    { cost: 2, tags: { customer: 'b' } },
    { cost: 4, tags: { customer: 'c' } },
    { cost: 8, tags: { customer: 'untagged' } },
    { cost: 16 },
  );
  await project.tag(
    { customer_name: 'a', tags: { plan: 'pro', region: 'eu' } },
    { customer_name: 'b', tags: { plan: 'free', region: 'eu' } },
    { customer_name: 'c', tags: { plan: 'pro', region: 'us' } },
  );
  expect(await project.totalCost({ customer_tags: { plan: 'pro' } })).toBe(5);
  expect(await project.totalCost({ customer_tags: { plan: ['pro'] } })).toBe(5);
  expect(await project.totalCost({ customer_tags: { plan: ['pro', 'free'] } })).toBe(7);
  expect(await project.totalCost({ customer_tags: { plan: 'pro', region: 'eu' } })).toBe(1);
  expect(await project.totalCost({ customer_tags: { plan: ['pro', 'free'], region: ['eu'] } })).toBe(3);
  expect(await project.totalCost({ customer_tags: { plan: 'none' } })).toBe(0);
  expect(await project.totalCost({ customer_tags: { unknown: 'pro' } })).toBe(0);
  expect(await project.totalCost({ customer_tags: { plan: 'pro' }, customers: ['c', 'untagged'] })).toBe(4);
  expect(await project.costBy('customer', { customer_tags: { region: 'eu' } })).toEqual({ a: 1, b: 2 });
});

test('D6.6: customers are selected by their current tags, for past days too', async () => {
  const project = await projectWith({ cost: 1, tags: { customer: 'a' } });
  expect(await project.totalCost({ customer_tags: { plan: 'pro' } })).toBe(0);
  await project.tag({ customer_name: 'a', tags: { plan: 'pro' } });
  expect(await project.totalCost({ customer_tags: { plan: 'pro' } })).toBe(1);
  await project.tag({ customer_name: 'a', tags: { plan: 'free' } });
  expect(await project.totalCost({ customer_tags: { plan: 'pro' } })).toBe(0);
  expect(await project.totalCost({ customer_tags: { plan: 'free' } })).toBe(1);
});

test('D6.6: customer_tags selects by the tags of the customer, not by those of the call', async () => {
  const project = await projectWith({ cost: 1, tags: { customer: 'a', plan: 'pro' } });
  expect(await project.totalCost({ customer_tags: { plan: 'pro' } })).toBe(0);
  expect(await project.totalCost({ run_tags: { plan: 'pro' } })).toBe(1);
});

test('D6.6: many tagged customers are selected at once', async () => {
  const project = await farthing.createProject();
  const names = Array.from({ length: 2_500 }, (_, index) => `customer ${index}`);
  await project.post(...names.map((customer) => costEvent({ cost: 1, tags: { customer } })), costEvent({ cost: 7 }));
  for (let at = 0; at < names.length; at += 1000) {
    await project.tag(...names.slice(at, at + 1000).map((name) => ({ customer_name: name, tags: { tier: 'one' } })));
  }
  expect(await project.totalCost({ customer_tags: { tier: 'one' } })).toBe(2_500);
});

test('4.2: run_tags is AND across keys and OR within the values of one key', async () => {
  const project = await projectWith(
    { cost: 1, tags: { run_id: 'r1', env: 'prod', team: 'x' } },
    { cost: 2, tags: { run_id: 'r2', env: 'test', team: 'x' } },
    { cost: 4, tags: { run_id: 'r3', env: 'prod', team: 'y' } },
    { cost: 8, tags: { run_id: 'r4' } },
  );
  expect(await project.totalCost({ run_tags: { env: 'prod' } })).toBe(5);
  expect(await project.totalCost({ run_tags: { env: ['prod', 'test'] } })).toBe(7);
  expect(await project.totalCost({ run_tags: { env: 'prod', team: 'x' } })).toBe(1);
  expect(await project.totalCost({ run_tags: { env: ['prod', 'test'], team: ['x'] } })).toBe(3);
  expect(await project.totalCost({ run_tags: { run_id: ['r4', 'r1'] } })).toBe(9);
  expect(await project.totalCost({ run_tags: { env: 'none' } })).toBe(0);
});

test("D6.6: a run's tags are those of all its calls together, and with a run come all its calls", async () => {
  const project = await projectWith(
    { cost: 1, tags: { run_id: 'r', env: 'prod' } },
    { cost: 2, tags: { run_id: 'r', team: 'x' } },
    { cost: 4, tags: { run_id: 'r' } },
    { cost: 8, tags: { run_id: 's', env: 'prod' } },
    { cost: 16, tags: { env: 'prod' } },
    { cost: 32, tags: { env: 'test' } },
  );
  expect(await project.totalCost({ run_tags: { env: 'prod', team: 'x' } })).toBe(7);
  expect(await project.totalCost({ run_tags: { team: 'x' } })).toBe(7);
  // A call without a run is a run of its own.
  expect(await project.totalCost({ run_tags: { env: 'prod' } })).toBe(31);
});

test('D6.6: a run that carries two values of one key matches either', async () => {
  const project = await projectWith(
    { cost: 1, tags: { run_id: 'r', env: 'prod' } },
    { cost: 2, tags: { run_id: 'r', env: 'test' } },
  );
  expect(await project.totalCost({ run_tags: { env: 'prod' } })).toBe(3);
  expect(await project.totalCost({ run_tags: { env: 'test' } })).toBe(3);
});

test('D6.6: the tags of a run are collected before any other filter', async () => {
  const project = await projectWith(
    { cost: 1, model: 'm1', tags: { run_id: 'r', env: 'prod', customer: 'a' } },
    { cost: 2, model: 'm2', tags: { run_id: 'r', customer: 'b' } },
    { cost: 4, model: 'm2', tags: { run_id: 's', customer: 'b' } },
  );
  expect(await project.totalCost({ run_tags: { env: 'prod' }, models: ['m2'] })).toBe(2);
  expect(await project.costBy('customer', { run_tags: { env: 'prod' } })).toEqual({ a: 1, b: 2 });
  expect(await project.totalCost({ run_tags: { env: 'prod' }, customers: ['b'] })).toBe(2);
});

test('D6.6: only calls within the requested dates give a run its tags', async () => {
  const project = await projectWith(
    { cost: 1, timestamp: '2024-05-01T12:00:00Z', tags: { run_id: 'r', env: 'prod' } },
    { cost: 2, timestamp: '2024-05-02T12:00:00Z', tags: { run_id: 'r' } },
  );
  const filter = { aggregate: 'all', run_tags: { env: 'prod' } };
  const both = await project.costs({ date_from: '2024-05-01', date_to: '2024-05-02', ...filter });
  expect(both.rows.map((row) => row.cost)).toEqual([3]);
  const second = await project.costs({ date_from: '2024-05-02', date_to: '2024-05-02', ...filter });
  expect(second.rows.map((row) => row.cost)).toEqual([0]);
  // Tags count over the requested dates, not over the row's, so both days have the run.
  const days = await project.costs({ date_from: '2024-05-01', date_to: '2024-05-02', run_tags: { env: 'prod' } });
  expect(days.rows.map((row) => row.cost)).toEqual([1, 2]);
});

test('D6.6: tags of .before and of .after are tags of the call', async () => {
  const project = await farthing.createProject();
  const event_id = crypto.randomUUID();
  await project.post({ event_id, event_type: 'x.before', tags: { env: 'prod', step: 'one' } });
  await project.post(costEvent({ event_id, cost: 1, tags: { step: 'two' } }));
  expect(await project.totalCost({ run_tags: { env: 'prod' } })).toBe(1);
  expect(await project.totalCost({ run_tags: { step: 'two' } })).toBe(1);
  expect(await project.totalCost({ run_tags: { step: 'one' } })).toBe(0);
});

test('D3.4: __proto__ is an ordinary key of tags in filters', async () => {
  const project = await farthing.createProject();
  const event = JSON.stringify(costEvent({ cost: 1, tags: { customer: 'a', key: 'v' } })).replace(
    '"key"',
    '"__proto__"',
  );
  expect((await project.intake({ raw: event })).status).toBe(200);
  await project.post(costEvent({ cost: 2 }));
  const range = '"date_from":"2024-05-15","date_to":"2024-05-15"';
  const byRun = await project.api('POST', '/api/costs/', undefined, {
    raw: `{${range},"run_tags":{"__proto__":"v"}}`,
  });
  expect([byRun.status, byRun.body]).toMatchObject([200, { rows: [{ cost: 1 }] }]);
  const tagging = await project.api('POST', '/api/customer-tags/', undefined, {
    raw: '{"customers":[{"customer_name":"a","tags":{"__proto__":"w"}}]}',
  });
  expect([tagging.status, tagging.body]).toEqual([200, { ok: true, customers_updated: 1 }]);
  const byTag = await project.api('POST', '/api/costs/', undefined, {
    raw: `{${range},"customer_tags":{"__proto__":["w"]}}`,
  });
  expect([byTag.status, byTag.body]).toMatchObject([200, { rows: [{ cost: 1 }] }]);
});

test('D3.4: tag keys with JSON escapes are kept apart from keys of the same beginning', async () => {
  const project = await farthing.createProject();
  // JSON.parse of V8 confuses an escaped key with an earlier key in the same place if their texts begin alike.
  const keys = ['\\', '"', '\n', 'a\\', 'a"', 'a\t'];
  for (const key of keys) await project.post(costEvent({ cost: 1, tags: { customer: 'a', [key]: 'v' } }));
  await project.post(...keys.map((key) => costEvent({ cost: 2, tags: { customer: 'a', [key]: 'v' } })));
  for (const key of keys) {
    expect([key, await project.totalCost({ run_tags: { [key]: 'v' } })]).toEqual([key, 3]);
    const tagging = { customers: [{ customer_name: key, tags: { [key]: 'w' } }] };
    expectStatus(await project.api('POST', '/api/customer-tags/', tagging), 200);
    await project.post(costEvent({ cost: 4, tags: { customer: key } }));
  }
  for (const key of keys) expect([key, await project.totalCost({ customer_tags: { [key]: 'w' } })]).toEqual([key, 4]);
});

test('4.2: a filter by a tag with NUL is valid and matches no customer', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 1, tags: { customer: 'a' } }));
  await project.tag({ customer_name: 'a', tags: { plan: 'pro' } });
  expect(await project.totalCost({ customer_tags: { 'plan\0': ['pro'] } })).toBe(0);
  expect(await project.totalCost({ customer_tags: { plan: ['pro\0'] } })).toBe(0);
  expect(await project.totalCost({ customer_tags: { plan: ['pro\0', 'pro'] } })).toBe(1);
});
