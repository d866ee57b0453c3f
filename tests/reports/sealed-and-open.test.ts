// Answers over sealed and open days. Each of the two is read by a statement of its own, and the rows are added up.
import { expect, test, vi } from 'vitest';
import { Progress } from '../../src/calls/assembly/progress.ts';
import { touchDays } from '../../src/calls/days.ts';
import { readGenerations } from '../../src/calls/generations.ts';
import { dollar } from '../../src/lib/money.ts';
import { PriceBooks } from '../../src/pricing/books/price-books.ts';
import { AnswerCache } from '../../src/reports/asking/answer-cache.ts';
import { CellCache } from '../../src/reports/asking/cell-cache.ts';
import { type Page, planPage } from '../../src/reports/asking/page.ts';
import { costsBody, parseCosts } from '../../src/reports/costs/parse.ts';
import { runCosts } from '../../src/reports/costs/run.ts';
import { runCoverage } from '../../src/reports/coverage/run.ts';
import { readNow } from '../../src/reports/facts/as-of.ts';
import { addGrant } from '../../src/reports/facts/grants.ts';
import { type ListQuestion, runList } from '../../src/reports/lists/run.ts';
import { marginBody, parseMargin } from '../../src/reports/margin/parse.ts';
import { runMargin } from '../../src/reports/margin/run.ts';
import { runUsage } from '../../src/reports/usage/run.ts';
import { Sealer } from '../../src/rollups/rollups/sealer.ts';
import type { Parameters } from '../../src/storage/analytic/row-reader.ts';
import type { Json } from '../assembly/model.ts';
import {
  assembleAll,
  at,
  base,
  deliver,
  hour,
  minute,
  newEventId,
  openWorldForEachTest,
  quietLogger,
  takeLease,
  type World,
  Writer,
} from '../assembly/world.ts';
import { someOf, usualOrLong } from '../support/effort.ts';

const day = 24 * hour;
let world: World;
let writer: Writer;
let answerCache: AnswerCache;
/** Gets the values of each statement that reads rows of answers. */
const read = vi.fn<(parameters: Parameters) => void>();

await openWorldForEachTest((opened) => {
  world = opened;
  writer = new Writer();
  world.clock.now = base + 2 * day + hour;
  answerCache = new AnswerCache({
    select: async (sql, parameters = {}) => {
      read(parameters);
      return await world.store.select(sql, parameters);
    },
  });
});

async function storeCalls(calls: readonly Json[]): Promise<void> {
  const receivedAt = world.clock.now;
  const events = calls.map((call) =>
    writer.receive(receivedAt, { event_id: newEventId(), event_type: 'x.after', ...call }),
  );
  await deliver(world, events);
  await assembleAll(world);
}

/** Seals all days but the last, which is not over. */
async function sealEndedDays(ended = ['2026-01-29', '2026-01-30']): Promise<void> {
  world.clock.now += 2 * minute;
  const { store, control, lease, touchedDays } = await takeLease(world);
  const sealer = new Sealer({
    ...{ store, control, lease, touchedDays, logger: quietLogger, clock: () => world.clock.now, quietMs: minute },
  });
  while (await sealer.step()) {
    // Until nothing is left.
  }
  await lease.release();
  const { seals, openDays } = await readGenerations(world.control, world.projectId);
  expect([[...seals.keys()].sort(), openDays]).toEqual([ended, ['2026-01-31']]);
}

