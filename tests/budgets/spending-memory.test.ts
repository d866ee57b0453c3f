// D20.2 where a test sets the clock, and holds back what assembly tells.
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { BudgetDefinition } from '../../src/alerting/budgets/budget.ts';
import { SpendingMemory } from '../../src/alerting/budgets/spending-memory.ts';
import { readBudgetStates } from '../../src/alerting/budgets/states.ts';
import { putBudget } from '../../src/alerting/budgets/store.ts';
import { Progress } from '../../src/calls/assembly/progress.ts';
import { formatMoney, parseMoney, wideToJsonNumber } from '../../src/lib/money.ts';
import { AnswerCache } from '../../src/reports/asking/answer-cache.ts';
import { AnalyticStore } from '../../src/storage/analytic/analytic-store.ts';
import { noSignalBus } from '../../src/storage/control/signals.ts';
import { assembleAll, deliver, newEventId, openWorldOfFile, Writer } from '../assembly/world.ts';
import { poll } from '../support/poll.ts';

const world = await openWorldOfFile();
const { control, store, projectId } = world;
const clock = () => world.clock.now;
const ignore = () => undefined;
const logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const answerCache = new AnswerCache(store);

const opened: SpendingMemory[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((memory) => memory.close()));
});

function openMemory(options: { mostSums?: number; manyValues?: number; store?: AnalyticStore } = {}) {
  const progress = new Progress(clock);
  progress.noteCaughtUp();
  const sources = { store, answerCache, control, clock, logger, progress, signalBus: noSignalBus, isAlone: true };
  const memory = new SpendingMemory({ ...sources, ...options });
  opened.push(memory);
  const check = async (name: string, of?: string) => {
    const found = await memory.find(projectId, name, of);
    return found && { spent: wideToJsonNumber(found.spent), asOf: found.asOf, span: found.span };
  };
  return { memory, progress, check };
}

const put = async (name: string, fields: Partial<BudgetDefinition> = {}) => {
  const definition: BudgetDefinition = {
    amount: parseMoney('10') ?? 0n,
    period: 'day',
    scope: {},
    each: undefined,
    thresholds: [50, 100],
    applyCredits: false,
    ...fields,
  };
  await putBudget({ control, clock }, projectId, { name, definition, replaces: true });
};

const writer = new Writer();
type Costs = Readonly<Record<string, number>>;

/** Events of a feature at these times, one for each customer. */
async function spendAt(feature: string, spent: readonly (readonly [at: number, costs: Costs])[]): Promise<void> {
  const events = spent.flatMap(([at, costs]) =>
    Object.entries(costs).map(([customer, cost]) =>
      writer.receive(at, { event_id: newEventId(), event_type: 'x.after', cost, tags: { customer, feature } }),
    ),
  );
  const [lastAt = 0] = spent.at(-1) ?? [];
  world.clock.now = lastAt;
  await deliver(world, events);
  await assembleAll(world);
  world.clock.now = lastAt;
}

const spend = async (at: number, feature: string, costs: Costs) => await spendAt(feature, [[at, costs]]);

test('D20.2: a new day begins on the dot, on the day on which the clock is put forward', async () => {
  const at = Date.parse('2026-03-08T12:00:00Z');
  const midnight = Date.parse('2026-03-09T04:00:00Z');
  await put('day', { scope: { features: ['dot'] } });
  await put('week', { scope: { features: ['dot'] }, period: 'week' });
  await spend(at, 'dot', { acme: 5 });
  const { check } = openMemory();
  world.clock.now = midnight - 1;
  expect(await check('day')).toMatchObject({
    spent: 5,
    asOf: midnight - 1,
    span: { dateFrom: '2026-03-08', resetsAt: midnight },
  });
  expect(await check('week')).toMatchObject({ spent: 5, span: { dateFrom: '2026-03-02', resetsAt: midnight } });
  world.clock.now = midnight;
  expect(await check('day')).toMatchObject({ spent: 0, span: { dateFrom: '2026-03-09', dateTo: '2026-03-09' } });
  expect(await check('week')).toMatchObject({ spent: 0, span: { dateFrom: '2026-03-09', dateTo: '2026-03-15' } });
});

