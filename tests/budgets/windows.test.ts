// D32.1: a week in which the clock is set back, with late events, sealed days and rolling windows, against brute force.
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { type BudgetPeriod, isInSpan, spanAt } from '../../src/alerting/budgets/budget.ts';
import { SpendingMemory } from '../../src/alerting/budgets/spending-memory.ts';
import { readBudgetStates } from '../../src/alerting/budgets/states.ts';
import { putBudget } from '../../src/alerting/budgets/store.ts';
import { findPassedBudgets } from '../../src/alerting/kinds/budget/rule.ts';
import { Progress } from '../../src/calls/assembly/progress.ts';
import { AnswerCache } from '../../src/reports/asking/answer-cache.ts';
import { Sealer } from '../../src/rollups/rollups/sealer.ts';
import { noSignalBus } from '../../src/storage/control/signals.ts';
import { Random } from '../alerts/series/random.ts';
import {
  assembleAll,
  deliver,
  newEventId,
  openWorldOfFile,
  quietLogger,
  takeLease,
  Writer,
} from '../assembly/world.ts';
import { usualOrLong } from '../support/effort.ts';
import { dayOf } from '../support/model/days.ts';
import { freeAgainAt, inHour, inWindow, sumOf, type TimedCost } from '../support/model/windows.ts';
import { poll } from '../support/poll.ts';

const world = await openWorldOfFile();
const { control, store, projectId } = world;
const timezone = 'America/New_York';
const clock = () => world.clock.now;
const answerCache = new AnswerCache(store);
const progress = new Progress(clock);
progress.noteCaughtUp();
const sources = {
  store,
  answerCache,
  control,
  clock,
  progress,
  logger: quietLogger,
  signalBus: noSignalBus,
  isAlone: true,
};
const memory = new SpendingMemory(sources);
// Holds nothing, so it reads each value from the store.
const unheld = new SpendingMemory({ ...sources, mostSums: 0 });
afterAll(() => Promise.all([memory.close(), unheld.close()]));

const minute = 60_000;
const hour = 60 * minute;
const dollar = 10n ** 12n;
// The clock is set back in the night to 1 November.
const first = usualOrLong(Date.parse('2026-10-31T21:00:00Z'), Date.parse('2026-10-29T16:00:00Z'));
const week = usualOrLong(1.5, 7) * 24 * hour;

const budgets: Readonly<Record<string, { period: BudgetPeriod; each?: 'customer' | 'run' }>> = {
  'an hour': { period: 'hour' },
  'an hour each': { period: 'hour', each: 'customer' },
  '10m': { period: '10m' },
  '90m each': { period: '90m', each: 'customer' },
  '1d': { period: '1d' },
  '25h each': { period: '25h', each: 'customer' },
  '3d': { period: '3d' },
  '3d a run': { period: '3d', each: 'run' },
  'a week of a run': { period: 'week', each: 'run' },
};
const amount = 3n * dollar;
const customers = ['acme', 'globex', ''];
const runs = ['r1', 'r2', ''];

async function sealEnded(): Promise<void> {
  const { lease, touchedDays } = await takeLease(world);
  const sealer = new Sealer({ store, control, lease, touchedDays, logger: quietLogger, clock, quietMs: minute });
  while (await sealer.step()) {
    // Until nothing is left.
  }
  await lease.release();
}

/** Waits until the memory has read everything that has moved. */
async function settle(): Promise<void> {
  progress.noteMoved(new Set([projectId]));
  // A read may have begun before the calls were there, as of the same instant.
  world.clock.now += 1;
  await poll('all is read', { within: 60_000, every: 5 }, async () => {
    const found = await memory.find(projectId, '10m', undefined);
    return found?.asOf === clock() || undefined;
  });
}

