import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { costEvent, expectStatus, type Json, type Project, sharedFarthing, tokenEvent } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';

const farthing = sharedFarthing();

const may = '?date_from=2024-05-01&date_to=2024-05-31';
const dayMs = 86_400_000;
const dayAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
/** Yesterday to tomorrow: includes the time of receipt even if midnight comes during the test. */
const received = () => `?date_from=${dayAgo(1)}&date_to=${dayAgo(-1)}`;

async function coverage(project: Project, query: string): Promise<Json> {
  return expectStatus(await project.api('GET', `/api/coverage/${query}`), 200) as Json;
}

test('D2: coverage has the share of priced calls and of attributed cost', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 2 });
  await project.post(
    costEvent({ cost: 0.1, tags: { customer: 'a', feature: 'f' } }),
    costEvent({ cost: 0.2, tags: { customer: 'a', user: 'u' } }),
    costEvent({ cost: 0.1 }),
    tokenEvent({ prompt_tokens: 100_000, tags: { user: 'u' } }),
    tokenEvent({ model: 'm1', prompt_tokens: 0, usage: null }),
    tokenEvent({ model: 'm1', event_type: 'a.error' }),
    tokenEvent({ model: 'm2', provider: 'p', prompt_tokens: 1 }),
    tokenEvent({ model: 'm2', provider: 'p', prompt_tokens: 1 }),
    tokenEvent({ model: 'm3', prompt_tokens: 1 }),
    costEvent({ cost: 100, timestamp: '2024-06-01T00:00:00Z' }),
    costEvent({ cost: 100, timestamp: '2024-04-30T23:59:59Z' }),
  );
  expect(await coverage(project, may)).toEqual({
    date_from: '2024-05-01',
    date_to: '2024-05-31',
    calls: 9,
    priced_calls: 5,
    priced_share: 5 / 9,
    unpriced_calls: 4,
    partly_priced_calls: 0,
    cost: 0.5,
    customer_attributed_cost: 0.3,
    customer_attributed_share: 0.6,
    feature_attributed_cost: 0.1,
    feature_attributed_share: 0.2,
    user_attributed_cost: 0.3,
    user_attributed_share: 0.6,
    unpriced: [
      { model: 'm2', provider: 'p', reason: expect.any(String), calls: 2 },
      { model: 'm1', provider: '', reason: 'usage_not_reported', calls: 1 },
      { model: 'm3', provider: '', reason: 'unknown_model', calls: 1 },
    ],
    partly_priced: [],
    further_prices: { calls: 0, cost: 0, lists: [], models: [] },
    joined_alike: { calls: 0, cost: 0, models: [] },
    possible_doubles: { calls: 0, cost: 0, models: [] },
    open_calls: 0,
    beyond_retention: 0,
    ignored: [],
    skipped_metric_values: [],
    unmapped_revenue: [],
    revenue_without_rate: [],
    overused_ids: [],
    set_aside_ids: [],
  });
});

test('D26.3: calls with units or terms without a price are counted once, and by name; they count as priced', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 2, provider: 'p' });
  const call = (fields: Json) => tokenEvent({ model: 'm1', provider: 'p', prompt_tokens: 100_000, ...fields });
  await project.post(
    call({ images: 1, pages: 2, tags: { customer: 'a' } }),
    call({ pages: 1 }),
    call({}),
    call({ images: 3, cost: 0.2 }),
    tokenEvent({ model: 'm2', provider: 'p', pages: 1 }),
    tokenEvent({ model: 'm2', provider: 'p', pages: 1, prompt_tokens: 1 }),
    call({ pages: 1, timestamp: '2024-06-01T00:00:00Z' }),
  );
  expect(await coverage(project, may)).toMatchObject({
    calls: 6,
    priced_calls: 4,
    unpriced_calls: 2,
    partly_priced_calls: 2,
    cost: 0.5,
    customer_attributed_cost: 0.1,
    partly_priced: [
      { name: 'pages', model: 'm1', provider: 'p', calls: 2 },
      { name: 'images', model: 'm1', provider: 'p', calls: 1 },
    ],
  });
});

test('D2: without calls all shares are 1', async () => {
  const project = await farthing.createProject();
  expect(await coverage(project, may)).toEqual({
    date_from: '2024-05-01',
    date_to: '2024-05-31',
    calls: 0,
    priced_calls: 0,
    priced_share: 1,
    unpriced_calls: 0,
    partly_priced_calls: 0,
    cost: 0,
    customer_attributed_cost: 0,
    customer_attributed_share: 1,
    feature_attributed_cost: 0,
    feature_attributed_share: 1,
    user_attributed_cost: 0,
    user_attributed_share: 1,
    unpriced: [],
    partly_priced: [],
    further_prices: { calls: 0, cost: 0, lists: [], models: [] },
    joined_alike: { calls: 0, cost: 0, models: [] },
    possible_doubles: { calls: 0, cost: 0, models: [] },
    open_calls: 0,
    beyond_retention: 0,
    ignored: [],
    skipped_metric_values: [],
    unmapped_revenue: [],
    revenue_without_rate: [],
    overused_ids: [],
    set_aside_ids: [],
  });
});

test('D2: the default range is the last 30 days in the timezone of the project', async () => {
  const project = await farthing.createProject({ timezone: 'Pacific/Kiritimati' });
  const today = () => new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10);
  const before = today();
  const { date_from: from, date_to: to } = await coverage(project, '');
  expect([before, today()]).toContain(to);
  expect((Date.parse(String(to)) - Date.parse(String(from))) / dayMs).toBe(29);
  expect(await coverage(project, '?date_to=2024-03-05')).toMatchObject({
    date_from: '2024-02-05',
    date_to: '2024-03-05',
  });
  expect(await coverage(project, '?date_to=2000-01-05')).toMatchObject({ date_from: '2000-01-01' });
});

