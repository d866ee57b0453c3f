// A week of budgets in a minute: what fires, and when it ends, is what a plain model says.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Project } from '../../src/accounts/projects.ts';
import { type AlertStep, alertSteps } from '../../src/alerting/alerts/alerter.ts';
import { toFiring } from '../../src/alerting/alerts/firings.ts';
import type { BudgetDefinition, BudgetPeriod } from '../../src/alerting/budgets/budget.ts';
import { putBudget } from '../../src/alerting/budgets/store.ts';
import type { NamedDimension } from '../../src/lib/dimensions.ts';
import type { Json, LoggedEvent } from '../assembly/model.ts';
import { assembleAll, at, deliver, openWorld, startEngineOfFile, type World, Writer } from '../assembly/world.ts';
import { isLong, seed, usualOrLong } from '../support/effort.ts';
import { dayOf } from '../support/model/days.ts';
import { addEndpoint, type Looker, makeProjectAt, readDeliveries, startLooker } from './world.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const engine = await startEngineOfFile();
let world: World;
beforeAll(async () => {
  world = await openWorld(engine);
});
afterAll(async () => {
  await world?.close();
});

/** Weeks in which a month ends and the clocks change; in the second a quarter ends too. */
const weeks = [
  { timezone: 'America/New_York', begins: Date.UTC(2026, 9, 28, 9, 40) },
  { timezone: 'Europe/Berlin', begins: Date.UTC(2027, 2, 27, 3, 10) },
  { timezone: 'Australia/Lord_Howe', begins: Date.UTC(2027, 2, 30, 20, 5) },
] as const;

interface Call {
  readonly time: number;
  readonly cents: number;
  readonly customer: string;
  readonly user: string;
  readonly feature: string;
  readonly model: string;
  readonly provider: string;
}

interface ModelBudget {
  readonly name: string;
  readonly period: BudgetPeriod;
  readonly cents: number;
  readonly thresholds: readonly number[];
  readonly each: NamedDimension | undefined;
  readonly scope: BudgetDefinition['scope'];
  readonly counts: (call: Call) => boolean;
}

/** These customers have the tag `plan: pro`. */
const pros = ['c1', 'c3'];

const scopes: readonly Pick<ModelBudget, 'scope' | 'counts'>[] = [
  { scope: {}, counts: () => true },
  { scope: { customers: ['c0', 'c1'] }, counts: ({ customer }) => customer === 'c0' || customer === 'c1' },
  { scope: { customers: [''] }, counts: ({ customer }) => customer === '' },
  { scope: { customer_tags: { plan: ['pro'] } }, counts: ({ customer }) => pros.includes(customer) },
  { scope: { users: ['u1'], models: ['m0'] }, counts: ({ user, model }) => user === 'u1' && model === 'm0' },
  { scope: { features: ['f0'] }, counts: ({ feature }) => feature === 'f0' },
  { scope: { providers: ['p1'] }, counts: ({ provider }) => provider === 'p1' },
];

/** Periods of days; hours and windows are tried by tests/budgets/windows.test.ts. */
const dayPeriods = ['day', 'week', 'month', 'quarter'] as const satisfies readonly BudgetPeriod[];

/** A budget of every period of days and every `each`, with scopes by turns; in the usual form every other one. */
function makeBudgets(shift: number): ModelBudget[] {
  const isTried = (_budget: ModelBudget, index: number) => isLong || (Math.floor(index / 4) + index + shift) % 2 === 0;
  const budgets = dayPeriods.flatMap((period, first) =>
    ([undefined, 'customer', 'user', 'feature'] as const).map((each, second): ModelBudget => {
      const turn = first * 4 + second + shift;
      return {
        name: `${period} ${each ?? 'whole'}`,
        period,
        cents: [120, 400, 900, 1_500][first] ?? 0,
        thresholds: [[50, 80, 100], [100], [1, 33, 250]][turn % 3] ?? [],
        each,
        ...(scopes[turn % scopes.length] ?? { scope: {}, counts: () => true }),
      };
    }),
  );
  return budgets.filter(isTried);
}