test('D32.1: hours, windows and runs equal brute force over a week with a long day, late events and seals', async () => {
  for (const [name, { period, each }] of Object.entries(budgets)) {
    const definition = { amount, period, scope: {}, each, thresholds: [50, 100], applyCredits: false };
    await putBudget({ control, clock }, projectId, { name, definition, replaces: true });
  }
  const numbers = new Random(20_261_101);
  const random = () => numbers.uniform();
  const writer = new Writer();
  const calls: TimedCost[] = [];
  const turn = Date.parse('2026-11-02T05:00:00Z');
  const expected = (name: string, of: string | undefined): readonly TimedCost[] => {
    const { period, each } = budgets[name] ?? { period: 'day' };
    const ofEach = each === undefined ? calls : calls.filter((call) => call[each] === of);
    if (period === 'hour') return inHour(ofEach, timezone, clock());
    if (period === 'week') {
      return ofEach.filter(
        ({ at, toldAt }) => toldAt <= clock() && clock() < turn === at < turn && at >= first - 5 * 24 * hour,
      );
    }
    return inWindow(ofEach, period, clock());
  };
  let compared = 0;
  let judged = 0;
  const compare = async () => {
    for (const [name, { period, each }] of Object.entries(budgets)) {
      for (const of of each === undefined
        ? [undefined]
        : each === 'run'
          ? ['r1', 'r2']
          : ['acme', 'globex', 'nobody']) {
        const found = await memory.find(projectId, name, of);
        const now = new Date(clock()).toISOString();
        const wanted = expected(name, of);
        expect(found?.spent, `${name} ${of} at ${now}`).toBe(sumOf(wanted) * 10n ** 18n);
        if (/^\d+m$|^1d$/.test(period) && compared % 7 === 0) {
          const given = each === undefined ? calls : calls.filter((call) => call[each] === of);
          const freeAt = freeAgainAt(given, { window: period, amount, now: clock() });
          // Of the days after its first, only whole sums are known.
          const { dateFrom } = spanAt(period, timezone, clock());
          const isOfFirstDay = wanted.every(({ at }) => dayOf(at, timezone) === dateFrom);
          // It is known if the first day suffices.
          const possible = freeAt === undefined || isOfFirstDay ? [freeAt] : [freeAt, undefined];
          expect(possible, `${name} at ${now}`).toContain(found?.resetsAt);
          judged += freeAt === undefined ? 0 : 1;
        }
        compared += 1;
      }
    }
  };
  const batches = usualOrLong(6, 80);
  const stepMs = usualOrLong(20 * minute + 13_000, 13_000);
  world.clock.now = first;
  for (let number = 0; number < batches; number += 1) {
    const began = clock();
    const told = Array.from({ length: 12 }, () => {
      // Most are of now; some come up to two days late, or are dated up to 20 hours ahead.
      const age =
        [random() * 5 * minute, random() * 50 * hour, -random() * 20 * hour][Math.floor(random() ** 2 * 3)] ?? 0;
      const cost = Math.floor(random() * 1_000_000) / 1_000_000;
      const pick = (names: readonly string[]) => names[Math.floor(random() * names.length)] ?? '';
      return { at: Math.floor(began - age), cost, customer: pick(customers), run: pick(runs) };
    });
    const events = told.map(({ at, cost, ...tags }) =>
      writer.receive(began, {
        ...{ event_id: newEventId(), event_type: 'x.after', cost, timestamp: new Date(at).toISOString(), tags },
      }),
    );
    await deliver(world, events);
    await assembleAll(world);
    if (number % 3 === 2) await sealEnded();
    for (const { at, cost, customer, run } of told) {
      calls.push({ at, toldAt: clock(), picos: BigInt(Math.round(cost * 1e6)) * 10n ** 6n, customer, run });
    }
    await settle();
    const until = first + ((number + 1) * week) / batches;
    while (clock() < until) {
      await compare();
      const slotEnd = Math.floor(clock() / minute) * minute + minute;
      // Across the edge of a minute, and on.
      world.clock.now =
        clock() % 3 === 0 && clock() % minute > 0
          ? slotEnd - 1
          : clock() === slotEnd - 1
            ? slotEnd
            : clock() + stepMs + Math.floor(random() * 3);
    }
  }
  expect(compared).toBeGreaterThan(usualOrLong(2_000, 1_000_000));
  expect(judged).toBeGreaterThan(10);

  for (const [name, { each }] of Object.entries(budgets)) {
    const of = each && (each === 'run' ? 'r2' : 'acme');
    const found = await unheld.find(projectId, name, of);
    expect(found?.spent, `${name}, not held`).toBe(sumOf(expected(name, of)) * 10n ** 18n);
  }

  // The states that alerts see are those of the memory.
  const states = await readBudgetStates({ store, answerCache, control }, { id: projectId }, clock());
  for (const { budget, of, spent, passed, near } of states) {
    const sum = sumOf(expected(budget.name, of));
    expect([spent, passed], budget.name).toEqual([sum, [50, 100].filter((pct) => sum * 100n >= amount * BigInt(pct))]);
    if (/^\d/.test(budget.period)) {
      expect(near, budget.name).toEqual([50, 100].filter((pct) => (sum * 1_000n) / 9n >= amount * BigInt(pct)));
    }
  }
  expect(states.filter(({ budget }) => /^\d/.test(budget.period)).length).toBeGreaterThan(4);
  for (const [name, { period, each }] of Object.entries(budgets)) {
    if (each === undefined || !/^\d/.test(period)) continue;
    const isNear = (of: string) => of !== '' && (sumOf(expected(name, of)) * 1_000n) / 9n >= amount * 50n;
    const due = (each === 'run' ? runs : customers).filter(isNear);
    expect(
      states.flatMap(({ budget, of }) => (budget.name === name ? [of] : [])),
      name,
    ).toEqual(due);
  }
});

