import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { allCalls, explainCall, listCalls, readRun } from '../../support/calls.ts';
import { costEvent, sharedFarthing, tokenEvent } from '../../support/client.ts';
import { picos } from '../../support/decimal.ts';
import { someOf } from '../../support/effort.ts';
import { longTest } from '../../support/long-test.ts';

const farthing = sharedFarthing();
const may = { date_from: '2024-05-01', date_to: '2024-05-31' };
const noTokens = {
  input: 0,
  cache_read: 0,
  cache_write: 0,
  cache_write_1h: 0,
  input_audio: 0,
  cache_read_audio: 0,
  input_image: 0,
  cache_read_image: 0,
  input_video: 0,
  output: 0,
  reasoning: 0,
  output_audio: 0,
  output_image: 0,
  output_video: 0,
};

test('D2: a call is answered with all its fields', async () => {
  const project = await farthing.createProject({ timezone: 'Pacific/Auckland' });
  await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 2, cache_read_per_mtok: 0.5 });
  const id = randomUUID();
  await project.post(
    { event_id: id, event_type: 'llm.before', model: 'm1', provider: 'Acme', tags: { env: 'prod' } },
    {
      event_id: id,
      event_type: 'llm.error',
      timestamp: '2024-05-15T12:30:00.250Z',
      elapsed_ms: 12.5,
      prompt_tokens: 1000,
      cached_tokens: 400,
      completion_tokens: 20,
      tags: { customer: 'c', user: 'u', feature: 'f', run_id: 'r', __proto__x: '1' },
    },
  );
  expect(await allCalls(project, may)).toEqual([
    {
      event_id: id,
      ordinal: 0,
      day: '2024-05-16',
      time: '2024-05-15T12:30:00.250Z',
      customer: 'c',
      user: 'u',
      feature: 'f',
      run: 'r',
      model: 'm1',
      provider: 'Acme',
      tags: { env: 'prod', customer: 'c', user: 'u', feature: 'f', run_id: 'r', __proto__x: '1' },
      failed: true,
      aborted: false,
      elapsed_ms: 12.5,
      cost: 0.00084,
      cost_source: 'override',
      unpriced_reason: null,
      partly_priced: [],
      tokens: { ...noTokens, input: 600, cache_read: 400, output: 20 },
      units: {},
      terms: {},
    },
  ]);
});

test('D26.1: a call has its units and terms, as the list, the run and its explanation say', async () => {
  const project = await farthing.createProject();
  const event = tokenEvent({
    web_searches: 3,
    audio_seconds: 12.000001,
    prompt_tokens: 5,
    service_tier: 'Batch',
    usage: { inference_geo: 'us', speed: 'fast' },
    cost: 0.25,
    tags: { run: 'r' },
  });
  const plain = tokenEvent({ prompt_tokens: 5, cost: 1, tags: { run: 'r' } });
  await project.post(event, plain);
  const expected = {
    units: { audio_seconds: 12.000001, web_searches: 3 },
    terms: { service_tier: 'batch', geo: 'us', speed: 'fast' },
    partly_priced: [],
  };
  const none = { units: {}, terms: {}, partly_priced: [] };
  const byCost = ({ cost: a }: { cost: number }, { cost: b }: { cost: number }) => a - b;
  expect((await allCalls(project, may)).sort(byCost)).toMatchObject([expected, none]);
  expect((await readRun(project, 'r')).rows.sort(byCost)).toMatchObject([expected, none]);
  expect(await explainCall(project, String(event.event_id))).toMatchObject(expected);
});

