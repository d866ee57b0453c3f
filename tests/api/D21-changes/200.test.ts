import { expect, test } from 'vitest';
import { costEvent, type Json, type Project, sharedFarthing, tokenEvent } from '../../support/client.ts';
import { someOf } from '../../support/effort.ts';
import { askChanges, type Cause, dimensions } from './support.ts';

const farthing = sharedFarthing();

/** 15 days, and the 15 days before. */
const range = { date_from: '2024-05-16', date_to: '2024-05-30' };
const before = { date_from: '2024-05-01', date_to: '2024-05-15' };

const callsOn = (day: string, count: number, { customer, feature = 'chat', ...fields }: Json): Json[] =>
  Array.from({ length: count }, (_, index) =>
    tokenEvent({
      timestamp: `2024-05-${day}T${String(index % 24).padStart(2, '0')}:00:00Z`,
      prompt_tokens: 10_000,
      completion_tokens: 1_000,
      ...fields,
      tags: { ...(customer !== undefined && { customer }), feature },
    }),
  );

/** A change of one thing for each customer, with the cause that it must be found in. */
const onPurpose: readonly { customer: string; cause: Cause; before: Json[][]; now: Json[][] }[] = [
  { customer: 'more', cause: 'calls', before: [callsOn('03', 4, {})], now: [callsOn('20', 8, {})] },
  {
    customer: 'longer',
    cause: 'tokens_per_call',
    before: [callsOn('03', 4, {})],
    now: [callsOn('20', 4, { prompt_tokens: 13_000 })],
  },
  {
    customer: 'cheaper model',
    cause: 'mix',
    before: [callsOn('04', 8, {})],
    now: [callsOn('21', 4, {}), callsOn('22', 4, { model: 'm2' })],
  },
  {
    customer: 'new price',
    cause: 'prices',
    before: [callsOn('05', 4, { model: 'm3' })],
    now: [callsOn('22', 4, { model: 'm3' })],
  },
  {
    customer: 'less cached',
    cause: 'cached_share',
    before: [callsOn('06', 4, { cached_tokens: 6_000 })],
    now: [callsOn('23', 4, { cached_tokens: 1_000 })],
  },
  {
    customer: 'failing',
    cause: 'failures',
    before: [callsOn('07', 8, {})],
    now: [
      callsOn('24', 6, {}),
      callsOn('24', 2, { event_type: 'llm.error', prompt_tokens: undefined, completion_tokens: undefined }),
    ],
  },
  {
    customer: 'new',
    cause: 'new_customers',
    before: [],
    now: [callsOn('25', 3, {}), callsOn('25', 2, { model: 'm2' })],
  },
  { customer: 'vanished', cause: 'vanished_customers', before: [callsOn('08', 5, {})], now: [] },
];

const ofCustomer = (customer: string, lists: readonly Json[][]): Json[] =>
  lists.flat().map((event) => ({ ...event, tags: { ...Object(event.tags), customer } }));

const rates = { input_per_mtok: 10, output_per_mtok: 30, cache_read_per_mtok: 1 };

async function addPrices(project: Project): Promise<void> {
  await project.addPrice({ model: 'm1', ...rates });
  await project.addPrice({ model: 'm2', input_per_mtok: 1, output_per_mtok: 3 });
  await project.addPrice({ model: 'm3', ...rates, effective_to: '2024-05-15' });
  await project.addPrice({ model: 'm3', ...rates, output_per_mtok: 45, effective_from: '2024-05-16' });
}

async function costsOf(project: Project, body: Json): Promise<number> {
  const { rows } = await project.costs({ aggregate: 'all', ...body });
  return rows[0]?.cost ?? Number.NaN;
}

test('D21: a change of one thing is found in its part, to within a hundredth, and in no other', async () => {
  const project = await farthing.createProject();
  await addPrices(project);
  for (const { customer, before: then, now } of onPurpose)
    await project.post(...ofCustomer(customer, then), ...ofCustomer(customer, now));
  const answer = await askChanges(project, range);
  expect(answer).toMatchObject({ ...range, before_from: '2024-05-01', before_to: '2024-05-15' });
  expect(answer.cost).toBeCloseTo(await costsOf(project, range), 12);
  expect(answer.cost_before).toBeCloseTo(await costsOf(project, before), 12);

  const rows = new Map(answer.by_customer.rows.map((row) => [row.name, row]));
  expect([...rows.keys()].toSorted()).toEqual(onPurpose.map(({ customer }) => customer).toSorted());
  for (const { customer, cause } of onPurpose) {
    const row = rows.get(customer);
    expect(row?.difference, customer).not.toBe(0);
    for (const [name, part] of Object.entries(row?.parts ?? {})) {
      const expected = name === cause ? (row?.difference ?? 0) : 0;
      expect(Math.abs(part - expected), `${customer}: ${name}`).toBeLessThanOrEqual(
        Math.abs(0.01 * (row?.difference ?? 0)),
      );
    }
  }
  // Each cause has one customer, so it is the difference of that customer.
  for (const { customer, cause } of onPurpose) {
    expect(answer.parts[cause]).toBeCloseTo(rows.get(customer)?.difference ?? Number.NaN, 9);
    const listed = answer.by_customer.causes.find((one) => one.cause === cause);
    expect(listed?.rows.map(({ name }) => name)).toEqual([customer]);
  }
  // Half of the calls of "cheaper model" went from m1 to m2.
  const mix = answer.by_model.causes.find(({ cause }) => cause === 'mix');
  expect(mix?.rows.map(({ name, amount }) => [name, amount.toFixed(6)])).toEqual([
    ['m1', '-0.520000'],
    ['m2', '0.052000'],
  ]);
});

