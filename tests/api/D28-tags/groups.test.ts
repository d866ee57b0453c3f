import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing } from '../../support/client.ts';
import { readCsv } from '../../support/formats.ts';
import { addRevenue, allMargin } from '../../support/margin.ts';
import { poll } from '../../support/poll.ts';
import { expectInvalid } from '../../support/problem.ts';
import { askChanges } from '../D21-changes/support.ts';

const farthing = sharedFarthing();
const pageOfCalls = z.object({ rows: z.array(z.object({ cost: z.number() })) });
const range = { date_from: '2024-05-01', date_to: '2024-05-31', aggregate: 'all' };
const at = (cost: number, tags: Json) => ({ ...costEvent({ cost }), timestamp: '2024-05-02T12:00:00Z', tags });

async function projectOfTeams(): Promise<Project> {
  const project = await farthing.createProject();
  await project.post(
    at(1, { customer: 'acme', team: 'search' }),
    at(2, { customer_id: 'acme', team: 'chat' }),
    at(4, { customer: 'globex' }),
    at(8, {}),
  );
  await project.tag({ customer_name: 'acme', tags: { plan: 'pro' } });
  return project;
}

test('D28.1: costs and usage are grouped by a tag of calls or of customers, and rows add up', async () => {
  const project = await projectOfTeams();
  const by = async (group_by: string) =>
    Object.fromEntries((await project.allCosts({ ...range, group_by })).map(({ tag, cost }) => [tag, cost]));
  expect(await by('tag:team')).toEqual({ '': 12, chat: 2, search: 1 });
  // The tag itself, and not the column that other tags fill too.
  expect(await by('tag:customer')).toEqual({ '': 10, acme: 1, globex: 4 });
  expect(await by('customer_tag:plan')).toEqual({ '': 12, pro: 3 });
  expect(await by('tag:none')).toEqual({ '': 15 });
  expect(await by('customer_tag:none')).toEqual({ '': 15 });
  const usage = expectStatus(await project.api('POST', '/api/usage/', { ...range, group_by: 'tag:team' }), 200);
  expect(usage).toMatchObject({ rows: [{ tag: '', calls: 2 }, { tag: 'chat', calls: 1 }, { tag: 'search' }] });

  await project.tag({ customer_name: 'globex', tags: { plan: 'pro' } });
  expect(await by('customer_tag:plan')).toEqual({ '': 8, pro: 7 });
});

test('D28.1: the group "" and every other one lead to their calls, by a filter and by their row', async () => {
  const project = await projectOfTeams();
  const cost = async (filter: Json) => (await project.allCosts({ ...range, ...filter }))[0]?.cost;
  expect(await cost({ customer_tags: { plan: [''] } })).toBe(12);
  expect(await cost({ customer_tags: { plan: '' } })).toBe(12);
  expect(await cost({ customer_tags: { plan: ['', 'pro'] } })).toBe(15);
  expect(await cost({ customer_tags: { plan: ['', 'free'], none: [''] } })).toBe(12);
  expect(await cost({ customer_tags: { plan: ['pro'], none: [''] } })).toBe(3);
  const behind = async (row: Json) => {
    const { aggregate: _, ...days } = range;
    const body = { ...days, row: { ...days, ...row } };
    const { rows } = pageOfCalls.parse(expectStatus(await project.api('POST', '/api/calls/', body), 200));
    return rows.map((call) => call.cost).sort();
  };
  expect(await behind({ group_by: 'tag:team', tag: '' })).toEqual([4, 8]);
  expect(await behind({ group_by: 'tag:team', tag: 'chat' })).toEqual([2]);
  expect(await behind({ group_by: 'customer_tag:plan', tag: 'pro' })).toEqual([1, 2]);
  expect(await behind({ group_by: 'customer_tag:plan', tag: '' })).toEqual([4, 8]);
  const { aggregate: _, ...days } = range;
  for (const wrong of [{ tag: 'x' }, { group_by: 'tag:team' }]) {
    expectInvalid(await project.api('POST', '/api/calls/', { ...days, row: { ...days, ...wrong } }), ['/row/tag']);
  }
  // A budget of those without the tag.
  const budget = { name: 'No plan', amount: 100, window: '30d', scope: { customer_tags: { plan: [''] } } };
  expectStatus(await project.api('POST', '/api/budgets/', budget), 201);
  const timestamp = new Date().toISOString();
  await project.post(
    { ...costEvent({ cost: 3 }), timestamp },
    { ...costEvent({ cost: 5, tags: { customer: 'acme' } }), timestamp },
  );
  await poll('the budget has it', { within: 30_000 }, async () => {
    const { spent } = z.object({ spent: z.number() }).parse((await project.api('GET', '/api/budgets/No%20plan/')).body);
    return spent === 3 ? true : undefined;
  });
});