test('D2: a call is open until its outcome arrives, on any day', async () => {
  const project = await farthing.createProject();
  const ids = Array.from({ length: 4 }, () => randomUUID());
  const event = (id: string | undefined, event_type: string) => ({ event_id: id, event_type });
  const open = async () => (await coverage(project, received())).open_calls;
  await project.post(...ids.map((id) => event(id, 'llm.before')), event(ids[0], 'llm.before'));
  await project.post(event(randomUUID(), 'step.done'), event(randomUUID(), 'llm.after'));
  expect(await open()).toBe(4);
  await project.post(event(ids[0], 'llm.after'));
  expect(await open()).toBe(3);
  await project.post({ ...event(ids[1], 'llm.error'), timestamp: '2020-01-01T00:00:00Z' });
  expect(await open()).toBe(2);
  await project.post(event(ids[2], 'custom.thing'));
  expect(await open()).toBe(2);
  // An outcome that arrives before its `.before`.
  const late = randomUUID();
  await project.post(event(late, 'llm.after'));
  await project.post(event(late, 'llm.before'));
  expect(await open()).toBe(2);
  expect((await coverage(project, `?date_from=${dayAgo(20)}&date_to=${dayAgo(10)}`)).open_calls).toBe(0);
});

test('D3.4: unusable values are counted by field, with the number of their events', async () => {
  const project = await farthing.createProject();
  await project.post(
    { event_id: randomUUID(), event_type: 'llm.after', cost: 'a lot', timestamp: 'yesterday', user: 5 },
    { event_id: randomUUID(), event_type: 'llm.after', cost: -1, usage: { input_tokens: 'many', output_tokens: 1 } },
    { event_id: randomUUID(), event_type: 'llm.after', prompt_tokens: 10, cached_tokens: 20 },
    { event_id: randomUUID(), event_type: 'a.custom.one', cost: {} },
    { event_id: randomUUID(), event_type: 'llm.after', usage: { input_tokens: 'many' } },
    { event_id: randomUUID(), event_type: 'llm.after', input_tokens: 'many' },
  );
  expect((await coverage(project, received())).ignored).toEqual([
    { field: 'cost', events: 3 },
    { field: 'usage', events: 3 },
    { field: 'prompt_tokens_excluding_cache', events: 1 },
    { field: 'timestamp', events: 1 },
    { field: 'user', events: 1 },
  ]);
  expect((await coverage(project, `?date_from=${dayAgo(20)}&date_to=${dayAgo(10)}`)).ignored).toEqual([]);
});

test('D9.1: values that a key metric can’t use are counted by its name, within the range', async () => {
  const project = await farthing.createProject({ type: 'internal' });
  const metric = async (name: string, aggregation: string, field: string) =>
    await project.keyMetric(name, { event_type: 'ticket.closed', aggregation, field });
  await metric('refunds', 'sum', '/refund');
  await metric('agents', 'unique', '/agent');
  await metric('minutes', 'sum', '/minutes');
  await project.keyMetric('tickets', { event_type: 'ticket.closed', aggregation: 'count' });
  const closed = (fields: Json, time = '2024-05-10T12:00:00Z') => ({
    event_id: randomUUID(),
    event_type: 'ticket.closed',
    timestamp: time,
    minutes: 3,
    ...fields,
  });
  await project.post(
    closed({ refund: 1.5, agent: 'ann' }),
    closed({ refund: '1.5', agent: 'bob' }),
    closed({ refund: 'none', agent: null }),
    closed({ refund: true, agent: 7 }),
    closed({ refund: 'x', agent: 'ann' }, '2024-06-01T00:00:00Z'),
    { ...closed({ refund: 'x' }), event_type: 'ticket.opened' },
  );
  expect((await coverage(project, may)).skipped_metric_values).toEqual([
    { key_metric: 'refunds', events: 3 },
    { key_metric: 'agents', events: 1 },
  ]);
  expect((await coverage(project, '?date_from=2024-04-01&date_to=2024-04-30')).skipped_metric_values).toEqual([]);
});

longTest('D5.4: of more than 1,000 unpriced models, those with the most calls are named', async () => {
  const project = await farthing.createProject();
  const models = Array.from({ length: 1_002 }, (_, index) => `x${String(index).padStart(4, '0')}`);
  await project.post(
    ...models.map((model) => tokenEvent({ model, prompt_tokens: 1 })),
    ...['x1001', 'x1001', 'x0500'].map((model) => tokenEvent({ model, prompt_tokens: 1 })),
  );
  const { unpriced, unpriced_calls } = await coverage(project, may);
  const named = unpriced as { model: string; calls: number }[];
  expect(unpriced_calls).toBe(1_005);
  expect(named).toHaveLength(1_000);
  expect(named.slice(0, 3)).toMatchObject([
    { model: 'x1001', calls: 3 },
    { model: 'x0500', calls: 2 },
    { model: 'x0000', calls: 1 },
  ]);
  expect(named.at(-1)).toMatchObject({ model: 'x0998', calls: 1 });
});

test('D1.1: coverage counts nothing of other projects', async () => {
  const [mine, other] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  await other.post(
    { event_id: randomUUID(), event_type: 'llm.before', cost: 'x' },
    tokenEvent({ model: 'x', prompt_tokens: 1 }),
  );
  expect(await coverage(mine, received())).toMatchObject({ calls: 0, open_calls: 0, ignored: [] });
  expect(await coverage(mine, may)).toMatchObject({ calls: 0, unpriced: [] });
});