test('D21: features are split on their own: the calls of a new customer are more calls of its feature', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', ...rates });
  await project.post(
    ...callsOn('03', 2, { customer: 'acme' }),
    ...callsOn('20', 2, { customer: 'acme' }),
    ...callsOn('21', 2, { customer: 'globex' }),
    ...callsOn('21', 1, { customer: 'globex', feature: 'search' }),
  );
  const answer = await askChanges(project, range);
  expect(answer.parts).toMatchObject({ new_customers: answer.difference, calls: 0 });
  expect(answer.by_feature.rows.map(({ name, difference, parts }) => [name, difference, parts.calls])).toEqual([
    ['chat', 0.26, 0.26],
    ['search', 0.13, 0.13],
  ]);
});

test('D21: calls without a customer are nobody new', async () => {
  const project = await farthing.createProject();
  await project.addPrice({ model: 'm1', ...rates });
  await project.post(...callsOn('20', 2, {}));
  const { parts, difference } = await askChanges(project, range);
  expect(parts).toMatchObject({ calls: difference, new_customers: 0 });
  const { parts: backwards } = await askChanges(project, {
    ...before,
    before_from: range.date_from,
    before_to: range.date_to,
  });
  expect(backwards).toMatchObject({ calls: -difference, vanished_customers: 0 });
});

test('D21: without calls, all is 0', async () => {
  const project = await farthing.createProject();
  const answer = await askChanges(project, range);
  expect(answer).toMatchObject({ cost_before: 0, cost: 0, difference: 0 });
  for (const dimension of dimensions) expect(answer[`by_${dimension}`].rows).toEqual([]);
});

test('D21: lists have the largest first, and the rest as one sum', async () => {
  const project = await farthing.createProject();
  const spent = [5, 1, 4, 4, 2, 9];
  await project.post(
    ...spent.flatMap((cost, index) => [
      costEvent({ cost: 3, timestamp: '2024-05-02T10:00:00Z', tags: { customer: `c${index}` } }),
      costEvent({ cost, timestamp: '2024-05-18T10:00:00Z', tags: { customer: `c${index}` } }),
    ]),
  );
  const { by_customer: ranked, parts } = await askChanges(project, { ...range, limit: 3 });
  expect(ranked.rows.map(({ name, difference }) => [name, difference])).toEqual([
    ['c5', 6],
    ['c0', 2],
    ['c1', -2],
  ]);
  expect(ranked.others).toMatchObject({ count: 3, cost_before: 9, cost: 10, difference: 1 });
  // Events that say their cost, and no tokens, have a price by call.
  expect(parts).toMatchObject({ prices: 7 });
  const prices = ranked.causes[0];
  expect(prices).toMatchObject({ cause: 'prices', amount: 7, others: { count: 3, amount: 1 } });
});

test('D6.6, D7, D21: both costs are those of the costs route, by every filter, gross and net', async () => {
  const project = await farthing.createProject();
  await addPrices(project);
  const events = Array.from({ length: 48 }, (_, index) => {
    const [customer] = callsOn(String(1 + (index % 30)).padStart(2, '0'), 1, {
      customer: `c${index % 5}`,
      feature: `f${index % 3}`,
      model: `m${1 + (index % 3)}`,
      provider: index % 2 === 0 ? 'openai' : 'anthropic',
      prompt_tokens: 1_000 + 37 * index,
      event_type: index % 9 === 0 ? 'llm.error' : 'llm.after',
    });
    return {
      ...customer,
      tags: { ...Object(customer?.tags), run_id: `run-${index % 7}`, ...(index % 7 === 2 && { plan: 'pro' }) },
    };
  });
  await project.post(...events);
  await project.tag({ customer_name: 'c1', tags: { tier: 'gold' } }, { customer_name: 'c2', tags: { tier: 'gold' } });
  const grant = { provider: 'openai', amount: 0.4, starts_on: '2024-05-03' };
  expect((await project.api('POST', '/api/credit-grants/', grant)).status).toBe(201);
  const questions: Json[] = [
    {},
    { apply_credits: true },
    { customers: ['c1', 'c3'], apply_credits: true },
    { features: ['f1'] },
    { models: ['m1', 'm2'] },
    { providers: ['openai'], apply_credits: true },
    { customers: ['c1', 'c2'], features: ['f0', 'f2'], apply_credits: true },
    { customer_tags: { tier: 'gold' } },
    { run_tags: { plan: 'pro' }, apply_credits: true },
  ];
  // In the usual form two with credits and one without.
  const [credited, others] = [
    questions.filter((one) => one.apply_credits),
    questions.filter((one) => !one.apply_credits),
  ];
  for (const [index, asked] of [...someOf(credited, 2), ...someOf(others, 1)].entries()) {
    const what = JSON.stringify(asked);
    const group_by = dimensions[index % 3] ?? 'customer';
    const [answer, cost, costBefore, { rows }] = await Promise.all([
      askChanges(project, { ...range, ...asked, limit: 1_000 }),
      costsOf(project, { ...range, ...asked }),
      costsOf(project, { ...before, ...asked }),
      project.costs({ ...range, ...asked, aggregate: 'all', group_by }),
    ]);
    expect(answer.cost, what).toBeCloseTo(cost, 12);
    expect(answer.cost_before, what).toBeCloseTo(costBefore, 12);
    const costs = new Map(rows.map((row) => [row[group_by], row.cost]));
    for (const row of answer[`by_${group_by}`].rows)
      expect(row.cost, `${what} ${row.name}`).toBeCloseTo(costs.get(row.name) ?? 0, 12);
  }
});
