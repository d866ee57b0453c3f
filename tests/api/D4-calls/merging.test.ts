import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { costEvent, type Json, type Project, sharedFarthing, tokenEvent } from '../../support/client.ts';
import { longTest } from '../../support/long-test.ts';

const farthing = sharedFarthing();

/** Posts each event in a request of its own, so that the order of receipt is certain. */
async function postInOrder(project: Project, events: readonly Json[]): Promise<void> {
  for (const event of events) await project.post(event);
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) =>
    permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
  );
}

/** Orders rows by their customers. */
const byCustomer = (a: { customer?: string | undefined }, b: { customer?: string | undefined }): number =>
  (a.customer ?? '') < (b.customer ?? '') ? -1 : 1;

test('the example of the specification costs exactly 0.0019, in any order and with any repetitions', async () => {
  const example = (customer: string) => {
    const event_id = randomUUID();
    const before = {
      event_id,
      event_type: 'openai.chat.before',
      model: 'gpt-4o-2024-08-06',
      provider: 'openai',
      tags: { customer, feature: 'support-chat' },
    };
    const after = {
      event_id,
      event_type: 'openai.chat.after',
      elapsed_ms: 840,
      prompt_tokens: 412,
      completion_tokens: 87,
    };
    return { before, after };
  };
  const range = { date_from: '2026-01-01', aggregate: 'all' };
  const orders = [
    ['before', 'after'],
    ['after', 'before'],
    ['before', 'after', 'before', 'after'],
    ['after', 'after', 'before'],
    ['before', 'before', 'after', 'after', 'before'],
  ] as const;
  const project = await farthing.createProject();
  // The calls of each order have a customer of their own.
  await Promise.all(
    orders.map(async (order) => {
      const events = example(order.join(', '));
      await postInOrder(
        project,
        order.map((name) => events[name]),
      );
    }),
  );
  const costs = { cost: 0.0019, avg_feature_run_cost: 0.0019, max_feature_run_cost: 0.0019 };
  const { rows } = await project.costs({ ...range, group_by: 'customer' });
  expect(rows.map(({ date_from, date_to, ...row }) => row).toSorted(byCustomer)).toEqual(
    orders.map((order) => ({ customer: order.join(', '), ...costs })).toSorted(byCustomer),
  );
  const together = { ...costs, cost: 0.0095 };
  expect(await project.costs({ ...range, group_by: 'model' })).toMatchObject({
    rows: [{ model: 'gpt-4o-2024-08-06', ...together }],
  });
  expect(await project.costs({ ...range, group_by: 'provider' })).toMatchObject({
    rows: [{ provider: 'openai', ...together }],
  });
});

test('D4.1: a call exists only once its outcome is stored', async () => {
  const project = await farthing.createProject();
  const event_id = randomUUID();
  await project.post(costEvent({ event_id, event_type: 'x.before', cost: 3, tags: { customer: 'acme' } }));
  expect(await project.costBy('customer')).toEqual({});
  await project.post(tokenEvent({ event_id, event_type: 'x.error' }));
  expect(await project.costBy('customer')).toEqual({ acme: 3 });
});

longTest('D4.1: an outcome without .before makes the call alone', async () => {
  const project = await farthing.createProject();
  await project.post(costEvent({ cost: 3, tags: { customer: 'acme' } }));
  expect(await project.costBy('customer')).toEqual({ acme: 3 });
});

test('D4.1: after wins over error, and error over before, in any order of receipt', async () => {
  const timestamp = '2024-05-15T12:00:00Z';
  const phasesOf = (customer: string) => [
    { event_type: 'x.before', model: 'of before', provider: 'of before', tags: { customer }, cost: 1 },
    { event_type: 'x.error', model: 'of error', provider: 'of error', timestamp, cost: 2 },
    { event_type: 'x.after', model: 'of after', timestamp, cost: 4 },
  ];
  const project = await farthing.createProject();
  const orders = permutations([0, 1, 2]);
  await Promise.all(
    orders.map(async (order) => {
      const event_id = randomUUID();
      const phases = phasesOf(order.join(' '));
      await postInOrder(
        project,
        order.map((place) => ({ event_id, ...phases[place] })),
      );
    }),
  );
  expect(await project.costBy('model')).toEqual({ 'of after': 4 * orders.length });
  expect(await project.costBy('provider')).toEqual({ 'of error': 4 * orders.length });
  expect(await project.costBy('customer')).toEqual(Object.fromEntries(orders.map((order) => [order.join(' '), 4])));
});

