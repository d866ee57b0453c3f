import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  expectStatus,
  type Json,
  onceCaughtUp,
  type Project,
  sharedFarthing,
  tokenEvent,
} from '../../support/client.ts';
import { closeDays } from '../../support/closes.ts';
import { picos } from '../../support/decimal.ts';
import { findFaultsOf12, findFocusFaults } from '../../support/focus-rules.ts';
import { rowsOf } from '../../support/formats.ts';
import { addRevenue } from '../../support/margin.ts';
import { expectProblem } from '../../support/problem.ts';

const farthing = sharedFarthing();
const day = '2024-05-15';
const days = { date_from: day, date_to: day };

const page = z.looseObject({ rows: z.array(z.looseObject({})) });
const ask = async (project: Project, route: string, fields: Json = {}) =>
  page.parse(
    expectStatus(
      await onceCaughtUp(() =>
        project.api('POST', `/api/${route}/`, { ...days, aggregate: 'all', include_shared: true, ...fields }),
      ),
      200,
    ),
  ).rows;
const share = async (project: Project, ...entries: Json[]) =>
  expectStatus(await project.api('POST', '/api/shared-costs/', { entries }), 201);
const gpu = { external_id: 'gpu', name: 'GPU', amount: 10, date_from: day, allocate_by: 'tokens' };

/** The rows of the example in the documentation, whose amounts were worked out apart, in fractions. */
const example = readFileSync(new URL('../../../docs/api/shared-costs.md', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, customer, model, tokens, amount] = /^\| (\w+) \| (\w+) \| (\d+) \| ([\d.]+) \|$/.exec(line) ?? [];
    return customer && model && amount ? [{ customer, model, tokens: Number(tokens), amount: picos(amount) }] : [];
  });

const sumBy = (name: 'customer' | 'model') =>
  [...Map.groupBy(example, (row) => row[name])]
    .sort()
    .map(([value, rows]): [unknown, bigint] => [value, rows.reduce((sum, { amount }) => sum + amount, 0n)]);
const shared = (rows: readonly Json[], field: string) =>
  rows.map((row): [unknown, bigint] => [row[field], picos(Number(row.shared_cost))]);

test('D31.2: the documented example: one GPU, two models, three customers; in margin and plans too', async () => {
  const project = await farthing.createProject();
  expect(example).toHaveLength(4);
  await project.post(
    ...example.map(({ customer, model, tokens }) =>
      tokenEvent({ model, prompt_tokens: tokens - 100, completion_tokens: 100, tags: { customer } }),
    ),
  );
  await share(project, gpu);
  await addRevenue(project, { external_id: 'r', customer: 'acme', amount: 12, date_from: day });
  const byCustomer = await ask(project, 'costs', { group_by: 'customer' });
  expect(shared(byCustomer, 'customer')).toEqual(sumBy('customer'));
  expect(byCustomer.map(({ cost, shared_cost }) => cost === shared_cost)).toEqual([true, true, true]);
  expect(shared(await ask(project, 'usage', { group_by: 'model' }), 'model')).toEqual(sumBy('model'));
  const margin = await ask(project, 'margin', { group_by: 'customer' });
  expect(shared(margin, 'customer')).toEqual(sumBy('customer'));
  expect(margin[0]).toMatchObject({ revenue: 12, margin: 7.714285714286 });
  const [plan] = await ask(project, 'plans');
  expect(plan).toMatchObject({ cost: 10, shared_cost: 10, cost_per_customer: { most: 4.285714285714 }, below_zero: 2 });
});

test('D31.1: a day without calls in scope stays unallocated, in a row of its own', async () => {
  const project = await farthing.createProject();
  await project.post(tokenEvent({ prompt_tokens: 5, tags: { customer: 'acme', feature: 'chat' } }));
  await share(project, { ...gpu, date_to: '2024-05-16', scope: { models: ['other'] } });
  const two = { date_to: '2024-05-16', aggregate: 'day' };
  for (const group_by of ['customer', 'feature', 'tag:team', 'customer_tag:plan']) {
    const rows = await ask(project, 'costs', { ...two, group_by });
    const field = group_by.includes('tag') ? 'tag' : group_by;
    expect(rows.filter((row) => row.shared_cost !== 0)).toMatchObject([
      { date_from: day, [field]: '', cost: 5, shared_cost: 5 },
      { date_from: '2024-05-16', [field]: '', cost: 5, shared_cost: 5 },
    ]);
  }
  expect(await ask(project, 'costs', { ...two, customers: ['acme'] })).toMatchObject([
    { cost: 0, shared_cost: 0 },
    { cost: 0, shared_cost: 0 },
  ]);
  const route = '/api/shared-cost-allocation/';
  const allocation = async (query: string) =>
    expectStatus(await onceCaughtUp(() => project.api('GET', `${route}?${query}`)), 200);
  const entry = { external_id: 'gpu', name: 'GPU', amount: 10, unallocated: 10, unallocated_days: 2 };
  const range = 'date_from=2024-05-01&date_to=2024-05-31';
  expect(await allocation(range)).toEqual({ shared_costs: [entry] });
  const rest = { external_id: 'all', name: 'All', amount: 9, date_from: '2024-05-14', date_to: '2024-05-16' };
  await share(project, { ...rest, allocate_by: 'elapsed' });
  expect(await allocation(range)).toEqual({
    shared_costs: [{ ...{ external_id: 'all', name: 'All', amount: 9 }, unallocated: 6, unallocated_days: 2 }, entry],
  });
  expect(await allocation(`date_from=${day}&date_to=${day}`)).toMatchObject({
    shared_costs: [
      { amount: 3, unallocated: 0 },
      { amount: 5, unallocated: 5 },
    ],
  });
  expect(await allocation('date_from=2024-05-17&date_to=2024-05-31')).toEqual({ shared_costs: [] });
  expectProblem(await project.api('GET', `${route}?date_from=2024-05-02&date_to=2024-05-01`), 400, 'invalid_query');
  expectStatus(await project.api('DELETE', '/api/shared-costs/all/'), 204);
  // Where no call has any of the weight, each call shares alike.
  await project.post(tokenEvent({ prompt_tokens: 9, tags: { customer: 'beta' } }));
  await share(project, { ...gpu, allocate_by: 'output_tokens' });
  const alike = await ask(project, 'costs', { group_by: 'customer' });
  expect(shared(alike, 'customer')).toEqual([
    ['acme', picos(5)],
    ['beta', picos(5)],
  ]);
});