test('D28.1, D24.1: a file of rows by tag has the column tag', async () => {
  const project = await projectOfTeams();
  const file = await project.api('POST', '/api/costs/?format=csv', { ...range, group_by: 'tag:team' });
  expect(readCsv(file.text).rows).toMatchObject([
    { tag: '', cost: '12' },
    { tag: 'chat', cost: '2' },
    { tag: 'search', cost: '1' },
  ]);
});

test('D28.1: margin by a tag of customers has revenue without calls, and kept customers alone', async () => {
  const project = await projectOfTeams();
  const entry = (external_id: string, customer: string, amount: number) => ({
    external_id,
    customer,
    amount,
    date_from: '2024-05-03',
  });
  await addRevenue(project, entry('a', 'acme', 10), entry('b', 'initech', 5), entry('c', 'globex', 1));
  await project.tag({ customer_name: 'initech', tags: { plan: 'free' } });
  const by = async (more: Json) =>
    (await allMargin(project, { ...range, group_by: 'customer_tag:plan', ...more })).map((row) => [
      row.tag,
      row.revenue,
      row.cost,
    ]);
  const whole = [
    ['', 1, 12],
    ['free', 5, 0],
    ['pro', 10, 3],
  ];
  expect(await by({})).toEqual(whole);
  expect(await by({ limit: 1 })).toEqual(whole);
  expect(await by({ customers: ['acme', 'initech'] })).toEqual(whole.slice(1));
  expect(await by({ filter_customers_based_on_features: [''] })).toEqual([
    ['', 1, 12],
    ['pro', 10, 3],
  ]);
});

test('D28.1: performance by a tag of users counts distinct values once for all users of a tag', async () => {
  const project = await farthing.createProject({ type: 'internal' });
  await project.keyMetric('tickets', { event_type: 'ticket', aggregation: 'unique', field: '/id' });
  const ticket = (user: string, id: string) => ({
    event_id: randomUUID(),
    event_type: 'ticket',
    timestamp: '2024-05-02T12:00:00Z',
    id,
    user,
  });
  await project.post(ticket('ann', '1'), ticket('bob', '1'), ticket('cyd', '2'), at(3, { user: 'ann' }), at(1, {}));
  await project.tagUsers(...['ann', 'bob'].map((user_name) => ({ user_name, tags: { team: 'support' } })));
  const rows = await project.allPerformance({ ...range, group_by: 'user_tag:team' });
  expect(rows.map(({ tag, cost, key_metrics }) => [tag, cost, key_metrics.tickets?.value])).toEqual([
    ['', 1, 1],
    ['support', 3, 1],
  ]);
});

test('D21, D28.1: changes are listed by a tag, of customers by the causes of the whole', async () => {
  const project = await projectOfTeams();
  const asked = { before_from: '2024-04-01', before_to: '2024-04-30', date_from: '2024-05-01', date_to: '2024-05-31' };
  const ofCustomers = await askChanges(project, { ...asked, group_by: 'customer_tag:plan' });
  expect(ofCustomers.by_tag?.causes.map(({ cause, amount }) => [cause, amount])).toEqual(
    ofCustomers.by_customer.causes.map(({ cause, amount }) => [cause, amount]),
  );
  expect(ofCustomers.by_tag?.rows.map(({ name, difference }) => [name, difference])).toEqual([
    ['', 12],
    ['pro', 3],
  ]);
  const ofCalls = await askChanges(project, { ...asked, group_by: 'tag:team', limit: 1 });
  expect(ofCalls.by_tag).toMatchObject({
    rows: [{ name: '', difference: 12, parts: { calls: 12 } }],
    others: { count: 2, cost: 3 },
  });
  expect((await askChanges(project, asked)).by_tag).toBeUndefined();
});

test('D28.1: a tag without a key, or of what the route does not group, is a 400 that says what to ask', async () => {
  const [project, internal] = [await farthing.createProject(), await farthing.createProject({ type: 'internal' })];
  const faults: [Project, string, string, string[]][] = [
    [project, 'costs', 'tag:KEY, customer_tag:KEY', ['tag:', 'customer_tag:', 'user_tag:x']],
    [project, 'margin', 'customer, customer_tag:KEY', ['customer_tag:', 'tag:x', 'feature']],
    [internal, 'performance', 'user, user_tag:KEY', ['user_tag:', 'customer_tag:x']],
    [project, 'changes', 'tag:KEY, customer_tag:KEY', ['customer', 'user_tag:x']],
  ];
  for (const [of, route, named, groups] of faults) {
    for (const group_by of groups) {
      const answer = await of.api('POST', `/api/${route}/`, {
        date_from: '2024-05-01',
        date_to: '2024-05-31',
        group_by,
      });
      expect(expectStatus(answer, 400)).toMatchObject({
        errors: [{ pointer: '/group_by', message: expect.stringContaining(named) }],
      });
    }
  }
});