test('D32.1: an hour is that of the clock, and a span holds until what was read no longer suffices', () => {
  const instant = fc.date({ min: new Date('2016-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
  const zones = fc.constantFrom(timezone, 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Europe/Berlin', 'UTC');
  const periods = fc.constantFrom<BudgetPeriod>('hour', '10m', '1d', '26h', '30d');
  fc.assert(
    fc.property(instant, zones, periods, fc.integer({ min: 0, max: 30 * hour }), (date, zone, period, laterMs) => {
      const now = date.getTime();
      const span = spanAt(period, zone, now);
      expect(isInSpan(span, zone, now)).toBe(true);
      expect(isInSpan(span, zone, span.resetsAt - 1)).toBe(true);
      expect(isInSpan(span, zone, span.resetsAt)).toBe(false);
      const later = spanAt(period, zone, now + laterMs);
      if (isInSpan(span, zone, now + laterMs)) expect(later.dateFrom).toBe(span.dateFrom);
      else expect(later.times?.fromMs).toBeGreaterThan(span.times?.fromMs ?? 0);
      if (period === 'hour') {
        const [from, to] = [span.times?.fromMs ?? 0, span.resetsAt];
        expect(inHour([{ at: from, toldAt: 0, picos: 1n, customer: '', run: '' }], zone, to - 1).length).toBe(
          // On Lord Howe Island the clock is set by half an hour within one.
          to - from === hour ? 1 : 0,
        );
      }
    }),
    { numRuns: 500 },
  );
});

test('D32.1: a threshold of a window fires once and ends when it holds a tenth less', () => {
  const budget = {
    ...({ name: 'b', period: '10m', scope: {}, each: undefined, thresholds: [50, 100], applyCredits: false } as const),
    ...{ amount, createdAt: 0, updatedAt: 0 },
  };
  const base = { budget, of: undefined, periodFrom: '2026-05-04', periodTo: '2026-05-04', since: first, spent: dollar };
  const find = (passed: readonly number[], near: readonly number[]) =>
    findPassedBudgets([{ ...base, forecast: undefined, passed, near }], { forecast: true }, 'Europe/Berlin');
  expect(find([50], [50, 100]).map(({ subject, state }) => [subject, state])).toEqual([
    [{ budget: 'b', threshold: 50, window: '10m' }, 'holds'],
    [{ budget: 'b', threshold: 100, window: '10m' }, 'lingers'],
  ]);
  expect(find([], [])).toEqual([]);
  expect(find([50], [50])[0]?.text).toBe('$1.00 of $3.00 is spent (33.3%), in the last 10 minutes.');
});