/** The period that a day is in, by name. */
function periodName(date: string, period: BudgetPeriod): string {
  const [year = '', month = ''] = date.split('-');
  if (period === 'day') return date;
  if (period === 'month') return `${year}-${month}`;
  if (period === 'quarter') return `${year} Q${Math.ceil(Number(month) / 3)}`;
  const sinceMonday = (new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7;
  return new Date(Date.parse(`${date}T00:00:00Z`) - sinceMonday * day).toISOString().slice(0, 10);
}

/** The first day of the period that a day is in: the earliest with its name. */
function firstDayOf(date: string, period: BudgetPeriod): string {
  const name = periodName(date, period);
  let first = date;
  for (;;) {
    const before = new Date(Date.parse(`${first}T00:00:00Z`) - day).toISOString().slice(0, 10);
    if (periodName(before, period) !== name) return first;
    first = before;
  }
}

interface ModelFiring {
  readonly subject: Json;
  readonly startedAt: number;
  endedAt: number | null;
}

/** What must have fired: it adds up all calls at each look. */
class Model {
  readonly calls: Call[] = [];
  readonly firings: ModelFiring[] = [];
  readonly #budgets: readonly ModelBudget[];
  readonly #timezone: string;
  #lookedDay: string | undefined;

  constructor(budgets: readonly ModelBudget[], timezone: string) {
    this.#budgets = budgets;
    this.#timezone = timezone;
  }

  look(now: number): void {
    const today = dayOf(now, this.#timezone);
    const looked = this.#lookedDay;
    if (looked !== undefined && looked !== today) {
      const yesterday = new Date(Date.parse(`${today}T00:00:00Z`) - day).toISOString().slice(0, 10);
      this.#settle(now, [looked, yesterday, today]);
    }
    this.#settle(now, [today]);
    this.#lookedDay = today;
  }

  #settle(now: number, days: readonly string[]): void {
    const passed = new Map(days.flatMap((date) => this.#listPassed(date)).map((one) => [JSON.stringify(one), one]));
    for (const firing of this.firings) {
      if (firing.endedAt === null && !passed.has(JSON.stringify(firing.subject))) firing.endedAt = now;
    }
    const open = new Set(
      this.firings.filter(({ endedAt }) => endedAt === null).map(({ subject }) => JSON.stringify(subject)),
    );
    for (const [key, subject] of passed) {
      if (!open.has(key)) this.firings.push({ subject, startedAt: now, endedAt: null });
    }
  }

  #listPassed(date: string): Json[] {
    return this.#budgets.flatMap(({ name, period, cents, thresholds, each, counts }) => {
      const spent = new Map<string | undefined, number>();
      for (const call of this.calls) {
        const isNow = periodName(dayOf(call.time, this.#timezone), period) === periodName(date, period);
        if (!isNow || !counts(call)) continue;
        const of = each && call[each];
        // Calls without a value are in the budget of nobody.
        if (of === '') continue;
        spent.set(of, (spent.get(of) ?? 0) + call.cents);
      }
      return [...spent].flatMap(([of, sum]) =>
        thresholds
          .filter((pct) => sum * 100 >= cents * pct)
          .map((threshold) => ({
            budget: name,
            ...(of !== undefined && { of }),
            threshold,
            period_from: firstDayOf(date, period),
          })),
      );
    });
  }
}

const step = fc.record({
  waits: fc.oneof(
    fc.integer({ min: 1, max: 59 }).map((minutes) => minutes * minute),
    fc.integer({ min: 1, max: 9 }).map((hours) => hours * hour + 7 * minute),
    fc.constant(26 * hour),
  ),
  calls: fc.array(
    fc.record({
      late: fc.oneof(
        { weight: 4, arbitrary: fc.constant(0) },
        fc.integer({ min: 1, max: 47 * 60 }).map((minutes) => minutes * minute),
      ),
      cents: fc.integer({ min: 0, max: 60 }),
      customer: fc.constantFrom('', 'c0', 'c1', 'c2', 'c3'),
      user: fc.constantFrom('', 'u0', 'u1'),
      feature: fc.constantFrom('', 'f0', 'f1'),
      model: fc.constantFrom('m0', 'm1'),
      provider: fc.constantFrom('p0', 'p1'),
    }),
    { maxLength: 6 },
  ),
  dies: fc.option(fc.record({ step: fc.constantFrom(...alertSteps), after: fc.integer({ min: 1, max: 6 }) }), {
    nil: undefined,
    freq: 3,
  }),
});

const expireLease = () => world.control.updateTable('lease').set({ expires_at: 0 }).execute();

class Killed extends Error {}

/** The process dies after this step, when it comes to it for so many times. */
interface Death {
  readonly step: AlertStep;
  readonly after: number;
}

/** Looks until nothing is due, though the process may die after one of its steps: then another one goes on. */
class Mortal {
  #looker: Looker | undefined;
  #die: (step: AlertStep) => void = () => undefined;

  async lookThrough(start: (afterStep: (step: AlertStep) => void) => Looker, dies: Death | undefined): Promise<void> {
    let left = dies?.after ?? 0;
    this.#die = (step) => {
      if (step !== dies?.step) return;
      left -= 1;
      if (left === 0) throw new Killed();
    };
    for (;;) {
      this.#looker ??= start((step) => this.#die(step));
      try {
        return await this.#looker.lookThrough();
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        this.#looker = undefined;
        // The lease of the dead process runs out: the next one need not wait for that.
        await expireLease();
      }
    }
  }
}

const weekOf = (timezone: string) => {
  const found = weeks.find((week) => week.timezone === timezone);
  if (!found) throw new Error(`There is no week in ${timezone}`);
  return found;
};

const dear = { customer: 'c0', user: 'u0', feature: 'f0', model: 'm0', provider: 'p0' } as const;
/** Nothing looks at a new project before its first day is over, on which budgets were passed. */
const firstLook = { waits: 26 * hour, calls: [{ late: 12 * hour, cents: 500, ...dear }], dies: undefined };

test('D20.3: a week of budgets of every kind fires what a plain model says, however often the process dies', async () => {
  let firings = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...weeks),
      fc.nat(6),
      fc.array(step, usualOrLong({ minLength: 4, maxLength: 6 }, { minLength: 20, maxLength: 60 })),
      async ({ timezone, begins }, shift, steps) => {
        // The week before may have been a later one.
        await expireLease();
        const project = await makeProjectAt(world, begins, timezone);
        await tagPros(project);
        const endpoint = await addEndpoint(world, project);
        const budgets = makeBudgets(shift);
        for (const budget of budgets) await enter(project, budget);
        const model = new Model(budgets, timezone);
        const process = new Mortal();
        const writer = new Writer();
        const look = async (dies?: Death) => {
          model.look(world.clock.now);
          await process.lookThrough((afterStep) => startLooker(world, project, { only: 'budget', afterStep }), dies);
        };
        await look();
        let now = begins;
        for (const { waits, calls, dies } of steps) {
          now = Math.max(world.clock.now, now + waits);
          if (now > begins + 8 * day) break;
          world.clock.now = now;
          const made = calls.map(({ late, ...call }): Call => ({ ...call, time: now - late }));
          await deliver(
            { ...world, projectId: project.id },
            made.map((call) => toEvent(writer, now, call)),
          );
          await assembleAll(world);
          model.calls.push(...made);
          await look(dies);
        }
        const rows = await world.control
          .selectFrom('firings')
          .selectAll()
          .where('project_id', '=', project.id)
          .where('kind', '=', 'budget')
          .execute();
        const fired = rows.map((row) => ({
          subject: toFiring(row).subject as Json,
          startedAt: row.started_at,
          endedAt: row.ended_at,
        }));
        expect(sort(fired)).toEqual(sort(model.firings));
        firings += fired.length;
        const told = await readDeliveries(world, endpoint, 'budget');
        expect(told.sort()).toEqual(
          rows
            .flatMap(({ id, ended_at: endedAt }) => [`${id}.fired`, ...(endedAt === null ? [] : [`${id}.ended`])])
            .sort(),
        );
      },
    ),
    {
      numRuns: usualOrLong(2, 20),
      seed,
      endOnFailure: true,
      examples: [[weekOf('Australia/Lord_Howe'), 0, [firstLook]]],
    },
  );
  // Weeks in which nothing fires prove little.
  expect(firings).toBeGreaterThan(0);
}, 600_000);

