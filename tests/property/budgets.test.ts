import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkFromNow, showBudget } from '../api/D20-budgets/support.ts';
import { creditableEvent, historyOf, prices } from '../support/arbitraries/history.ts';
import { grantsWithin } from '../support/arbitraries/money.ts';
import { costFilters } from '../support/arbitraries/questions.ts';
import { type CostRow, expectStatus, type Json, type Project, sharedFarthing } from '../support/client.ts';
import { someOf, usualOrLong } from '../support/effort.ts';
import { checkCases } from '../support/random-cases.ts';
import { grantCredits, makeCallIds, postEvents, setPrices } from '../support/stored-history.ts';

const farthing = sharedFarthing();
const dayMs = 86_400_000;

/** How long ago events happened, in milliseconds: most today, others in the periods around, some in the next days. */
const ago = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: dayMs }) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 100 * dayMs }) },
  { weight: 1, arbitrary: fc.integer({ min: -2 * dayMs, max: 0 }) },
);

const history = fc.tuple(historyOf(creditableEvent(0)), fc.array(ago, { minLength: 120, maxLength: 120 }));

const budget = fc.record({
  amount: fc.constantFrom(0.000001, 1, 5, 20),
  period: fc.constantFrom('day', 'week', 'month', 'quarter'),
  // A budget has no filter by tags of runs.
  scope: costFilters.map(({ run_tags: _, ...filters }) => filters),
  each: fc.constantFrom(undefined, undefined, 'customer' as const, 'feature' as const),
  apply_credits: fc.boolean(),
  thresholds: fc.constantFrom([1, 50, 100], [1000]),
});
type NewBudget = (typeof budget extends fc.Arbitrary<infer Value> ? Value : never) & Json;

/** The same by `POST /api/costs/`: one row, or one for each value. */
async function costsOf(project: Project, { scope, each, apply_credits }: NewBudget, range: Json): Promise<CostRow[]> {
  const rows = await project.allCosts({
    ...range,
    ...scope,
    aggregate: 'all',
    apply_credits,
    ...(each && { group_by: each }),
  });
  return each ? rows.filter((row) => row[each] !== '' && row.cost !== 0) : rows;
}

/** Compares a budget with costs; false when a new period began meanwhile. */
async function compare(project: Project, name: string, given: NewBudget): Promise<boolean> {
  const shown = await showBudget(project, name);
  const range = { date_from: shown.period_from, date_to: shown.period_to };
  const rows = await costsOf(project, given, range);
  // Some names are asked for on their own. All are in the list of the budget.
  const values = given.each
    ? [...someOf(rows, 2).map((row) => row[given.each ?? 'customer'] ?? ''), 'nobody']
    : [undefined];
  const checks = await Promise.all(
    values.map(async (of) => {
      const check = await checkFromNow(project, name, of);
      return [of, check, of === undefined ? shown : await showBudget(project, name, of)] as const;
    }),
  );
  if ((await showBudget(project, name)).period_from !== shown.period_from) return false;
  for (const [of, check, one] of checks) {
    const cost = rows.find((row) => given.each === undefined || row[given.each] === of)?.cost ?? 0;
    const label = JSON.stringify({ given, of, range });
    expect(check.spent, label).toBe(cost);
    expect(check.allowed, label).toBe(cost < given.amount);
    expect(check.resets_at, label).toBe(shown.resets_at);
    expect(one.spent, label).toBe(cost);
  }
  if (given.each) {
    const listed = shown.each_spent ?? [];
    expect(Object.fromEntries(listed.map(({ of, spent }) => [of, spent]))).toEqual(
      Object.fromEntries(rows.map((row) => [row[given.each ?? 'customer'], row.cost])),
    );
    const sums = listed.map(({ spent }) => spent);
    expect(sums).toEqual(sums.toSorted((a, b) => b - a));
  }
  return true;
}

test('D20.1, D20.2: what a check and a budget say is what costs say, also of late events, tags and credits', async () => {
  const count = usualOrLong(2, 6);
  const budgets = fc.array(budget, { minLength: count, maxLength: count });
  await checkCases([history, budgets, grantsWithin(0)], 40, async ([past, times], asked, grants) => {
    const project = await farthing.createProject({ timezone: past.timezone });
    await setPrices(project, prices);
    const names = asked.map((_, index) => `b ${index}`);
    for (const [index, given] of asked.entries()) {
      const { each, ...fields } = given;
      const body = { name: names[index], ...fields, ...(each && { each }) };
      expectStatus(await project.api('POST', '/api/budgets/', body), 201);
    }
    const ids = makeCallIds();
    const now = Date.now();
    let at = 0;
    // The last batches come late: the budgets are asked between them, and their sums have to change.
    for (const [number, batch] of past.batches.entries()) {
      const dated = batch.map((event) => {
        at += 1;
        const timestamp = new Date(now - (times[at % times.length] ?? 0)).toISOString();
        return { ...event, fields: { ...event.fields, timestamp } };
      });
      await postEvents(project, ids, dated);
      if (number === 0 && past.customerTags.length > 0) {
        await project.tag(...past.customerTags.map(([customer_name, tags]) => ({ customer_name, tags })));
      }
      if (number === 1) await grantCredits(project, grants);
      for (const [index, given] of asked.entries()) {
        if ((number + index) % usualOrLong(3, 2) === 0) await compare(project, names[index] ?? '', given);
      }
    }
    await Promise.all(
      asked.map(async (given, index) => {
        // Again when a new period begins in the middle.
        while (!(await compare(project, names[index] ?? '', given)));
      }),
    );
  });
});
