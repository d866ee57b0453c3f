import { expect, test } from 'vitest';
import { expectStatus, sharedFarthing } from '../../support/client.ts';
import { someOf, usualOrLong } from '../../support/effort.ts';
import { longTest } from '../../support/long-test.ts';
import { allNames, list, namesOf, of } from './support.ts';

const farthing = sharedFarthing();

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
  // The first page of five ends at the name with NUL.
  for (const limit of usualOrLong(['5'], ['1', '3', '5', '7'])) {
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
  // The first page of ten ends at the name with NUL.
  for (const limit of usualOrLong(['10'], ['1', '10', '19', '20'])) {
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
  const searches: readonly (readonly [search: string, names: readonly string[]])[] = [
    ['aCmE', ['ACME', 'Acme GmbH', 'acme eins', 'überacme']],
    ['äÖü', ['ÄÖÜ', 'äöü zwei']],
    ['отчёт', ['ОТЧЁТ']],
    ['ΟΔΟΣ', ['ΟΔΟΣΑ', 'οδος']],
    ['%', ['100%']],
    ['A_B', ['a_b']],
    ['İZ', ['İzmir']],
    ['nobody', []],
    ['\u0000', []],
  ];
  for (const [search, names] of someOf(searches, 4)) expect([search, await found(search)]).toEqual([search, names]);
  expect(await allNames(project, 'customers', { search: 'acme', limit: usualOrLong('2', '1') })).toEqual([
    'ACME',
    'Acme GmbH',
    'acme eins',
    'überacme',
  ]);
  expect(await found('')).toHaveLength(15);
});

longTest('D6.3: pages stay stable while calls and tags arrive', async () => {
  const project = await farthing.createProject();
  await project.post(...['b', 'd', 'f'].map((customer) => of({ tags: { customer } })));
  const first = await list(project, 'customers', { limit: '2' });
  expect(namesOf(first)).toEqual(['b', 'd']);
  await project.post(...['a', 'd', 'e'].map((customer) => of({ tags: { customer } })));
  await project.tag({ customer_name: 'c', tags: { k: 'v' } }, { customer_name: 'g', tags: { k: 'v' } });
  const second = await list(project, 'customers', { limit: '5', cursor: first.next_cursor ?? '' });
  expect([namesOf(second), second.has_more]).toEqual([['e', 'f', 'g'], false]);
});