async function openQuestions() {
  const { control, projects, projectId, clock, store } = world;
  const project = await projects.find(projectId);
  if (!project) throw new Error('there is no project');
  const progress = new Progress(() => clock.now);
  const cellCache = new CellCache(store);
  const sources = { store, answerCache, cellCache, control, clock: () => clock.now, progress };
  const priceBooks = new PriceBooks(control, () => clock.now);
  const range = { date_from: '2026-01-01', date_to: '2026-02-28' };
  return {
    costs: async (fields: Json) => {
      const body = costsBody.parse({ ...range, aggregate: 'all', ...fields });
      const question = parseCosts('costs', projectId, body);
      const plan = planPage(project, question, body, clock.now);
      return await runCosts(await readNow(control, project), question, plan, sources);
    },
    usage: async (fields: Json) => {
      const body = costsBody.parse({ ...range, aggregate: 'all', ...fields });
      const question = parseCosts('usage', projectId, body);
      const plan = planPage(project, question, body, clock.now);
      return await runUsage(await readNow(control, project), question, plan, sources);
    },
    margin: async (fields: Json) => {
      const body = marginBody.parse({ ...range, aggregate: 'all', ...fields });
      const question = parseMargin(projectId, body);
      const plan = planPage(project, question, body, clock.now);
      return await runMargin(await readNow(control, project), question, plan, sources);
    },
    coverage: async () =>
      await runCoverage(project, { dateFrom: '2026-01-01', dateTo: '2026-02-28' }, { ...sources, priceBooks }),
    list: async (fields: Partial<ListQuestion> = {}) => {
      const question = { dimension: 'customer', search: '', after: undefined, limit: 100, identity: [] } as const;
      return await runList(projectId, { ...question, ...fields }, sources);
    },
  };
}

/** Every customer has calls on another choice of the three days, in bits. */
const customers = Array.from({ length: 7 }, (_, index) => ({ name: `customer ${index + 1}`, days: index + 1 }));
const countOn = (days: number, on: number): number => (days & (1 << on) ? on + 2 : 0);
const timeOn = (on: number, count: number): number => base + on * day + count * minute;

/** The calls of all customers. Runs are over one day or several, and some have several customers. */
const calls = customers.flatMap(({ name, days }, number) =>
  [0, 1, 2].flatMap((on) =>
    Array.from(
      { length: countOn(days, on) },
      (_, count): Json => ({
        ...{ cost: 1 + number / 8 + on / 64 + count / 512, timestamp: at(timeOn(on, count)) },
        ...{ model: `m${(number + on + count) % 3}`, provider: 'p', elapsed_ms: 10 * number + on + count / 8 },
        ...{ prompt_tokens: 100 * number + on, completion_tokens: count, web_searches: on },
        ...(count === 1 && { error: 'rate_limit' }),
        tags: { customer: name, feature: `f${count % 2}`, run_id: count === 2 ? 'shared' : `of ${name} ${count}` },
      }),
    ),
  ),
);

const rowOf = ({ name, days }: (typeof customers)[number]) => {
  const times = [0, 1, 2].flatMap((on) => Array.from({ length: countOn(days, on) }, (_, count) => timeOn(on, count)));
  return {
    ...{ name, first_seen: at(Math.min(...times)), last_seen: at(Math.max(...times)) },
    ...{ calls: times.length, tags: {} },
  };
};

test('D2: names on sealed and open days have the calls of both, in pages of any size', async () => {
  await storeCalls(calls);
  await sealEndedDays();
  const { list } = await openQuestions();
  const expected = customers.map(rowOf);
  for (const limit of usualOrLong([2, 7], [1, 2, 3, 7])) {
    for (let start = 0; start < expected.length; start += limit) {
      const page = await list({ limit, after: expected[start - 1]?.name });
      expect(page.rows, `${limit} from ${start}`).toEqual(expected.slice(start, start + limit));
      expect(page.has_more).toBe(start + limit < expected.length);
    }
  }
  expect((await list({ search: 'MER 5' })).rows).toEqual(expected.filter(({ name }) => name === 'customer 5'));
});