test('D31.1: a scope of many tags is that of the calls that carry all of them, and as large as may be it is answered', async () => {
  const project = await farthing.createProject();
  const tags: Record<string, string> = {
    customer: 'acme',
    ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`key ${at}`, `value ${at}`])),
  };
  const { 'key 19': _, ...less } = tags;
  await project.post(
    tokenEvent({ prompt_tokens: 5, tags: { ...tags, side: 'all' } }),
    tokenEvent({ prompt_tokens: 5, tags: { ...less, side: 'less' } }),
    tokenEvent({ prompt_tokens: 5, tags: { ...tags, 'key 3': 'other', side: 'other' } }),
  );
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_unused, at) => [`key ${at}`, `value ${at}`]));
  await share(
    project,
    { ...gpu, scope: { tags } },
    { ...gpu, external_id: 'two', amount: 8, scope: { tags: { ...tags, 'key 3': ['value 3', 'other'] } } },
    { ...gpu, external_id: 'many', amount: 3, scope: { tags: many } },
  );
  expect(shared(await ask(project, 'costs', { group_by: 'tag:side' }), 'tag')).toEqual([
    ['', picos(3)],
    ['all', picos(14)],
    ['less', picos(0)],
    ['other', picos(4)],
  ]);
});

test('D31.2: credits do not touch it, cursors are bound to it, and files have its column', async () => {
  const project = await farthing.createProject();
  const call = { provider: 'p', tags: { customer: 'acme' }, cost: 4 };
  await project.post(tokenEvent(call), tokenEvent({ ...call, tags: { customer: 'beta' } }));
  const grant = { provider: 'p', amount: 100, starts_on: '2024-01-01' };
  expectStatus(await project.api('POST', '/api/credit-grants/', grant), 201);
  await share(project, { ...gpu, allocate_by: 'cost' });
  const net = await ask(project, 'costs', { group_by: 'customer', apply_credits: true });
  expect(net).toMatchObject([
    { cost: 5, shared_cost: 5, max_feature_run_cost: 0 },
    { cost: 5, shared_cost: 5 },
  ]);
  const body = { ...days, aggregate: 'all', group_by: 'customer', limit: 1 };
  const first = z
    .object({ next_cursor: z.string() })
    .parse(expectStatus(await project.postCosts({ ...body, include_shared: true }), 200));
  expectProblem(await project.postCosts({ ...body, cursor: first.next_cursor }), 400, 'invalid_cursor');
  const csv = (fields: Json) => project.api('POST', '/api/costs/?format=csv', { ...days, aggregate: 'all', ...fields });
  expect((await csv({ include_shared: true })).text.split(/\r?\n/)[1]).toBe('2024-05-15,2024-05-15,18,10,0,0');
  expect((await csv({})).text).not.toContain('shared_cost');
});

