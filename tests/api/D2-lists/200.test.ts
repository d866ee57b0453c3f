import { expect, test } from 'vitest';
import { z } from 'zod';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { changeTimezone, rebuildProject } from '../../support/reprice.ts';

const farthing = sharedFarthing();

const row = z.strictObject({
  name: z.string(),
  first_seen: z.string().nullable(),
  last_seen: z.string().nullable(),
  calls: z.number(),
  tags: z.record(z.string(), z.string()).optional(),
  has_price: z.boolean().optional(),
});
const page = z.strictObject({ rows: z.array(row), next_cursor: z.string().nullable(), has_more: z.boolean() });
type Page = z.infer<typeof page>;

async function list(project: Project, path: string, query: Record<string, string> = {}): Promise<Page> {
  const answer = await project.api('GET', `/api/${path}/?${new URLSearchParams(query)}`);
  return page.parse(expectStatus(answer, 200));
}

const namesOf = ({ rows }: Page): string[] => rows.map(({ name }) => name);

/** The names of every page. */
async function allNames(project: Project, path: string, query: Record<string, string> = {}): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const { rows, next_cursor, has_more }: Page = await list(project, path, {
      ...query,
      ...(cursor !== null && { cursor }),
    });
    names.push(...rows.map(({ name }) => name));
    expect(has_more).toBe(next_cursor !== null);
    // A page after `has_more` is never empty.
    if (cursor !== null) expect(rows.length).toBeGreaterThan(0);
    cursor = next_cursor;
  } while (cursor !== null);
  return names;
}

const of = (fields: Json) => costEvent({ cost: 1, ...fields });

test('D2: each list has the values of its dimension with their first and last time and their number of calls', async () => {
  const project = await farthing.createProject();
  await project.post(
    of({
      timestamp: '2024-05-03T10:00:00.123Z',
      tags: { customer: 'acme', user: 'ann', feature: 'chat' },
      model: 'm',
      provider: 'p',
    }),
    of({
      timestamp: '2024-05-01T10:00:00+02:00',
      tags: { customer: 'acme', user: 'bob', feature: 'find' },
      model: 'm',
      provider: 'q',
    }),
    of({ timestamp: '2024-05-02T10:00:00Z', tags: { customer: 'zeta' } }),
  );
  const [first, last] = ['2024-05-01T08:00:00.000Z', '2024-05-03T10:00:00.123Z'];
  const middle = '2024-05-02T10:00:00.000Z';
  const nobody = { name: '', first_seen: middle, last_seen: middle, calls: 1 };
  const once = (name: string, time: string) => ({ name, first_seen: time, last_seen: time, calls: 1 });
  expect((await list(project, 'customers')).rows).toEqual([
    { name: 'acme', first_seen: first, last_seen: last, calls: 2, tags: {} },
    { ...once('zeta', middle), tags: {} },
  ]);
  expect((await list(project, 'users')).rows).toEqual([
    { ...nobody, tags: {} },
    { ...once('ann', last), tags: {} },
    { ...once('bob', first), tags: {} },
  ]);
  expect((await list(project, 'features')).rows).toEqual([nobody, once('chat', last), once('find', first)]);
  expect((await list(project, 'models')).rows).toEqual([
    { ...nobody, has_price: false },
    { name: 'm', first_seen: first, last_seen: last, calls: 2, has_price: false },
  ]);
  expect((await list(project, 'providers')).rows).toEqual([nobody, once('p', last), once('q', first)]);
});

test('D2, D5.4: each model says whether it has a price, in agreement with the route of its price', async () => {
  const project = await farthing.createProject();
  const models = ['gpt-4o', 'house-llm', 'soon/über', 'gone', 'unheard-of'];
  await project.post(...models.map((model) => of({ model })));
  await project.addPrice({ model: 'house-*', input_per_mtok: 1, output_per_mtok: 1 });
  await project.addPrice({ model: 'soon/über', input_per_mtok: 1, output_per_mtok: 1 });
  await project.addPrice({ model: 'gone', input_per_mtok: 1, output_per_mtok: 1, effective_to: '2024-05-31' });
  const { rows } = await list(project, 'models');
  expect(Object.fromEntries(rows.map(({ name, has_price }) => [name, has_price]))).toEqual({
    'gpt-4o': true,
    'house-llm': true,
    'soon/über': true,
    gone: false,
    'unheard-of': false,
  });
  for (const { name, has_price } of rows) {
    const { status } = await project.api('GET', `/api/models/${encodeURIComponent(name)}/price/`);
    expect([name, status]).toEqual([name, has_price ? 200 : 404]);
  }
});