test('D20.2: it says as of when, and answers from memory when the calls are more than a second behind', async () => {
  const at = Date.parse('2026-04-01T12:00:00Z');
  await put('behind', { scope: { features: ['behind'] } });
  await spend(at, 'behind', { acme: 1 });
  const { check, progress } = openMemory();
  expect(await check('behind')).toMatchObject({ spent: 1, asOf: at });
  world.clock.now = at + 100;
  expect(await check('behind')).toMatchObject({ spent: 1, asOf: at + 100 });

  progress.noteStored({ lastSeq: 1, lastSeqByProject: new Map([[projectId, 1]]) });
  expect(progress.isBehind).toBe(true);
  for (const behindMs of [1_099, 1_100, 299_000]) {
    world.clock.now = at + behindMs;
    const { spent, asOf } = (await check('behind')) ?? {};
    expect(spent).toBe(1);
    expect(asOf).toBeLessThanOrEqual(at + 100);
  }
  // One check has waited in vain; those after it are answered before anything else is done.
  const first = await Promise.race([check('behind'), nextTurn('another turn')]);
  expect(first).toMatchObject({ spent: 1 });
  world.clock.now = at + 301_000;
  let answered = false;
  const waiting = check('behind').then((answer) => {
    answered = true;
    return answer;
  });
  await pause(300);
  expect(answered).toBe(false);
  await spend(at + 301_000, 'behind', { acme: 2 });
  progress.noteAssembled(1);
  expect(await waiting).toMatchObject({ spent: 3, asOf: at + 301_000 });
});

test('D20.2: nothing is known while calls are restored, or before all of an earlier process is assembled', async () => {
  await put('restored', { scope: { features: ['restored'] } });
  const { check, progress } = openMemory();
  await check('restored');
  progress.noteLoss();
  let answered = false;
  const waiting = check('restored').then(() => {
    answered = true;
  });
  await pause(200);
  expect(answered).toBe(false);
  progress.noteWhole();
  await waiting;
});

test('D20.2: what is not held, because it has too many values, is read and right', async () => {
  const at = Date.parse('2026-05-01T12:00:00Z');
  await put('many', { scope: { features: ['many'] }, each: 'customer' });
  await put('few', { scope: { features: ['many'], customers: ['a'] } });
  await spend(at, 'many', { a: 1, b: 2, c: 3 });
  const { check } = openMemory({ mostSums: 2 });
  for (let round = 0; round < 2; round += 1) {
    expect(await check('many', 'b')).toMatchObject({ spent: 2, asOf: at });
    expect(await check('many', 'nobody')).toMatchObject({ spent: 0 });
    expect(await check('few')).toMatchObject({ spent: 1 });
  }
});

/** The store of the world, which notes how many rows each statement gave. */
class CountingStore extends AnalyticStore {
  readonly counts: number[] = [];

  constructor() {
    const { url, username, password } = world.engine;
    super({ url, credentials: { username, password } });
  }

  override async select<Row>(...asked: Parameters<AnalyticStore['select']>): Promise<Row[]> {
    const rows = await super.select<Row>(...asked);
    this.counts.push(rows.length);
    return rows;
  }
}