test('D6: answers are the same whether days are sealed or not, and sealed days are read once although others are open', async () => {
  await storeCalls(calls);
  const { control, projectId } = world;
  // It covers the sealed days, and a part of the open one.
  const grant = { provider: 'p', models: null, startsOn: '2026-01-01', expiresOn: null, priority: 0, name: null };
  await addGrant({ control, clock: () => base }, projectId, { ...grant, amount: 40n * dollar });
  const { costs, usage, margin, list } = await openQuestions();
  const some = customers.slice(0, 5).map(({ name }) => name);
  const net = { apply_credits: true };
  const all = [
    { name: 'costs by customer', ask: () => costs({ group_by: 'customer' }) },
    { name: 'costs by customer, a page', ask: () => costs({ group_by: 'customer', limit: 3 }) },
    { name: 'costs by customer and month', ask: () => costs({ group_by: 'customer', aggregate: 'month' }) },
    { name: 'costs of customers by day', ask: () => costs({ customers: some, aggregate: 'day' }) },
    { name: 'costs of customers', ask: () => costs({ customers: some }) },
    { name: 'costs of customers by feature', ask: () => costs({ customers: some, group_by: 'feature' }) },
    { name: 'costs of two models', ask: () => costs({ models: ['m0', 'm1'] }) },
    { name: 'costs of two models by month', ask: () => costs({ models: ['m0', 'm1'], aggregate: 'month' }) },
    { name: 'costs of two models by feature', ask: () => costs({ models: ['m0', 'm1'], group_by: 'feature' }) },
    { name: 'net costs by customer', ask: () => costs({ group_by: 'customer', ...net }) },
    { name: 'net costs of customers by day', ask: () => costs({ customers: some, aggregate: 'day', ...net }) },
    { name: 'net costs of two models', ask: () => costs({ models: ['m0', 'm1'], ...net }) },
    { name: 'net margin by customer', ask: () => margin({ group_by: 'customer', ...net }) },
    { name: 'usage by customer', ask: () => usage({ group_by: 'customer' }) },
    { name: 'usage of customers by model', ask: () => usage({ customers: some, group_by: 'model' }) },
    { name: 'usage of customers', ask: () => usage({ customers: some }) },
    { name: 'margin by customer', ask: () => margin({ group_by: 'customer' }) },
    { name: 'margin of customers', ask: () => margin({ customers: some }) },
    { name: 'customers', ask: () => list() },
  ];
  const questions = someOf(all, 10);
  const askAll = async () => {
    const answers: Record<string, unknown> = {};
    for (const { name, ask } of questions) answers[name] = await ask();
    return answers;
  };
  const ofCalls = await askAll();
  await sealEndedDays();
  expect(await askAll()).toEqual(ofCalls);

  const late = { customer: 'customer 1', feature: 'f0', run_id: 'late' };
  await storeCalls([{ ...calls[0], timestamp: at(timeOn(2, 30)), tags: late }]);
  const ofBoth: Record<string, unknown> = {};
  for (const { name, ask } of questions) {
    read.mockClear();
    ofBoth[name] = await ask();
    // What credits cover depends on the costs of all open days, which another statement reads.
    expect(read, name).toHaveBeenCalledTimes(name.startsWith('net') ? 2 : 1);
    expect(ofBoth[name], name).not.toEqual(ofCalls[name]);
  }
  // The days before the first call make no other statement.
  read.mockClear();
  const longer = await costs({ customers: some, aggregate: 'day', date_from: '2025-12-01' });
  expect(longer.rows.slice(31)).toEqual((ofBoth['costs of customers by day'] as Page<unknown>).rows);
  expect(read).toHaveBeenCalledTimes(1);

  const touched = ['2026-01-29', '2026-01-30', '2026-01-31'].map((each) => ({ projectId, day: each }));
  await touchDays(control, touched, world.clock.now);
  expect(await askAll()).toEqual(ofBoth);
});