test('D4.1: of two events of one phase the later received wins, per field', async () => {
  const project = await farthing.createProject();
  const event_id = randomUUID();
  await postInOrder(project, [
    costEvent({ event_id, cost: 1, model: 'first', provider: 'first', tags: { customer: 'first', env: 'first' } }),
    costEvent({ event_id, cost: 2, model: 'second', tags: { customer: 'second' } }),
  ]);
  expect(await project.costBy('model')).toEqual({ second: 2 });
  expect(await project.costBy('provider')).toEqual({ first: 2 });
  expect(await project.costBy('customer')).toEqual({ second: 2 });
  expect(await project.totalCost({ run_tags: { env: 'first' } })).toBe(2);
});

test('D4.1: within one batch the later element is the later received', async () => {
  const project = await farthing.createProject();
  const event_id = randomUUID();
  await project.post(
    costEvent({ event_id, cost: 1, model: 'first' }),
    costEvent({ event_id, cost: 2, model: 'second' }),
    costEvent({ event_id, cost: 4, model: 'third' }),
  );
  expect(await project.costBy('model')).toEqual({ third: 4 });
});

test('D4.1: tags merge per key', async () => {
  const project = await farthing.createProject();
  const event_id = randomUUID();
  await postInOrder(project, [
    costEvent({ event_id, cost: 1, tags: { customer: 'acme', a: 'after' } }),
    { event_id, event_type: 'x.before', tags: { customer: 'other', a: 'before', b: 'before' } },
  ]);
  expect(await project.costBy('customer')).toEqual({ acme: 1 });
  expect(await project.totalCost({ run_tags: { a: 'after', b: 'before' } })).toBe(1);
  expect(await project.totalCost({ run_tags: { a: 'before' } })).toBe(0);
});

test('D4.4: the customer is resolved from the merged tags, so a tag of .before can name it', async () => {
  const project = await farthing.createProject();
  const event_id = randomUUID();
  await postInOrder(project, [
    { event_id, event_type: 'x.before', tags: { customer: 'by customer' } },
    costEvent({ event_id, cost: 1, customer: 'top level', tags: { customer_id: 'by id' } }),
  ]);
  expect(await project.costBy('customer')).toEqual({ 'by customer': 1 });
});

longTest('D4.2: a late repetition never removes known fields of a call', async () => {
  const project = await farthing.createProject();
  const event_id = randomUUID();
  await postInOrder(project, [
    costEvent({ event_id, cost: 1, model: 'm1', provider: 'p1', tags: { customer: 'acme', feature: 'chat' } }),
    tokenEvent({ event_id, model: undefined }),
    { event_id, event_type: 'x.after', timestamp: '2024-06-01T00:00:00Z' },
  ]);
  for (const [dimension, value] of [
    ['customer', 'acme'],
    ['feature', 'chat'],
    ['model', 'm1'],
    ['provider', 'p1'],
  ] as const) {
    expect(await project.costBy(dimension)).toEqual({ [value]: 1 });
  }
});

longTest('D4.2: an answer between two events of a call changes no later answer', async () => {
  const project = await farthing.createProject();
  const event_id = randomUUID();
  await project.post({ event_id, event_type: 'x.before', tags: { customer: 'acme' }, model: 'm1' });
  expect(await project.totalCost()).toBe(0);
  await project.post(costEvent({ event_id, cost: 1 }));
  expect(await project.totalCost()).toBe(1);
  await project.post({ event_id, event_type: 'x.before', tags: { customer: 'acme', feature: 'late' } });
  expect(await project.totalCost()).toBe(1);
  await project.post(costEvent({ event_id, cost: 5 }));
  expect(await project.costBy('feature')).toEqual({ late: 5 });
  expect(await project.costBy('customer')).toEqual({ acme: 5 });
});

test('D4.2: one event id is one call in a project and two calls in two projects', async () => {
  const [one, two] = await Promise.all([farthing.createProject(), farthing.createProject()]);
  const event_id = randomUUID();
  await one.post(costEvent({ event_id, cost: 1 }));
  await two.post(costEvent({ event_id, cost: 2 }));
  await one.post(costEvent({ event_id, cost: 4 }));
  expect([await one.totalCost(), await two.totalCost()]).toEqual([4, 2]);
});