test('D2: tagged customers are listed even without calls, with tags of any keys', async () => {
  const project = await farthing.createProject();
  await project.post(of({ tags: { customer: 'b' } }));
  const tags: unknown = JSON.parse('{"plan":"pro","__proto__":"x","constructor":"","10":"ten"}');
  const answer = await project.postTags([
    { customer_name: 'a', tags },
    { customer_name: 'b', tags: { plan: 'free' } },
  ]);
  expectStatus(answer, 200);
  const listed = await project.api('GET', '/api/customers/');
  expect(listed.text).toContain('"__proto__":"x"');
  expect(listed.body).toMatchObject({
    rows: [
      { name: 'a', first_seen: null, last_seen: null, calls: 0 },
      { name: 'b', calls: 1, tags: { plan: 'free' } },
    ],
  });
  const [a] = (listed.body as { rows: { tags: object }[] }).rows;
  expect(Object.entries(a?.tags ?? {}).sort()).toEqual(Object.entries(tags as object).sort());
  expect(namesOf(await list(project, 'users'))).toEqual(['']);
});

test('D2: customers with revenue are listed even without calls, once each and in order', async () => {
  const project = await farthing.createProject();
  await project.post(of({ tags: { customer: 'b' } }), of({ tags: { customer: 'd\u0000' } }));
  await project.tag({ customer_name: 'c', tags: { plan: 'pro' } }, { customer_name: 'e', tags: { plan: 'pro' } });
  const entries = ['a', 'b', 'c', 'd', 'f', 'f'].map((customer, index) => ({
    external_id: `entry ${index}`,
    customer,
    amount: 1,
    date_from: '2024-05-01',
  }));
  expectStatus(await project.api('POST', '/api/revenue/', { entries }), 200);
  for (const limit of ['1', '3', '7']) {
    expect(await allNames(project, 'customers', { limit }), limit).toEqual(['a', 'b', 'c', 'd', 'd\u0000', 'e', 'f']);
  }
  expect(await allNames(project, 'customers', { search: 'F' })).toEqual(['f']);
  expect((await list(project, 'customers')).rows[0]).toEqual({
    name: 'a',
    first_seen: null,
    last_seen: null,
    calls: 0,
    tags: {},
  });
  expect(await allNames(project, 'users')).toEqual(['']);
});

test('D2: a customer whose last tag was deleted and who has no calls is not listed', async () => {
  const project = await farthing.createProject();
  await project.tag({ customer_name: 'a', tags: { plan: 'pro' } });
  expect(namesOf(await list(project, 'customers'))).toEqual(['a']);
  await project.tag({ customer_name: 'a', tags: { plan: null } });
  expect(await list(project, 'customers')).toEqual({ rows: [], next_cursor: null, has_more: false });
});

const awkward = [
  '',
  ' ',
  '"',
  "'",
  '%',
  '\\',
  '_',
  'a\u0000b',
  'a',
  'A',
  'é',
  'ｚ',
  '\u{1F600}',
  '\u{1F600}x',
  'x'.repeat(1024),
];

test('D6.3: names are in code-point order, on pages of any length', async () => {
  const project = await farthing.createProject();
  const taggedOnly = ['a\u0001', 'ab', 'é!', '\u{1F601}', '~'];
  await project.post(...awkward.map((customer) => of({ tags: { customer } })));
  await project.tag(...[...taggedOnly, 'A'].map((customer_name) => ({ customer_name, tags: { k: 'v' } })));
  const inOrder = [...awkward, ...taggedOnly].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const limit of ['1', '19', '20']) {
    expect(await allNames(project, 'customers', { limit }), `limit ${limit}`).toEqual(inOrder);
  }
  expect(await allNames(project, 'models', { limit: '1' })).toEqual(['']);
});