test('D20.2: of many values those with new calls are read again, and all when a call or a value has gone', async () => {
  const at = Date.parse('2026-05-11T12:00:00Z');
  const counting = new CountingStore();
  onTestFinished(() => counting.close());
  await put('changing', { scope: { features: ['changing'] }, each: 'customer' });
  await spend(at, 'changing', Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`c${index}`, 1])));
  const { check, progress } = openMemory({ store: counting, manyValues: 50 });
  expect(await check('changing', 'c7')).toMatchObject({ spent: 1 });
  const rowsOf = async (change: () => Promise<void>): Promise<number> => {
    counting.counts.length = 0;
    await change();
    progress.noteMoved(new Set([projectId]));
    // Known when everything is read that had moved before: assembly has moved the clock by less.
    world.clock.now += 50_000;
    await poll('all is read', { within: 60_000 }, async () => {
      const { asOf } = (await check('changing', 'c7')) ?? {};
      return asOf === world.clock.now || undefined;
    });
    expect(counting.counts).not.toEqual([]);
    return Math.max(...counting.counts);
  };
  // Everything is of the newest version the first time.
  await rowsOf(() => spend(at + 1, 'changing', { c7: 2 }));
  const moved = newEventId();
  const callOf = (customer: string) => ({
    event_id: moved,
    event_type: 'x.after',
    cost: 4,
    tags: { customer, feature: 'changing' },
  });
  const deliverCall = async (later: number, customer: string) => {
    world.clock.now = at + later;
    await deliver(world, [writer.receive(at + later, callOf(customer))]);
    await assembleAll(world);
  };
  expect(await rowsOf(() => deliverCall(100_000, 'c8'))).toBeLessThan(5);
  expect(await check('changing', 'c7')).toMatchObject({ spent: 3 });
  expect(await check('changing', 'c8')).toMatchObject({ spent: 5 });
  expect(await rowsOf(() => spend(at + 200_000, 'changing', { new: 0.5, c9: 1 }))).toBeLessThan(5);
  expect(await check('changing', 'new')).toMatchObject({ spent: 0.5 });
  expect(await check('changing', 'c9')).toMatchObject({ spent: 2 });
  // The call has another customer now: its former one is not among the newer calls.
  expect(await rowsOf(() => deliverCall(300_000, 'c10'))).toBeGreaterThan(50);
  expect(await check('changing', 'c10')).toMatchObject({ spent: 5 });
  expect(await check('changing', 'c8')).toMatchObject({ spent: 1 });
  expect(await check('changing', 'c7')).toMatchObject({ spent: 3 });
});

test('D20.1: the states are those of every budget, and of each value that has passed a threshold', async () => {
  const at = Date.parse('2026-06-30T12:00:00Z');
  const scope = { features: ['states'] };
  await put('all states', { scope, period: 'month' });
  await put('each state', { scope, each: 'customer', thresholds: [20, 80] });
  const before = Array.from({ length: 40 }, (_, day) => [at - (40 - day) * 86_400_000, { b: 0.5 }] as const);
  await spendAt('states', [...before, [at, { a: 2, b: 8.5, c: 1.999999 }]]);
  const states = await readBudgetStates({ store, answerCache, control }, { id: projectId }, at);
  const found = states
    .filter(({ budget }) => budget.name.endsWith('state') || budget.name.endsWith('states'))
    .map(({ budget, of, spent, passed, periodFrom }) => [budget.name, of, formatMoney(spent), passed, periodFrom]);
  expect(found).toEqual([
    ['all states', undefined, '26.999999000000', [50, 100], '2026-06-01'],
    ['each state', 'a', '2.000000000000', [20], '2026-06-30'],
    ['each state', 'b', '8.500000000000', [20, 80], '2026-06-30'],
  ]);
  const whole = states.find(({ budget }) => budget.name === 'all states');
  // Half of the last day is left, and a usual day costs 0.5.
  const rest = Number(formatMoney((whole?.forecast ?? 0n) - (whole?.spent ?? 0n)));
  expect(rest).toBeGreaterThan(0.2);
  expect(rest).toBeLessThan(0.4);
});

test('D20.1: a budget whose values have passed more thresholds than may be alerts is left out, and others are not', async () => {
  const at = Date.parse('2026-07-30T12:00:00Z');
  const thresholds = Array.from({ length: 10 }, (_, index) => index + 1);
  await put('thresholds 1', { scope: { features: ['few'] }, each: 'customer', thresholds });
  await put('thresholds 2', { scope: { features: ['many'] }, each: 'customer', thresholds });
  await put('thresholds 3', { scope: { features: ['few'] }, each: 'customer', thresholds });
  await spendAt('few', [[at, { a: 1, b: 2 }]]);
  await spendAt('many', [[at, Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`c${index}`, 5]))]]);
  const states = await readBudgetStates({ store, answerCache, control }, { id: projectId }, at);
  const found = states
    .filter(({ budget }) => budget.name.startsWith('thresholds'))
    .map(({ budget, of }) => [budget.name, of]);
  expect(found).toEqual(['thresholds 1', 'thresholds 3'].flatMap((name) => ['a', 'b'].map((of) => [name, of])));
});
