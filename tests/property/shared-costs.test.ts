import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { creditableEvent, type History, historyOf } from '../support/arbitraries/history.ts';
import { grantsWithin, type NewGrant } from '../support/arbitraries/money.ts';
import {
  denseDays,
  environments,
  features,
  firstDay,
  models,
  providers,
  rarely,
  some,
  tagFilter,
  withoutUndefined,
} from '../support/arbitraries/names.ts';
import { creditedQuery, groups, marginQuery, performanceQuery, rangeWithin } from '../support/arbitraries/questions.ts';
import { expectStatus, type Json, onceCaughtUp, type Project, sharedFarthing } from '../support/client.ts';
import { picos } from '../support/decimal.ts';
import { isLong, usualOrLong } from '../support/effort.ts';
import {
  addDays,
  type CostsQuery,
  daysBetween,
  expectRows,
  type KeyMetric,
  type MarginQuery,
  type ModelSharedCost,
  modelCosts,
  modelMargin,
  modelPerformance,
  modelUsage,
  type PerformanceQuery,
} from '../support/model.ts';
import { expectProblem } from '../support/problem.ts';
import { checkCases } from '../support/random-cases.ts';
import { freezeBefore } from '../support/retention.ts';
import { grantCredits, type Stored, storeHistory } from '../support/stored-history.ts';

const farthing = sharedFarthing();
const length = denseDays;

const scope = fc
  .record({
    providers: rarely(some(providers)),
    models: rarely(some(models)),
    features: rarely(some(features)),
    tags: rarely(tagFilter({ env: environments, team: ['x', '7', 'true'], feature: features })),
  })
  .map(withoutUndefined);

const entry = fc
  .record({
    amount: fc.oneof(
      fc.integer({ min: -50_000_000, max: 300_000_000 }).map((micros) => micros / 1_000_000),
      fc.constantFrom('0.000000000007', '-0.000000000001', '100', '33.333333333333', 0),
    ),
    first: fc.integer({ min: -4, max: length }),
    days: fc.integer({ min: 0, max: length + 6 }),
    isOneDay: fc.boolean(),
    allocate_by: fc.constantFrom('cost', 'calls', 'tokens', 'output_tokens', 'elapsed'),
    scope: fc.option(scope, { nil: undefined }),
    // Some are replaced.
    number: fc.integer({ min: 0, max: 8 }),
  })
  .map(({ first, days, isOneDay, number, ...given }): ModelSharedCost => {
    const date_from = addDays(firstDay, first);
    const fields = { ...given, external_id: `e${number}`, name: 'GPU', date_from };
    return withoutUndefined({ ...fields, date_to: isOneDay ? undefined : addDays(date_from, days) }) as ModelSharedCost;
  });

/** A call's time is of the event that tells it; not all do. */
const timedEvent = fc
  .tuple(creditableEvent(length), fc.option(fc.integer({ min: 0, max: 9_000_000 }), { nil: undefined }))
  .map(([event, micros]) => ({
    ...event,
    fields: { ...event.fields, ...(micros !== undefined && { elapsed_ms: micros / 1000 }) },
  }));

interface Work {
  past: History;
  entries: ModelSharedCost[];
  grants: NewGrant[];
}

const work: fc.Arbitrary<Work> = fc.record({
  past: historyOf(timedEvent),
  entries: fc.array(entry, { minLength: 1, maxLength: 8, size: 'max' }),
  grants: fc.oneof(fc.constant<NewGrant[]>([]), grantsWithin(length)),
});

async function store(
  { past, entries, grants: given }: Work,
  fields: Json,
  before: (project: Project) => Promise<void> = async () => undefined,
): Promise<Stored> {
  const { project, model } = await storeHistory(farthing, past, { tag_dimensions: ['env'], ...fields });
  const grants = await grantCredits(project, given);
  await before(project);
  // One by one, since a request cannot have an id twice.
  for (const one of entries) {
    expectStatus(await project.api('POST', '/api/shared-costs/', { entries: [one] }), 201);
  }
  return { project, model: { ...model, grants, shared: entries } };
}

const page = z.object({ rows: z.array(z.looseObject({})), next_cursor: z.string().nullable() });

/** The rows of all pages, which hold `limit` rows each. */
async function allRows(project: Project, route: string, query: object, limit = 1_000): Promise<Json[]> {
  const rows: Json[] = [];
  let cursor: string | null = null;
  do {
    const body = { limit, ...query, include_shared: true, ...(cursor !== null && { cursor }) };
    const answer: z.output<typeof page> = page.parse(
      expectStatus(await project.api('POST', `/api/${route}/`, body), 200),
    );
    rows.push(...answer.rows);
    cursor = answer.next_cursor;
  } while (cursor !== null);
  return rows;
}

/** What entries cost on the days of a range. Of entries with the same id the last counts. */
const totalOf = (entries: readonly ModelSharedCost[], { date_from, date_to }: { date_from: string; date_to: string }) =>
  [...new Map(entries.map((one) => [one.external_id, one])).values()].reduce((total, one) => {
    const days = daysBetween(one.date_from, one.date_to ?? one.date_from);
    const upTo = (count: number) => (picos(one.amount) * BigInt(count)) / BigInt(days.length);
    const before = days.filter((day) => day < date_from).length;
    return total + upTo(days.filter((day) => day <= date_to).length) - upTo(before);
  }, 0n);

const sharedOf = (rows: readonly Json[]) => rows.reduce((sum, { shared_cost }) => sum + picos(Number(shared_cost)), 0n);

const included = { include_shared: true } as const;
const count = usualOrLong(2, 10);
const several = <Query>(query: fc.Arbitrary<Query>) => fc.array(query, { minLength: count, maxLength: count });