test('D2, D6.6: the tags of a call are those sent, including tags that name its customer, user, feature or run', async () => {
  const project = await farthing.createProject();
  const sent = [
    { tags: { customer: 'c1', user: 'u1', feature: 'f1', run_id: 'r1' } },
    { customer: 'c1', user: 'u1', feature: 'f1', run_id: 'r2' },
    { tags: { customer_id: 'c1', user_id: 'u1', run: 'r3' } },
    { customer: 'c1', tags: { customer: 'c2', feature: '', plan: '' } },
  ];
  const events = sent.map((event, index) =>
    costEvent({ cost: 2 ** index, timestamp: '2024-05-01T12:00:00Z', ...event }),
  );
  await project.post(...events);
  const calls = await allCalls(project, may);
  const tagsOf = new Map(calls.map(({ event_id: id, tags }) => [id, tags]));
  expect(events.map(({ event_id: id }) => tagsOf.get(String(id)))).toEqual([
    { customer: 'c1', user: 'u1', feature: 'f1', run_id: 'r1' },
    {},
    { customer_id: 'c1', user_id: 'u1', run: 'r3' },
    { customer: 'c2', plan: '' },
  ]);
  const costOf = async (run_tags: Record<string, string | string[]>) =>
    await project.totalCost({ run_tags, date_from: '2024-05-01', date_to: '2024-05-31' });
  expect(await costOf({ customer: 'c1' })).toBe(1);
  expect(await costOf({ customer: ['c1', 'c2'] })).toBe(9);
  expect(await costOf({ customer: '' })).toBe(0);
  expect(await costOf({ user: 'u1', feature: 'f1' })).toBe(1);
  expect(await costOf({ run_id: ['r1', 'r2'] })).toBe(1);
  expect(await costOf({ run: 'r3', customer_id: 'c1' })).toBe(4);
  expect(await costOf({ plan: '' })).toBe(8);
});

test('D4.6, D5.4: a call without usage costs nothing, and an unpriced call says why', async () => {
  const project = await farthing.createProject();
  await project.post(
    { event_id: randomUUID(), event_type: 'a.error', timestamp: '2024-05-15T12:00:00Z' },
    tokenEvent({ timestamp: '2024-05-15T12:00:01Z', model: 'a model of nobody', prompt_tokens: 5 }),
    costEvent({ timestamp: '2024-05-15T12:00:02Z', cost: 0.25 }),
  );
  const calls = await allCalls(project, may);
  expect(calls.map(({ cost, cost_source, unpriced_reason }) => [cost, cost_source, unpriced_reason])).toEqual([
    [0, 'none', null],
    [0, 'unpriced', 'unknown_model'],
    [0.25, 'reported', null],
  ]);
  expect(calls[0]?.run).toBe(calls[0]?.event_id);
});

