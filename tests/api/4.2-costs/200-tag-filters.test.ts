import { expect, test } from 'vitest';
import { costEvent, expectStatus, type Json, sharedFarthing } from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';
import { longTest } from '../../support/long-test.ts';
import { projectWith } from './support.ts';

const farthing = sharedFarthing();

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
  const selected: readonly (readonly [filters: Json, cost: number])[] = [
    [{ customer_tags: { plan: 'pro' } }, 5],
    [{ customer_tags: { plan: ['pro'] } }, 5],
    [{ customer_tags: { plan: ['pro', 'free'] } }, 7],
    [{ customer_tags: { plan: 'pro', region: 'eu' } }, 1],
    [{ customer_tags: { plan: ['pro', 'free'], region: ['eu'] } }, 3],
    [{ customer_tags: { plan: 'none' } }, 0],
    [{ customer_tags: { unknown: 'pro' } }, 0],
    [{ customer_tags: { plan: 'pro' }, customers: ['c', 'untagged'] }, 4],
  ];
  for (const [filters, cost] of someOf(selected, 4)) {
    expect([filters, await project.totalCost(filters)]).toEqual([filters, cost]);
  }
  expect(await project.costBy('customer', { customer_tags: { region: 'eu' } })).toEqual({ a: 1, b: 2 });
});

longTest('D6.6: customers are selected by their current tags, for past days too', async () => {
  const project = await projectWith({ cost: 1, tags: { customer: 'a' } });
  expect(await project.totalCost({ customer_tags: { plan: 'pro' } })).toBe(0);
  await project.tag({ customer_name: 'a', tags: { plan: 'pro' } });
  expect(await project.totalCost({ customer_tags: { plan: 'pro' } })).toBe(1);
  await project.tag({ customer_name: 'a', tags: { plan: 'free' } });
  expect(await project.totalCost({ customer_tags: { plan: 'pro' } })).toBe(0);
  expect(await project.totalCost({ customer_tags: { plan: 'free' } })).toBe(1);
});

longTest('D6.6: customer_tags selects by the tags of the customer, not by those of the call', async () => {
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

longTest('D3.4: tag keys with JSON escapes are kept apart from keys of the same beginning', async () => {
  const project = await farthing.createProject();
  // JSON.parse of V8 confuses an escaped key with an earlier key in the same place if their texts begin alike.
  const keys = ['\\', '"', '\n', 'a\\', 'a"', 'a\t'];
  for (const key of keys) await project.post(costEvent({ cost: 1, tags: { customer: 'a', [key]: 'v' } }));
  await project.post(...keys.map((key) => costEvent({ cost: 2, tags: { customer: 'a', [key]: 'v' } })));
  for (const key of keys) expect([key, await project.totalCost({ run_tags: { [key]: 'v' } })]).toEqual([key, 3]);
  for (const key of keys) {
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
