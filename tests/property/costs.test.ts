import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askChanges } from '../api/D21-changes/support.ts';
import { callEvent, historyOf } from '../support/arbitraries/history.ts';
import { days, firstDay } from '../support/arbitraries/names.ts';
import { aggregates, costFilters, costsQuery, groups, rangeWithin } from '../support/arbitraries/questions.ts';
import { type CostRow, type Dimension, type Json, sharedFarthing } from '../support/client.ts';
import { picos } from '../support/decimal.ts';
import { someOf, usualOrLong } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { addDays, modelCosts, periodsOf } from '../support/model.ts';
import { rowsOfPages } from '../support/pages.ts';
import { checkCases } from '../support/random-cases.ts';
import { storeHistory } from '../support/stored-history.ts';

const farthing = sharedFarthing();
const history = historyOf(callEvent(days));

const tagGroups = groups.filter((group) => group.includes(':'));
const comparison = fc.record({
  tag_dimensions: fc.constantFrom([], ['env'], ['env', 'none']),
  group_by: fc.constantFrom(...tagGroups),
  filters: costFilters,
});

test('D3–D6, D28.1: costs equal the model, in pages of any size, and so do changes by a tag', async () => {
  const count = usualOrLong(4, 16);
  const queries = fc.array(costsQuery, { minLength: count, maxLength: count });
  const pageCount = fc.integer({ min: 2, max: 5 });
  await checkCases([history, queries, pageCount, comparison], 100, async (past, asked, pages, compared) => {
    // Days are sealed meanwhile, with the cells of no, one or two tags.
    const { project, model } = await storeHistory(farthing, past, { tag_dimensions: compared.tag_dimensions });
    const answers = await Promise.all(asked.map((query) => project.allCosts({ ...query })));
    for (const [index, query] of asked.entries()) expect(answers[index]).toEqual(modelCosts(model, query));

    const [query, whole = []] = [asked[0], answers[0]];
    const limit = Math.max(1, Math.ceil(whole.length / pages));
    expect(await rowsOfPages(project.costs, { ...query, limit }, whole.length)).toEqual(whole);

    const { group_by, filters } = compared;
    const middle = addDays(firstDay, Math.floor(days / 2));
    const before = { before_from: firstDay, before_to: addDays(middle, -1) };
    const ranges = { ...before, date_from: middle, date_to: addDays(firstDay, days) };
    const { by_tag: byTag } = await askChanges(project, { ...ranges, group_by, ...filters, limit: 1_000 });
    const costsIn = (date_from: string, date_to: string) =>
      modelCosts(model, { date_from, date_to, aggregate: 'all', group_by, ...filters }).map(({ tag, cost }) => [
        tag,
        cost,
      ]);
    const changed = (field: 'cost' | 'cost_before') =>
      new Map(byTag?.rows.map((row): [string, number] => [row.name, row[field]]).filter(([, cost]) => cost !== 0));
    const costly = (rows: unknown[][]) => new Map(rows.filter(([, cost]) => cost !== 0) as [string, number][]);
    expect(changed('cost_before')).toEqual(costly(costsIn(ranges.before_from, ranges.before_to)));
    expect(changed('cost')).toEqual(costly(costsIn(ranges.date_from, ranges.date_to)));
  });
});

longTest('D4.5, D6.1: groups add up to the total, and days to every coarser period', async () => {
  await checkCases([history, rangeWithin(days), costFilters], 25, async (past, dates, filter) => {
    const { project } = await storeHistory(farthing, past);
    const ask = (fields: Json) => project.allCosts({ ...dates, ...filter, ...fields });
    const daily = await ask({ aggregate: 'day' });
    for (const aggregate of someOf(aggregates.slice(1), 3)) {
      const rows = await ask({ aggregate });
      const periods = periodsOf(dates.date_from, dates.date_to, aggregate);
      expect(rows.map(({ date_from, date_to }) => ({ date_from, date_to }))).toEqual(periods);
      expect(rows.map((row) => picos(row.cost))).toEqual(
        periods.map((period) =>
          sumOf(daily.filter((row) => row.date_from >= period.date_from && row.date_to <= period.date_to)),
        ),
      );
    }
    await Promise.all(
      someOf(groups, 3).map(async (group_by) => {
        const rows = await ask({ aggregate: 'all', group_by });
        expect(sumOf(rows)).toBe(sumOf(daily));
        const weeks = await ask({ aggregate: 'week', group_by });
        const valueIn = (row: CostRow) => (group_by.includes(':') ? row.tag : row[group_by as Dimension]);
        for (const row of rows) {
          expect(sumOf(weeks.filter((week) => valueIn(week) === valueIn(row)))).toBe(picos(row.cost));
        }
      }),
    );
  });
});

function sumOf(rows: readonly CostRow[]): bigint {
  return rows.reduce((total, row) => total + picos(row.cost), 0n);
}
