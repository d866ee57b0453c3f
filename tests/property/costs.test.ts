import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  aggregates,
  callIds,
  dimensions,
  filters,
  type History,
  history,
  prices,
  query,
  range,
} from '../support/arbitraries.ts';
import { type CostRow, type Json, type Project, sharedFarthing } from '../support/client.ts';
import { picos } from '../support/decimal.ts';
import { type ModelStore, modelCosts, periodsOf } from '../support/model.ts';

const farthing = sharedFarthing();

/** On a busy machine fewer histories are tried, rather than that the tests take longer. */
const timeLimit = 12_000;

/** Puts a history into a project of its own, and the same into the model. */
async function store(past: History): Promise<{ project: Project; model: ModelStore }> {
  const project = await farthing.createProject({ timezone: past.timezone });
  for (const { model, input, output, cacheRead } of prices) {
    await project.addPrice({
      model,
      input_per_mtok: Number(input),
      output_per_mtok: Number(output),
      cache_read_per_mtok: Number(cacheRead),
    });
  }
  if (past.customerTags.length > 0) {
    await project.tag(...past.customerTags.map(([customer_name, tags]) => ({ customer_name, tags })));
  }
  const ids = Array.from({ length: callIds }, () => randomUUID());
  const batches = past.batches.map((batch): Json[] =>
    batch.map(({ call, fields }, index) => {
      const id = ids[call] ?? randomUUID();
      return { event_id: index % 5 === 4 ? id.toUpperCase() : id, ...fields };
    }),
  );
  for (const batch of batches) await project.post(...batch);
  const receivedAt = Date.now();
  return {
    project,
    model: {
      timezone: past.timezone,
      prices,
      customerTags: new Map(past.customerTags.map(([name, tags]) => [name, new Map(Object.entries(tags))])),
      events: batches.flat().map((event) => ({ event, receivedAt })),
    },
  };
}

/** An average is a quotient, of which the last digits are nobody's promise; everything else is exact. */
function expectSameRows(answered: readonly CostRow[], expected: readonly CostRow[]): void {
  const withoutAverage = (row: CostRow) => ({ ...row, avg_feature_run_cost: 0 });
  expect(answered.map(withoutAverage)).toEqual(expected.map(withoutAverage));
  for (const [index, row] of answered.entries()) {
    const average = expected[index]?.avg_feature_run_cost ?? Number.NaN;
    expect(Math.abs(row.avg_feature_run_cost - average)).toBeLessThanOrEqual(1e-12 + average * 1e-14);
  }
}

test('D3–D6: costs are what the model says, in pages of any size', { timeout: 120_000 }, async () => {
  const queries = fc.array(query, { minLength: 16, maxLength: 16 });
  const pageCount = fc.integer({ min: 2, max: 5 });
  const deadline = Date.now() + timeLimit;
  await fc.assert(
    fc.asyncProperty(history, queries, pageCount, async (past, asked, pages) => {
      if (Date.now() > deadline) return;
      const { project, model } = await store(past);
      const answers = await Promise.all(asked.map((query) => project.allCosts({ ...query })));
      for (const [index, query] of asked.entries()) expectSameRows(answers[index] ?? [], modelCosts(model, query));

      const [query, whole = []] = [asked[0], answers[0]];
      const limit = Math.max(1, Math.ceil(whole.length / pages));
      expect(await pagesOf(project, { ...query, limit }, whole.length)).toEqual(whole);
    }),
    { numRuns: 100 },
  );
});

/** All rows, page by page; every page but the last must be full, and the last not empty. */
async function pagesOf(project: Project, query: Json & { limit: number }, total: number): Promise<CostRow[]> {
  const rows: CostRow[] = [];
  let cursor: string | null = null;
  do {
    const page = await project.costs({ ...query, ...(cursor !== null && { cursor }) });
    rows.push(...page.rows);
    expect(page.rows).toHaveLength(Math.min(query.limit, total - (rows.length - page.rows.length)));
    expect(page.has_more).toBe(rows.length < total);
    expect(page.next_cursor === null).toBe(!page.has_more);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return rows;
}

test('D4.5, D6.1: groups add up to the whole, and days to every coarser period', { timeout: 120_000 }, async () => {
  const deadline = Date.now() + timeLimit;
  await fc.assert(
    fc.asyncProperty(history, range, filters, async (past, dates, filter) => {
      if (Date.now() > deadline) return;
      const { project } = await store(past);
      const ask = (fields: Json) => project.allCosts({ ...dates, ...filter, ...fields });
      const [days = [], ...coarser] = await Promise.all(aggregates.map((aggregate) => ask({ aggregate })));
      for (const [index, rows] of coarser.entries()) {
        const periods = periodsOf(dates.date_from, dates.date_to, aggregates[index + 1] ?? 'day');
        expect(rows.map(({ date_from, date_to }) => ({ date_from, date_to }))).toEqual(periods);
        expect(rows.map((row) => picos(row.cost))).toEqual(
          periods.map((period) =>
            sumOf(days.filter((row) => row.date_from >= period.date_from && row.date_to <= period.date_to)),
          ),
        );
      }
      await Promise.all(
        dimensions.map(async (group_by) => {
          const groups = await ask({ aggregate: 'all', group_by });
          expect(sumOf(groups)).toBe(sumOf(days));
          const weeks = await ask({ aggregate: 'week', group_by });
          for (const group of groups) {
            expect(sumOf(weeks.filter((row) => row[group_by] === group[group_by]))).toBe(picos(group.cost));
          }
        }),
      );
    }),
    { numRuns: 25 },
  );
});

function sumOf(rows: readonly CostRow[]): bigint {
  return rows.reduce((total, row) => total + picos(row.cost), 0n);
}
