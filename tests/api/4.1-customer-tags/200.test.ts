import { expect, test } from 'vitest';
import { costEvent, expectStatus, type Project, sharedFarthing } from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';
import { longTest } from '../../support/long-test.ts';

const farthing = sharedFarthing();

/** A project with one call per customer, so that tags show in the costs. */
async function projectWithCustomers(...names: string[]): Promise<Project> {
  const project = await farthing.createProject();
  await project.post(...names.map((customer) => costEvent({ cost: 1, tags: { customer } })));
  return project;
}

async function customersWith(project: Project, tags: Record<string, string>): Promise<string[]> {
  return Object.keys(await project.costBy('customer', { customer_tags: tags })).sort();
}

test('4.1: a string sets a tag, and the answer counts the customers', async () => {
  const project = await projectWithCustomers('a', 'b', 'c');
  const answer = await project.postTags([
    { customer_name: 'a', tags: { plan: 'pro', region: 'eu' } },
    { customer_name: 'b', tags: { plan: 'pro' } },
  ]);
  expect(expectStatus(answer, 200)).toEqual({ ok: true, customers_updated: 2 });
  expect(await customersWith(project, { plan: 'pro' })).toEqual(['a', 'b']);
  expect(await customersWith(project, { plan: 'pro', region: 'eu' })).toEqual(['a']);
});

test('2.1: only the posted keys change', async () => {
  const project = await projectWithCustomers('a');
  await project.tag({ customer_name: 'a', tags: { plan: 'pro', region: 'eu' } });
  await project.tag({ customer_name: 'a', tags: { plan: 'free', tier: 'one' } });
  expect(await customersWith(project, { plan: 'free', region: 'eu', tier: 'one' })).toEqual(['a']);
  expect(await customersWith(project, { plan: 'pro' })).toEqual([]);
});

test('2.1: null deletes a tag and leaves the others', async () => {
  const project = await projectWithCustomers('a');
  await project.tag({ customer_name: 'a', tags: { plan: 'pro', region: 'eu' } });
  await project.tag({ customer_name: 'a', tags: { plan: null } });
  expect(await customersWith(project, { plan: 'pro' })).toEqual([]);
  expect(await customersWith(project, { region: 'eu' })).toEqual(['a']);
});

test('D10.1: null never conflicts, and deleting a missing tag succeeds', async () => {
  const project = await projectWithCustomers('a');
  const absent = await project.postTags([{ customer_name: 'a', tags: { plan: null } }]);
  expect(expectStatus(absent, 200)).toEqual({ ok: true, customers_updated: 1 });
  await project.tag({ customer_name: 'a', tags: { plan: 'pro' } });
  const present = await project.postTags([{ customer_name: 'a', tags: { plan: null } }], { upsert: false });
  expect(expectStatus(present, 200)).toEqual({ ok: true, customers_updated: 1 });
  expect(await customersWith(project, { plan: 'pro' })).toEqual([]);
  // A deleted tag can be set again without upsert.
  expectStatus(await project.postTags([{ customer_name: 'a', tags: { plan: 'pro' } }]), 200);
  expect(await customersWith(project, { plan: 'pro' })).toEqual(['a']);
});

test('4.1: with upsert an existing pair is overwritten', async () => {
  const project = await projectWithCustomers('a');
  expectStatus(await project.postTags([{ customer_name: 'a', tags: { plan: 'pro' } }], { upsert: true }), 200);
  expectStatus(await project.postTags([{ customer_name: 'a', tags: { plan: 'free' } }], { upsert: true }), 200);
  expect(await customersWith(project, { plan: 'free' })).toEqual(['a']);
});

test('D10.2: two entries for one customer merge and count once', async () => {
  const project = await projectWithCustomers('a', 'b');
  const answer = await project.postTags([
    { customer_name: 'a', tags: { plan: 'pro' } },
    { customer_name: 'b', tags: { plan: 'pro' } },
    { customer_name: 'a', tags: { region: 'eu' } },
  ]);
  expect(expectStatus(answer, 200)).toEqual({ ok: true, customers_updated: 2 });
  expect(await customersWith(project, { plan: 'pro', region: 'eu' })).toEqual(['a']);
});

test('8: a thousand customers in one call', async () => {
  const project = await farthing.createProject();
  const customers = Array.from({ length: 1000 }, (_, index) => ({
    customer_name: `c${index}`,
    tags: { n: `${index}` },
  }));
  const answer = await project.postTags(customers);
  expect(expectStatus(answer, 200)).toEqual({ ok: true, customers_updated: 1000 });
  await project.post(costEvent({ cost: 1, tags: { customer: 'c999' } }));
  expect(await customersWith(project, { n: '999' })).toEqual(['c999']);
});