const sort = (firings: readonly ModelFiring[]) =>
  [...firings].sort((a, b) =>
    JSON.stringify([a.startedAt, a.subject]) < JSON.stringify([b.startedAt, b.subject]) ? -1 : 1,
  );

function toEvent(writer: Writer, now: number, { time, cents, ...call }: Call): LoggedEvent {
  const { customer, user, feature, model, provider } = call;
  const tags = Object.fromEntries(Object.entries({ customer, user, feature }).filter(([, name]) => name !== ''));
  const body = {
    event_id: randomUUID(),
    event_type: 'x.after',
    timestamp: at(time),
    cost: cents / 100,
    model,
    provider,
  };
  return writer.receive(now, { ...body, tags });
}

async function enter(project: Project, { name, period, cents, thresholds, each, scope }: ModelBudget): Promise<void> {
  const sources = { control: world.control, clock: () => world.clock.now };
  const amount = BigInt(cents) * 10n ** 10n;
  const definition = { amount, period, thresholds, each, scope, applyCredits: false };
  await putBudget(sources, project.id, { name, definition, replaces: false });
}

async function tagPros({ id }: Project): Promise<void> {
  const rows = pros.map((name) => ({
    project_id: id,
    dimension: 'customer' as const,
    name,
    key: 'plan',
    value: 'pro',
  }));
  await world.control.insertInto('dimension_tags').values(rows).execute();
}