test('D4.3: the first-received outcome gives the call its time', async () => {
  const project = await farthing.createProject();
  const event_id = randomUUID();
  await postInOrder(project, [
    { event_id, event_type: 'x.before', timestamp: '2024-05-01T12:00:00Z' },
    costEvent({ event_id, event_type: 'x.error', cost: 1, timestamp: '2024-05-03T12:00:00Z' }),
    costEvent({ event_id, event_type: 'x.after', cost: 2, timestamp: '2024-05-02T12:00:00Z' }),
    costEvent({ event_id, event_type: 'x.after', cost: 4, timestamp: '2024-05-04T12:00:00Z' }),
  ]);
  const { rows } = await project.costs({ date_from: '2024-05-01', date_to: '2024-05-05' });
  expect(rows.map((row) => row.cost)).toEqual([0, 0, 4, 0, 0]);
});

longTest('D4.3: the first outcome gives the time even if its repetitions are in the same batch', async () => {
  const project = await farthing.createProject();
  const event_id = randomUUID();
  await project.post(
    costEvent({ event_id, cost: 1, timestamp: '2024-05-04T12:00:00Z' }),
    costEvent({ event_id, cost: 2, timestamp: '2024-05-02T12:00:00Z' }),
  );
  const { rows } = await project.costs({ date_from: '2024-05-01', date_to: '2024-05-05' });
  expect(rows.map((row) => row.cost)).toEqual([0, 0, 0, 2, 0]);
});

test('D4.6: a failed call costs what its reported usage costs, and nothing if none is reported', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 2 });
  await project.post(
    tokenEvent({ event_type: 'x.error', error_type: 'timeout', tags: { customer: 'no usage' } }),
    tokenEvent({ event_type: 'x.error', prompt_tokens: 1_000_000, tags: { customer: 'usage' } }),
    tokenEvent({ error_type: 'refused', completion_tokens: 1_000_000, tags: { customer: 'failed after' } }),
  );
  expect(await project.costBy('customer')).toEqual({ 'no usage': 0, usage: 1, 'failed after': 2 });
});

test('D3.10: all usage comes from the winning event', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 2 });
  const event_id = randomUUID();
  await postInOrder(project, [
    tokenEvent({ event_id, prompt_tokens: 1_000_000, completion_tokens: 1_000_000 }),
    tokenEvent({ event_id, prompt_tokens: 3_000_000 }),
    tokenEvent({ event_id, event_type: 'x.error', completion_tokens: 50_000_000 }),
    tokenEvent({ event_id, event_type: 'x.before', completion_tokens: 50_000_000 }),
    tokenEvent({ event_id }),
  ]);
  expect(await project.totalCost()).toBe(3);
});

test('D3.11: a reported cost wins over the price, in any event of the call', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 2 });
  const event_id = randomUUID();
  await postInOrder(project, [
    tokenEvent({ event_id, event_type: 'x.before', cost: 0.25 }),
    tokenEvent({ event_id, prompt_tokens: 1_000_000 }),
  ]);
  expect(await project.totalCost()).toBe(0.25);
});

test('D3.11: with an unusable cost the price applies', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', input_per_mtok: 1, output_per_mtok: 2 });
  const costs = [-1, 100_000.01, '5', null, true, [1]];
  await project.post(...costs.map((cost) => tokenEvent({ cost, prompt_tokens: 1_000_000 })));
  expect(await project.totalCost()).toBe(costs.length);
});

longTest('D4.1: the events of many calls, shuffled over many requests, form their calls', async () => {
  const project = await farthing.createProject();
  const calls = Array.from({ length: 300 }, (_, index) => ({ event_id: randomUUID(), customer: `c${index % 7}` }));
  const events = calls.flatMap(({ event_id, customer }) => [
    { event_id, event_type: 'x.before', tags: { customer } },
    costEvent({ event_id, cost: 0.5 }),
    { event_id, event_type: 'x.before', tags: { feature: 'f' } },
  ]);
  const shuffled = events
    .map((event) => ({ event, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ event }) => event);
  await Promise.all(
    Array.from({ length: 9 }, (_, index) => project.post(...shuffled.slice(index * 100, (index + 1) * 100))),
  );
  expect(await project.costBy('feature')).toEqual({ f: 150 });
  expect(await project.costBy('customer')).toEqual({
    c0: 21.5,
    c1: 21.5,
    c2: 21.5,
    c3: 21.5,
    c4: 21.5,
    c5: 21.5,
    c6: 21,
  });
});