longTest('D10.3: names, keys and values of the maximum length, and an empty value', async () => {
  const name = 'n'.repeat(1024);
  const project = await projectWithCustomers(name, 'a');
  await project.tag(
    { customer_name: name, tags: { ['k'.repeat(128)]: 'v'.repeat(1024) } },
    { customer_name: 'a', tags: { empty: '' } },
  );
  expect(await customersWith(project, { ['k'.repeat(128)]: 'v'.repeat(1024) })).toEqual([name]);
  expect(await customersWith(project, { empty: '' })).toEqual(['a']);
});

test('D10.3: lengths are counted in characters, not in bytes or UTF-16 units', async () => {
  const name = '😀'.repeat(1024);
  const project = await projectWithCustomers(name);
  await project.tag({ customer_name: name, tags: { ['中'.repeat(128)]: '🧀'.repeat(1024) } });
  expect(await customersWith(project, { ['中'.repeat(128)]: '🧀'.repeat(1024) })).toEqual([name]);
});

test('D10.3: a customer may have a hundred tags; one can be replaced by another in the same call', async () => {
  const project = await projectWithCustomers('a');
  await project.tag({
    customer_name: 'a',
    tags: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, 'v'])),
  });
  await project.tag({ customer_name: 'a', tags: { k0: null, another: 'v', k1: 'w' } });
  expect(await customersWith(project, { another: 'v', k1: 'w', k99: 'v' })).toEqual(['a']);
  expect(await customersWith(project, { k0: 'v' })).toEqual([]);
});

const oddNames = [
  "o'brien",
  'a"b',
  'back\\slash',
  '😀',
  '日本語',
  ' padded ',
  'line\nbreak',
  '%',
  '__proto__',
  'constructor',
];

test('D10.3: customers, keys and values may have any name', async () => {
  const names = someOf(oddNames, 3);
  const project = await projectWithCustomers(...names, 'other');
  for (const text of names) {
    const body = { customers: [{ customer_name: text, tags: [[text, text]] }] };
    // Built as text: a JavaScript literal can't hold the key __proto__.
    const raw = JSON.stringify(body).replace(/\[\[(.*),\1\]\]/, '{$1:$1}');
    const answer = await project.api('POST', '/api/customer-tags/', undefined, { raw });
    expect(expectStatus(answer, 200), text).toEqual({ ok: true, customers_updated: 1 });
  }
  for (const text of names) {
    const filter = `{"date_from":"2024-05-15","date_to":"2024-05-15","group_by":"customer","customer_tags":{${JSON.stringify(text)}:${JSON.stringify(text)}}}`;
    const costs = await project.api('POST', '/api/costs/', undefined, { raw: filter });
    expect(Object(expectStatus(costs, 200)).rows, text).toMatchObject([{ customer: text, cost: 1 }]);
  }
});

test('D10.1: of two concurrent calls that set the same pair, one is refused', async () => {
  const project = await projectWithCustomers('a');
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((value) =>
        project.postTags([{ customer_name: 'a', tags: { [`key${round}`]: value } }]),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409]);
  }
});

test('D10.1: concurrent calls over the same customers, in different orders, all succeed', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `c${index}`);
  const project = await projectWithCustomers(...names);
  const orders = [names, [...names].reverse(), [...names.slice(20), ...names.slice(0, 20)], names];
  const answers = await Promise.all(
    orders.map((order, index) =>
      project.postTags(
        order.map((name) => ({ customer_name: name, tags: { shared: `${index}`, [`own${index}`]: 'v' } })),
        { upsert: true },
      ),
    ),
  );
  expect(answers.map((answer) => [answer.status, answer.body])).toEqual(
    orders.map(() => [200, { ok: true, customers_updated: 40 }]),
  );
  // Each call is one transaction, so all customers end with the value of the same call.
  const bySharedValue = await Promise.all(orders.map((_, index) => customersWith(project, { shared: `${index}` })));
  expect(bySharedValue.map((found) => found.length).sort((a, b) => a - b)).toEqual([0, 0, 0, 40]);
  expect(await customersWith(project, { own0: 'v', own1: 'v', own2: 'v', own3: 'v' })).toHaveLength(40);
});

test('D10: a customer can be tagged before its first call', async () => {
  const project = await farthing.createProject();
  await project.tag({ customer_name: 'later', tags: { plan: 'pro' } });
  await project.post(costEvent({ cost: 1, tags: { customer: 'later' } }));
  expect(await customersWith(project, { plan: 'pro' })).toEqual(['later']);
});

test('D2: the trailing slash is optional, and so is upsert', async () => {
  const project = await projectWithCustomers('a');
  const body = { customers: [{ customer_name: 'a', tags: { plan: 'pro' } }] };
  expect(expectStatus(await project.api('POST', '/api/customer-tags', body), 200)).toEqual({
    ok: true,
    customers_updated: 1,
  });
});
