import { expect, test } from 'vitest';
import type { Generations } from '../../src/calls/generations.ts';
import { toDayNumber } from '../../src/lib/days.ts';
import type { AnswerCache } from '../../src/reports/asking/answer-cache.ts';
import { listPeriods } from '../../src/reports/asking/periods.ts';
import type { AsOf } from '../../src/reports/facts/as-of.ts';
import type { SharedCost } from '../../src/reports/facts/shared-costs.ts';
import { readShares } from '../../src/reports/shared-costs/read-shares.ts';

const range = { dateFrom: '2015-01-01', dateTo: '2024-12-31' };
const entries = ['cost', 'calls', 'tokens'].map(
  (allocateBy): SharedCost => ({
    ...{ externalId: allocateBy, name: allocateBy, amount: 3_653n, ...range, scope: {} },
    allocateBy: allocateBy as SharedCost['allocateBy'],
  }),
);
const generations: Generations = {
  ...{ timezone: 'UTC', base: 0, byDay: new Map(), frozenBefore: undefined, seals: new Map(), openDays: [] },
};
const asOf = {
  ...{ project: { id: 'prj_1' }, generations, facts: { readSharedCosts: async () => entries } },
} as unknown as AsOf;

/** The rows of a page, and how many statements it took. Each statement finds a picodollar on each of its days. */
async function ask(granularity: Parameters<typeof listPeriods>[1], limit: number) {
  let statements = 0;
  const periods = listPeriods(range, granularity);
  const starts = periods.map(({ dateFrom }) => toDayNumber(dateFrom));
  const select: (statement: { readonly parameters: Record<string, unknown> }) => Promise<unknown[]> = async ({
    parameters: { shared_days },
  }) => {
    statements += 1;
    return (shared_days as number[]).map((day) => ({
      ...{ period: starts.findLast((start) => start <= day), value: 'm', shared: '1', by_feature: [] },
    }));
  };
  const rows = await readShares({ answerCache: { select } as unknown as AnswerCache }, asOf, {
    ...{
      dimensions: new Set(['model'] as const),
      value: { sql: 'model', parameters: {} },
      where: { sql: '1', parameters: {} },
    },
    plan: { periods, limit, afterValue: undefined },
  });
  return { rows: rows.map(({ period, shared }) => [period, shared]), statements };
}

test('D31.2: a page reads the shares of its own months, and of no later one', async () => {
  const whole = await ask('all', 100);
  expect(whole).toEqual({ rows: [[toDayNumber(range.dateFrom), 3n * 3_653n]], statements: 3 * 120 });
  // 40 days and one more are in two months; six weeks and one more end in March.
  const days = await ask('day', 40);
  expect(days.statements).toBe(3 * 2);
  expect(days.rows).toEqual(Array.from({ length: 41 }, (_, at) => [toDayNumber(range.dateFrom) + at, 3n]));
  const weeks = await ask('week', 8);
  expect(weeks.statements).toBe(3 * 3);
  expect(weeks.rows).toEqual([4, ...Array(8).fill(7)].map((length) => [expect.any(Number), 3n * BigInt(length)]));
});