test('D31: costs, usage and margin with shared costs equal the model, every grouping adds up, and without include_shared no byte changes', async () => {
  const asked = fc.record({
    costs: several(creditedQuery(length, groups)),
    margin: several(marginQuery(length)),
    range: rangeWithin(length),
    aggregate: fc.constantFrom('day', 'week', 'all'),
    limit: fc.integer(usualOrLong({ min: 8, max: 20 }, { min: 1, max: 9 })),
  });
  await checkCases([work, asked], 60, async (given, { costs, margin, range, aggregate, limit }) => {
    const answersWithout = (project: Project) =>
      Promise.all(
        costs
          .slice(0, usualOrLong(1, costs.length))
          .flatMap((query) =>
            ['costs', 'usage'].map(
              async (route) => (await onceCaughtUp(() => project.api('POST', `/api/${route}/`, query))).text,
            ),
          ),
      );
    let without: string[] = [];
    const { project, model } = await store(given, {}, async (made) => {
      without = await answersWithout(made);
    });
    expect(await answersWithout(project)).toEqual(without);
    for (const query of costs as CostsQuery[]) {
      const expected = modelCosts(model, { ...query, ...included });
      if (isLong) expect(await allRows(project, 'costs', query)).toEqual(expected);
      expect(await allRows(project, 'costs', query, limit)).toEqual(expected);
      expect(await allRows(project, 'usage', query, limit)).toMatchObject(modelUsage(model, { ...query, ...included }));
    }
    for (const query of margin as MarginQuery[]) {
      expectRows(await allRows(project, 'margin', query, limit), modelMargin(model, { ...query, ...included }));
    }
    const total = totalOf(given.entries, range);
    for (const group_by of [undefined, ...groups]) {
      const rows = await allRows(project, 'costs', { ...range, aggregate, ...(group_by && { group_by }) });
      expect(sharedOf(rows), group_by).toBe(total);
    }
  });
});

const metrics: KeyMetric[] = [
  { name: 'all', event_type: 'llm.custom', aggregation: 'count' },
  { name: 'chat', event_type: 'llm.custom', aggregation: 'count', features: ['chat', ''] },
];

test('D31: performance with shared costs equals the model, with the costs of key metrics', async () => {
  const custom = timedEvent.map((event) => ({ ...event, fields: { ...event.fields, event_type: 'llm.custom' } }));
  const past = historyOf(fc.oneof({ weight: 3, arbitrary: timedEvent }, { weight: 1, arbitrary: custom }));
  const mixed = fc.tuple(work, past).map(([given, both]): Work => ({ ...given, past: both }));
  await checkCases([mixed, several(performanceQuery(length))], 60, async (given, asked) => {
    const { project, model } = await store(given, { type: 'internal' });
    for (const { name, ...definition } of metrics) await project.keyMetric(name, definition);
    for (const query of asked as PerformanceQuery[]) {
      const expected = modelPerformance({ ...model, keyMetrics: metrics }, { ...query, ...included });
      expectRows(await allRows(project, 'performance', query, 5), expected);
    }
  });
});

test('D31.2, D2: on frozen days, answers are those of the calls, up to the last digits, or name the entries that need calls', async () => {
  const asked = fc.record({
    costs: fc.array(
      creditedQuery(length, groups),
      usualOrLong({ minLength: 6, maxLength: 6 }, { minLength: 12, maxLength: 12 }),
    ),
    margin: several(marginQuery(length)),
    range: rangeWithin(length),
  });
  await checkCases([work, asked], 6, async (given, { costs, margin, range }) => {
    const { project, model } = await store(given, {});
    await freezeBefore(project, addDays(firstDay, length + 1));
    const total = totalOf(given.entries, range);
    const whole: CostsQuery[] = [undefined, ...groups].map(
      (group_by) => withoutUndefined({ ...range, group_by }) as CostsQuery,
    );
    for (const query of [...whole, ...(costs as CostsQuery[])]) {
      const answer = await project.api('POST', '/api/costs/', { limit: 1_000, ...query, ...included });
      if (answer.status === 400) {
        // Some questions are refused whatever is shared.
        const own = await project.api('POST', '/api/costs/', query);
        if (own.status === 200) expect(expectProblem(answer, 400, 'beyond_retention').detail).toMatch(/share of e\d/);
        continue;
      }
      const { rows, next_cursor: cursor } = page.parse(expectStatus(answer, 200));
      expect(cursor).toBeNull();
      if (whole.includes(query)) expect(sharedOf(rows), query.group_by).toBe(total);
      const expected = modelCosts(model, { ...query, ...included });
      const keyed = (answer: readonly Json[]) => answer.map(({ cost: _, shared_cost: __, ...row }) => row);
      expect(keyed(rows)).toEqual(keyed(expected));
      const isOfCustomers = [undefined, 'customer'].includes(query.group_by);
      const isExact = isOfCustomers && !query.features && !query.models && !query.providers;
      for (const [at, row] of rows.entries()) {
        const apart = picos(Number(row.shared_cost)) - picos(Number(expected[at]?.shared_cost));
        const most = isExact ? 0n : BigInt(given.entries.length * length);
        expect(apart <= most && -apart <= most, JSON.stringify([query, row, expected[at]])).toBe(true);
      }
    }
    for (const query of margin as MarginQuery[]) {
      // Pages of it are asked for above.
      const answer = await project.api('POST', '/api/margin/', { limit: 1_000, ...query, ...included });
      if (answer.status === 400) expectProblem(answer, 400, 'beyond_retention');
      else expectRows(page.parse(expectStatus(answer, 200)).rows, modelMargin(model, { ...query, ...included }));
    }
  });
});