test('D31.2, D24.2: FOCUS has a charge of its own for each shared cost and day, by its rules, in pages of any size', async () => {
  const project = await farthing.createProject();
  await project.post(tokenEvent({ provider: 'p', cost: 4 }), tokenEvent({ model: '', cost: 1 }));
  const two = { ...gpu, amount: 7, date_from: '2024-05-14', date_to: '2024-05-15', scope: { providers: ['p'] } };
  await share(
    project,
    two,
    { ...gpu, external_id: 'seats', name: 'Seats', amount: -1 },
    { ...gpu, external_id: 'off', amount: 0 },
  );
  const focus = (limit: number, fields: Json = {}) =>
    rowsOf(
      project,
      {
        method: 'GET',
        path: '/api/exports/focus/',
        fields: { date_from: '2024-05-01', date_to: '2024-05-31', ...fields },
      },
      limit,
    );
  expect((await focus(100)).map(({ ServiceName }) => ServiceName)).toEqual(['Unspecified', 'p']);
  const included = { include_shared: 'true' };
  const rows = await focus(100, included);
  const fieldsOf = (row: Json) => [
    row.ChargeCategory,
    row.PricingUnit,
    row.ConsumedUnit,
    row.ServiceName,
    row.BilledCost,
  ];
  expect(rows.map(fieldsOf)).toEqual([
    ['Usage', 'Days', 'Days', 'GPU', 3.5],
    ['Usage', 'Days', 'Days', 'GPU', 3.5],
    ['Usage', 'Days', 'Days', 'Seats', -1],
    ['Usage', 'Tokens', 'Tokens', 'Unspecified', 1],
    ['Usage', 'Tokens', 'Tokens', 'p', 4],
  ]);
  expect(rows.flatMap(findFocusFaults)).toEqual([]);
  expect((await focus(100, { ...included, version: '1.2' })).flatMap(findFaultsOf12)).toEqual([]);
  for (const limit of [1, 2]) expect(await focus(limit, included)).toEqual(rows);
  const query = 'date_from=2024-05-01&include_shared=maybe';
  expectProblem(await project.api('GET', `/api/exports/focus/?${query}`), 400, 'invalid_query');
});

test('D31.2, D19.1: a close pins it: as of it, nothing changes by what is shared, replaced or deleted later', async () => {
  const project = await farthing.createProject();
  await project.post(
    tokenEvent({ provider: 'p', cost: 4, prompt_tokens: 7, tags: { customer: 'acme' } }),
    tokenEvent({ provider: 'q', cost: 1, prompt_tokens: 5, tags: { customer: 'beta', feature: 'chat' } }),
  );
  await share(project, gpu, {
    ...gpu,
    external_id: 'seats',
    allocate_by: 'calls',
    scope: { tags: { feature: 'chat' } },
  });
  const { id } = await closeDays(project, day);
  const answers = (as_of?: string) =>
    Promise.all(
      ['costs', 'usage', 'margin', 'plans'].map(
        async (route) =>
          (
            await onceCaughtUp(() =>
              project.api('POST', `/api/${route}/`, {
                ...{ ...days, aggregate: 'all', include_shared: true, as_of },
                ...(route !== 'plans' && { group_by: 'customer' }),
              }),
            )
          ).text,
      ),
    );
  const closed = await answers(id);
  expect(closed).toEqual(await answers());
  await share(project, { ...gpu, amount: 3 }, { ...gpu, external_id: 'new', amount: 8, allocate_by: 'cost' });
  expectStatus(await project.api('DELETE', '/api/shared-costs/seats/'), 204);
  await project.post(tokenEvent({ provider: 'p', cost: 9, prompt_tokens: 100, tags: { customer: 'late' } }));
  expect(await answers(id)).toEqual(closed);
  expect(shared(await ask(project, 'costs'), 'date_from')).toEqual([[day, picos(11)]]);

  // What has changed is by customer as answers are, whatever the reason, and adds up to the entries.
  const byCustomer = async (as_of?: string) =>
    new Map(shared(await ask(project, 'costs', { group_by: 'customer', as_of }), 'customer'));
  const [then, now] = [await byCustomer(id), await byCustomer()];
  const drift = async (fields: Json = {}) =>
    z
      .object({ rows: z.array(z.looseObject({})), totals: z.looseObject({}) })
      .parse(expectStatus(await project.api('POST', `/api/closes/${id}/drift/`, fields), 200));
  const { rows, totals } = await drift({ include_shared: true });
  expect(
    rows.flatMap((row) => (row.cause === 'shared_costs' ? [[row.customer, picos(Number(row.shared_cost))]] : [])),
  ).toEqual(['acme', 'beta', 'late'].map((name) => [name, (now.get(name) ?? 0n) - (then.get(name) ?? 0n)]));
  expect(totals).toEqual({ cost: 9, revenue: 0, credits: 0, shared_cost: -9 });
  expect((await drift({ include_shared: true, group_by: 'cause' })).rows).toEqual([
    { cause: 'late_events', cost: 9 },
    { cause: 'shared_costs', shared_cost: -9 },
  ]);
  expect(await drift()).toMatchObject({
    rows: [{ cause: 'late_events' }],
    totals: { cost: 9, revenue: 0, credits: 0 },
  });
  const route = `/api/shared-cost-allocation/?date_from=${day}`;
  expect(expectStatus(await project.api('GET', `${route}&as_of=${id}`), 200)).toMatchObject({
    shared_costs: [
      { external_id: 'gpu', amount: 10 },
      { external_id: 'seats', unallocated: 0 },
    ],
  });
  expect(expectStatus(await project.api('GET', `${route}&date_to=${day}`), 200)).toMatchObject({
    shared_costs: [{ external_id: 'gpu', amount: 3 }, { external_id: 'new' }],
  });
  const late = `as_of=${id}&date_to=2024-05-16`;
  for (const query of [`${route}&as_of=cls_none`, `${route}&${late}`, `/api/exports/focus/?date_from=${day}&${late}`]) {
    expectProblem(await project.api('GET', query), 400, 'invalid_query');
  }
});
