// A page is read in steps of periods. With any steps it holds the first rows of all, and one more if there is one.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PagePlan, readInSteps } from '../../src/reports/asking/page.ts';

const periodOf = (at: number) => {
  const day = new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10);
  return { dateFrom: day, dateTo: day };
};

/** What the store would answer of a part, of so many rows in each period; and how often it was asked. */
function storeOf(counts: readonly number[], limit: number) {
  const plan: PagePlan = {
    identity: 'any',
    limit,
    range: { dateFrom: '2026-01-01', dateTo: '2026-12-31' },
    periods: counts.map((_, at) => periodOf(at)),
    afterValue: undefined,
  };
  const rowsOf = (at: number) =>
    Array.from({ length: counts[at] ?? 0 }, (_, row) => ({ period: at, value: String(row) }));
  const asked: number[] = [];
  const read = (part: PagePlan) => {
    asked.push(part.periods.length);
    const rows = part.periods.flatMap(({ dateFrom }) =>
      rowsOf(plan.periods.findIndex((period) => period.dateFrom === dateFrom)),
    );
    return Promise.resolve(rows.slice(0, part.limit + 1));
  };
  const all = counts.flatMap((_, at) => rowsOf(at));
  return { plan, read, asked, page: all.slice(0, limit), hasMore: all.length > limit };
}

test('for any estimate of the rows of a period', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 7 }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 60 }),
      fc.option(fc.nat({ max: 5 }), { nil: undefined }),
      async (counts, limit, above) => {
        const most = above === undefined ? undefined : Math.max(0, ...counts) + above;
        const { plan, read, page, hasMore } = storeOf(counts, limit);
        const records = await readInSteps(plan, most, read);
        expect(records.slice(0, limit)).toEqual(page);
        expect(records.length > limit).toBe(hasMore);
      },
    ),
    { numRuns: 500 },
  );
});

test.each([
  ['a page of full periods is one step', Array.from({ length: 90 }, () => 50), 50, [21]],
  ['fewer rows than there could be take another', Array.from({ length: 90 }, () => 5), 50, [21, 69]],
  ['nothing known: the first period, then the next four', Array.from({ length: 90 }, () => 300), undefined, [1, 4]],
  [
    'few rows in the first period: as many more as fill the page',
    Array.from({ length: 90 }, () => 50),
    undefined,
    [1, 20],
  ],
  ['none in the first period: many more at once', [0, ...Array.from({ length: 89 }, () => 50)], undefined, [1, 32]],
  ['no value asked for: there is nothing to find', [0, 0, 0], 0, [3]],
])('%s', async (_name, counts, most, steps) => {
  const { plan, read, asked } = storeOf(counts, 1_000);
  await readInSteps(plan, most, read);
  expect(asked).toEqual(steps);
});