test('D28.2: tags are listed with counts and their most frequent values', async () => {
  const project = await projectOfTeams();
  const tags = async (query: string) =>
    expectStatus(await project.api('GET', `/api/tags/?kind=${query}`), 200) as { tags: Json[] };
  const days = 'call&date_from=2024-05-01&date_to=2024-05-31';
  expect(await tags(days)).toEqual({
    tags: [
      { key: 'customer', count: 2, values: [one('acme'), one('globex')], has_more_values: false },
      { key: 'team', count: 2, values: [one('chat'), one('search')], has_more_values: false },
      { key: 'customer_id', count: 1, values: [one('acme')], has_more_values: false },
    ],
  });
  await project.post(
    at(1, { team: 'chat' }),
    ...Array.from({ length: 60 }, (_, index) => at(0, { request: String(index) })),
  );
  const busy = await tags(days);
  expect(busy.tags).toMatchObject([
    { key: 'request', count: 60, has_more_values: true },
    { key: 'team', count: 3, values: [{ value: 'chat', count: 2 }, one('search')] },
    {},
    {},
  ]);
  expect(busy.tags[0]?.values).toHaveLength(50);
  // No day of the default range has a call.
  expect(await tags('call')).toEqual({ tags: [] });

  await project.tag({ customer_name: 'globex', tags: { plan: 'free', region: 'eu' } });
  expect(await tags('customer')).toEqual({
    tags: [
      { key: 'plan', count: 2, values: [one('free'), one('pro')], has_more_values: false },
      { key: 'region', count: 1, values: [one('eu')], has_more_values: false },
    ],
  });
  expect(await tags('user')).toEqual({ tags: [] });
  expect(expectStatus(await project.api('GET', '/api/tags/'), 400)).toMatchObject({
    errors: [{ pointer: '/kind' }],
  });
});

test('D28.3: a project names up to eight tags of calls as dimensions', async () => {
  const project = await farthing.createProject();
  const path = `${project.adminPath}/`;
  const change = async (tag_dimensions: unknown) => await farthing.admin('PATCH', path, { tag_dimensions });
  expect(expectStatus(await project.api('GET', '/api/project/'), 200)).toMatchObject({ tag_dimensions: [] });
  expect(expectStatus(await change(['team', 'env']), 200)).toMatchObject({ tag_dimensions: ['env', 'team'] });
  expect(expectStatus(await farthing.admin('PATCH', path, { name: 'renamed' }), 200)).toMatchObject({
    tag_dimensions: ['env', 'team'],
  });
  const faults: [unknown, string, string][] = [
    [['a', 'b', 'a'], '/tag_dimensions/2', 'duplicate'],
    [['customer_id'], '/tag_dimensions/0', 'invalid_value'],
    [['run'], '/tag_dimensions/0', 'invalid_value'],
    [[''], '/tag_dimensions/0', 'empty'],
    [Array.from({ length: 9 }, (_, index) => `t${index}`), '/tag_dimensions', 'too_many'],
    ['env', '/tag_dimensions', 'invalid_type'],
  ];
  for (const [given, pointer, code] of faults) {
    expect(expectStatus(await change(given), 400)).toMatchObject({ errors: [{ pointer, code }] });
  }
  const other = await farthing.createProject({ tag_dimensions: ['region'] });
  expect(expectStatus(await other.api('GET', '/api/project/'), 200)).toMatchObject({ tag_dimensions: ['region'] });
});

const one = (value: string) => ({ value, count: 1 });

test('D28.1: a key longer than any that is stored is refused', async () => {
  const project = await farthing.createProject();
  const ask = (path: string, key: string) =>
    project.api('POST', path, { date_from: '2024-05-01', date_to: '2024-05-31', group_by: key });
  for (const [path, kind] of [
    ['/api/costs/', 'tag'],
    ['/api/usage/', 'customer_tag'],
    ['/api/margin/', 'customer_tag'],
  ] as const) {
    expectStatus(await ask(path, `${kind}:${'k'.repeat(128)}`), 200);
    const { errors } = expectInvalid(await ask(path, `${kind}:${'k'.repeat(129)}`), ['/group_by']);
    expect(errors?.[0]?.code).toBe('too_long');
  }
});