test('D2: search finds names that contain a text, in any case, with or without calls', async () => {
  const project = await farthing.createProject();
  const called = ['Acme GmbH', 'ACME', 'zeta', 'Straße', 'ÄÖÜ', 'ОТЧЁТ', 'ΟΔΟΣΑ', '100%', 'a_b', 'İzmir'];
  await project.post(...called.map((customer) => of({ tags: { customer } })));
  await project.tag(
    ...['acme eins', 'überacme', 'äöü zwei', 'οδος', 'axb'].map((customer_name) => ({
      customer_name,
      tags: { k: 'v' },
    })),
  );
  const found = async (search: string) => namesOf(await list(project, 'customers', { search }));
  expect(await found('aCmE')).toEqual(['ACME', 'Acme GmbH', 'acme eins', 'überacme']);
  expect(await found('äÖü')).toEqual(['ÄÖÜ', 'äöü zwei']);
  expect(await found('отчёт')).toEqual(['ОТЧЁТ']);
  expect(await found('ΟΔΟΣ')).toEqual(['ΟΔΟΣΑ', 'οδος']);
  expect(await found('%')).toEqual(['100%']);
  expect(await found('A_B')).toEqual(['a_b']);
  expect(await found('İZ')).toEqual(['İzmir']);
  expect(await found('nobody')).toEqual([]);
  expect(await found('\u0000')).toEqual([]);
  expect(await allNames(project, 'customers', { search: 'acme', limit: '1' })).toEqual([
    'ACME',
    'Acme GmbH',
    'acme eins',
    'überacme',
  ]);
  expect(await found('')).toHaveLength(15);
});

test('D6.3: pages stay stable while calls and tags arrive', async () => {
  const project = await farthing.createProject();
  await project.post(...['b', 'd', 'f'].map((customer) => of({ tags: { customer } })));
  const first = await list(project, 'customers', { limit: '2' });
  expect(namesOf(first)).toEqual(['b', 'd']);
  await project.post(...['a', 'd', 'e'].map((customer) => of({ tags: { customer } })));
  await project.tag({ customer_name: 'c', tags: { k: 'v' } }, { customer_name: 'g', tags: { k: 'v' } });
  const second = await list(project, 'customers', { limit: '5', cursor: first.next_cursor ?? '' });
  expect([namesOf(second), second.has_more]).toEqual([['e', 'f', 'g'], false]);
});

test('D1.1: a list has nothing of other projects', async () => {
  const [mine, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  await other.post(of({ tags: { customer: 'theirs', user: 'u' }, model: 'x' }));
  await other.tag({ customer_name: 'tagged', tags: { k: 'v' } });
  for (const path of ['customers', 'users', 'features', 'models', 'providers']) {
    expect((await list(mine, path)).rows).toEqual([]);
  }
});

test('D4.3: a call counts once, on its current day', async () => {
  const project = await farthing.createProject();
  const event = of({ tags: { customer: 'a' }, timestamp: '2024-05-15T12:00:00Z' });
  await project.post(event);
  await project.post({ ...event, timestamp: '2024-06-15T12:00:00Z' });
  await project.post({ ...event, tags: { customer: 'b' } });
  expect((await list(project, 'customers')).rows).toMatchObject([{ name: 'b', calls: 1 }]);
});

test('D2: a call counts once after a rebuild of its day', async () => {
  const project = await farthing.createProject();
  await project.post(of({ tags: { customer: 'a' } }), of({ tags: { customer: 'a' } }));
  await rebuildProject(project);
  expect((await list(project, 'customers')).rows).toMatchObject([{ name: 'a', calls: 2 }]);
  await changeTimezone(project, 'Asia/Tokyo');
  expect((await list(project, 'customers')).rows).toMatchObject([{ name: 'a', calls: 2 }]);
  const coverage = await project.api('GET', '/api/coverage/?date_from=2024-05-01&date_to=2024-05-31');
  expect(expectStatus(coverage, 200)).toMatchObject({ calls: 2, cost: 2 });
  const events = await project.api('GET', '/api/events/?customer=a');
  expect(expectStatus(events, 200)).toMatchObject({ rows: [{}, {}], has_more: false });
});

test('D2: the trailing slash is optional, and more than 1,000 names come in pages', async () => {
  const project = await farthing.createProject();
  const names = Array.from({ length: 1_203 }, (_, index) => `c${String(index).padStart(4, '0')}`);
  await project.post(...names.map((customer) => of({ tags: { customer } })));
  expect(page.parse((await project.api('GET', '/api/customers')).body).rows).toHaveLength(100);
  expect(await allNames(project, 'customers', { limit: '1000' })).toEqual(names);
  expect(await allNames(project, 'customers', { limit: '1000', search: 'C1' })).toEqual(names.slice(1_000));
});

test('D4.7: a list includes acknowledged events and says up to which time it is complete', async () => {
  const project = await farthing.createProject();
  await project.post(of({ tags: { customer: 'now' } }));
  const answer = await project.api('GET', '/api/customers/');
  expect(answer.text).toContain('"now"');
  expect(Date.parse(answer.headers.get('farthing-as-of') ?? '')).toBeGreaterThan(Date.now() - 60_000);
});