test('D2: calls are ordered by time, then id, in both directions, on pages of any size', async () => {
  const project = await farthing.createProject();
  const times = ['2024-05-03T10:00:00Z', '2024-05-03T10:00:00Z', '2024-05-01T23:59:59.999Z', '2024-05-20T00:00:00Z'];
  const count = 9;
  const events = Array.from({ length: count }, (_, index) =>
    costEvent({ cost: 1, timestamp: times[index % times.length] }),
  );
  await project.post(...events);
  const expected = events
    .map(({ event_id: id, timestamp }) => [new Date(String(timestamp)).toISOString(), String(id)])
    .sort(([t1 = '', a = ''], [t2 = '', b = '']) => (t1 === t2 ? (a < b ? -1 : 1) : t1 < t2 ? -1 : 1));
  const questions = [1, 4, 8, 9, 1000].flatMap((limit) => [
    { limit, order: 'oldest' },
    { limit, order: 'newest' },
  ]);
  for (const { limit, order } of someOf(questions, 3)) {
    const calls: string[][] = [];
    let cursor: string | null = null;
    do {
      const page = await listCalls(project, { ...may, limit, order, ...(cursor !== null && { cursor }) });
      calls.push(...page.rows.map(({ time, event_id }) => [time, event_id]));
      expect(page.rows).toHaveLength(Math.min(limit, count - calls.length + page.rows.length));
      expect([page.has_more, page.next_cursor !== null]).toEqual([calls.length < count, calls.length < count]);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(calls).toEqual(order === 'oldest' ? expected : expected.toReversed());
  }
  expect((await allCalls(project, may)).map(({ event_id }) => event_id)).toEqual(expected.map(([, id]) => id));
});

test('D2: calls are ordered by cost, tokens or duration, the largest first, on pages of any size', async () => {
  const project = await farthing.createProject();
  const events = [0.000001, 12, 3, 12, 0.5].map((cost, index) =>
    tokenEvent({
      cost,
      timestamp: `2024-05-0${index + 1}T10:00:00Z`,
      prompt_tokens: [7, 900_000_000, 7, 90, 1][index],
      completion_tokens: 3,
      // As much as an event may say, and one that says nothing.
      ...[{ elapsed_ms: 0.5 }, {}, { elapsed_ms: 0.501 }, { elapsed_ms: 0 }, { elapsed_ms: 1e300 }][index],
    }),
  );
  await project.post(...events);
  const inOrder = async (order: string, limit: number) => {
    const calls = await allCalls(project, { ...may, order, limit, apply_credits: true });
    return calls.map(({ event_id: id }) => events.findIndex((event) => event.event_id === id));
  };
  for (const limit of [1, 2, 1_000]) {
    expect(await inOrder('dearest', limit)).toEqual([3, 1, 2, 4, 0]);
    expect(await inOrder('most_tokens', limit)).toEqual([1, 3, 2, 0, 4]);
    expect(await inOrder('slowest', limit)).toEqual([4, 2, 0, 3, 1]);
  }
});

test('D2: a call far from the first day of a long range is found, and an empty range is an empty page', async () => {
  const project = await farthing.createProject();
  const event = costEvent({ cost: 1, timestamp: '2024-12-31T23:00:00Z' });
  await project.post(event);
  const years = { date_from: '2015-01-01', date_to: '2024-12-31' };
  expect((await allCalls(project, years)).map(({ event_id }) => event_id)).toEqual([event.event_id]);
  const first = costEvent({ cost: 1, timestamp: '2015-01-01T00:00:00Z' });
  await project.post(first);
  const backwards = await allCalls(project, { ...years, order: 'newest', limit: 1 });
  expect(backwards.map(({ event_id }) => event_id)).toEqual([event.event_id, first.event_id]);
  expect(await listCalls(project, may)).toEqual({ rows: [], next_cursor: null, has_more: false });
});

longTest('D2: the calls behind a row of costs add up to the row', async () => {
  const project = await farthing.createProject();
  const at = (day: string, customer: string, model: string, cost: number) =>
    costEvent({ cost, model, timestamp: `${day}T12:00:00Z`, tags: { customer } });
  await project.post(
    at('2024-05-01', 'a', 'x', 0.1),
    at('2024-05-01', 'a', 'y', 0.2),
    at('2024-05-01', 'b', 'x', 0.4),
    at('2024-05-02', 'a', 'x', 0.8),
    at('2024-05-02', '', 'x', 1.6),
  );
  for (const group_by of ['customer', 'model', undefined] as const) {
    const body = { date_from: '2024-05-01', date_to: '2024-05-03', models: ['x', 'y'] };
    const rows = await project.allCosts({ ...body, ...(group_by && { group_by }) });
    expect(rows.length).toBeGreaterThan(2);
    for (const { date_from, date_to, cost, ...row } of rows) {
      const value = group_by && { [group_by]: row[group_by] };
      const calls = await allCalls(project, { ...body, row: { date_from, date_to, ...value } });
      expect(calls.reduce((sum, call) => sum + picos(call.cost), 0n)).toBe(picos(cost));
      expect(calls.every(({ day }) => day >= date_from && day <= date_to)).toBe(true);
    }
  }
  const row = { date_from: '2024-05-02', date_to: '2024-05-02', customer: '', model: 'x' };
  expect((await allCalls(project, { ...may, row })).map(({ cost }) => cost)).toEqual([1.6]);
});

test('D6.6: run tags are judged over the dates of the body; the calls are then limited to the row', async () => {
  const project = await farthing.createProject();
  const at = (day: string, cost: number, tags: Record<string, string>) =>
    costEvent({ cost, timestamp: `${day}T12:00:00Z`, tags: { run: 'r', ...tags } });
  await project.post(at('2024-05-01', 1, { env: 'prod' }), at('2024-05-02', 2, {}), at('2024-05-09', 4, {}));
  const row = { date_from: '2024-05-02', date_to: '2024-05-02' };
  const costs = async (dates: object) =>
    (await allCalls(project, { ...dates, run_tags: { env: 'prod' }, row })).map(({ cost }) => cost);
  expect(await costs(may)).toEqual([2]);
  expect(await costs({ date_from: '2024-05-02', date_to: '2024-05-31' })).toEqual([]);
});

test('D6.6: filters select calls, customer tags among them', async () => {
  const project = await farthing.createProject();
  const event = (customer: string, feature: string) =>
    costEvent({ cost: 1, provider: 'p', tags: { customer, feature } });
  await project.post(event('a', 'f'), event('a', 'g'), event('b', 'f'), event('c', 'f'));
  await project.tag(...['a', 'b'].map((customer_name) => ({ customer_name, tags: { plan: 'pro' } })));
  const names = async (filters: object) =>
    (await allCalls(project, { ...may, ...filters })).map(({ customer, feature }) => customer + feature).sort();
  expect(await names({ customers: ['a', 'c'], features: ['f'] })).toEqual(['af', 'cf']);
  expect(await names({ customer_tags: { plan: ['pro'] } })).toEqual(['af', 'ag', 'bf']);
  expect(await names({ providers: ['nobody'] })).toEqual([]);
});

longTest('D7.3: net costs of the calls add up to the net cost of the row', async () => {
  const project = await farthing.createProject();
  const grant = { provider: 'P', models: ['x*'], amount: 3, starts_on: '2024-05-01' };
  expect((await project.api('POST', '/api/credit-grants/', grant)).status).toBe(201);
  const at = (day: string, model: string, cost: number) =>
    costEvent({ cost, model, provider: 'p', timestamp: `${day}T12:00:00Z` });
  await project.post(at('2024-05-01', 'x1', 2), at('2024-05-02', 'x2', 4), at('2024-05-02', 'y', 8));
  const calls = await allCalls(project, { ...may, apply_credits: true });
  expect(calls.map(({ model, cost, net_cost }) => [model, cost, net_cost]).sort()).toEqual([
    ['x1', 2, 0],
    ['x2', 4, 3],
    ['y', 8, 8],
  ]);
  const second = await listCalls(project, {
    ...may,
    apply_credits: true,
    row: { date_from: '2024-05-02', date_to: '2024-05-31' },
  });
  expect(second.rows.map(({ net_cost }) => net_cost).sort()).toEqual([3, 8]);
});

test('D4.7: the answer includes a call posted just before', async () => {
  const project = await farthing.createProject();
  const event = costEvent({ cost: 1 });
  await project.post(event);
  const answer = await project.api('POST', '/api/calls/', may);
  expect(answer.text).toContain(event.event_id);
  expect(Date.parse(answer.headers.get('farthing-as-of') ?? '')).toBeGreaterThan(Date.now() - 60_000);
});

test('D2: calls are found by their ids, on any day of the range, in pages', async () => {
  const project = await farthing.createProject();
  const times = ['2024-05-01T00:00:00Z', '2024-05-20T00:00:00Z', '2024-05-31T00:00:00Z'];
  const events = times.map((timestamp) => costEvent({ cost: 1, timestamp, event_id: randomUUID() }));
  await project.post(...events, costEvent({ cost: 1, timestamp: times[0] }));
  const ids = events.map(({ event_id: id }) => String(id));
  const idsOf = async (body: object) => (await listCalls(project, { ...may, ...body })).rows.map((row) => row.event_id);
  expect(await idsOf({ event_ids: [ids[2], ids[0]?.toUpperCase(), randomUUID()] })).toEqual([ids[0], ids[2]]);
  expect(await idsOf({ event_ids: ids, date_from: '2024-05-02' })).toEqual(ids.slice(1));
  const first = await listCalls(project, { ...may, event_ids: ids, limit: 2 });
  expect(first.has_more).toBe(true);
  expect(await idsOf({ event_ids: ids, limit: 2, cursor: first.next_cursor })).toEqual(ids.slice(2));
});