test('D6.7: runs count once however many of them are on sealed and open days, and months that are over are read once', async () => {
  const runs = 2_600;
  const times = [at(base - 30 * day), at(base), at(base + 2 * day)];
  const ofRuns = Array.from({ length: runs }, (_, run) =>
    times.map(
      (timestamp, on): Json => ({
        ...{ cost: on + 1, timestamp },
        tags: { customer: 'many', feature: 'chat', run_id: `run ${run}` },
      }),
    ),
  ).flat();
  await storeCalls([...ofRuns, { cost: 7, timestamp: at(base + day), tags: { customer: 'few', feature: 'chat' } }]);
  await sealEndedDays(['2025-12-30', '2026-01-29', '2026-01-30']);
  const { costs } = await openQuestions();
  const ofMany = (cost: number) => ({
    cost: cost * runs,
    avg_feature_run_cost: cost,
    max_feature_run_cost: cost,
  });
  const range = { date_from: '2025-12-01', date_to: '2026-01-31' };
  expect((await costs({ ...range, customers: ['many'] })).rows).toMatchObject([ofMany(6)]);
  expect((await costs({ ...range, group_by: 'customer' })).rows).toMatchObject([
    { customer: 'few', cost: 7, avg_feature_run_cost: 7, max_feature_run_cost: 7 },
    { customer: 'many', ...ofMany(6) },
  ]);
  const askByMonth = async () => (await costs({ ...range, customers: ['many'], aggregate: 'month' })).rows;
  const byMonth = await askByMonth();
  expect(byMonth).toMatchObject([ofMany(1), ofMany(5)]);
  read.mockClear();
  expect(await askByMonth()).toEqual(byMonth);
  // The open day to list its runs, and the month with it to count them.
  expect(read.mock.calls.map(([parameters]) => parameters.seals_from)).toEqual([undefined, '2026-01-29']);
});

test('D2, D26.3: coverage is the same whether days are sealed or not', async () => {
  // In turn: a model without a price, a unit without one, usage that nothing is known of, and a cost of its own.
  const kinds: readonly Json[] = [
    { model: 'house-llm', provider: 'p', prompt_tokens: 10 },
    { model: 'gpt-5', provider: 'openai', prompt_tokens: 1_000_000, pages: 2 },
    { model: 'gpt-5', provider: 'openai', usage: { strange_tokens: 5 } },
    { model: 'gpt-5', provider: 'openai', cost: 2 },
  ];
  const ofAllDays = Array.from({ length: 60 }, (_, number): Json => {
    const [customer, feature, user] = [number % 3, number % 5, number % 7].map((part) => part === 0);
    return {
      ...kinds[number % kinds.length],
      timestamp: at(timeOn(number % 3, number)),
      tags: { ...(customer && { customer: 'c' }), ...(feature && { feature: 'f' }), ...(user && { user: 'u' }) },
    };
  });
  await storeCalls(ofAllDays);
  const { coverage } = await openQuestions();
  const costOf = (number: number) => [0, 1.25, 0, 2][number % 4] ?? 0;
  const sumOf = (every: number) =>
    ofAllDays.reduce((sum, _, number) => (number % every === 0 ? sum + costOf(number) : sum), 0);
  const expected = {
    ...{ calls: 60, priced_calls: 30, unpriced_calls: 30, partly_priced_calls: 15, cost: sumOf(1) },
    customer_attributed_cost: sumOf(3),
    feature_attributed_cost: sumOf(5),
    user_attributed_cost: sumOf(7),
    unpriced: [
      { model: 'gpt-5', provider: 'openai', reason: 'unknown_usage', calls: 15 },
      { model: 'house-llm', provider: 'p', reason: 'unknown_provider', calls: 15 },
    ],
    partly_priced: [{ name: 'pages', model: 'gpt-5', provider: 'openai', calls: 15 }],
  };
  expect(await coverage()).toMatchObject(expected);
  await sealEndedDays();
  expect(await coverage()).toMatchObject(expected);
  await storeCalls([{ ...kinds[1], timestamp: at(timeOn(2, 30)), tags: { customer: 'c' } }]);
  expect(await coverage()).toMatchObject({
    ...{ calls: 61, partly_priced_calls: 16, cost: sumOf(1) + 1.25, customer_attributed_cost: sumOf(3) + 1.25 },
    unpriced: expected.unpriced,
    partly_priced: [{ name: 'pages', model: 'gpt-5', provider: 'openai', calls: 16 }],
  });
});
