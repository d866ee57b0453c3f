import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  creditableEvent,
  type History,
  type HistoryEvent,
  historyOf,
  newCall,
} from '../support/arbitraries/history.ts';
import { customEvent, keyMetrics } from '../support/arbitraries/key-metrics.ts';
import { valueSeries } from '../support/arbitraries/metric-values.ts';
import { grantsWithin, type NewGrant } from '../support/arbitraries/money.ts';
import { aggregates, performanceFilters, performanceQuery, rangeWithin } from '../support/arbitraries/questions.ts';
import { type Json, type PerformanceRow, type Project, sharedFarthing } from '../support/client.ts';
import { picos } from '../support/decimal.ts';
import { someOf, usualOrLong } from '../support/effort.ts';
import { longTest } from '../support/long-test.ts';
import { expectRows, type KeyMetric, modelPerformance, periodsOf } from '../support/model.ts';
import { rowsOfPages } from '../support/pages.ts';
import { checkCases } from '../support/random-cases.ts';
import { grantCredits, type Stored, storeHistory } from '../support/stored-history.ts';

const farthing = sharedFarthing();
const monthOfDays = 31;
const history = historyOf(fc.oneof(creditableEvent(monthOfDays), { weight: 2, arbitrary: customEvent(monthOfDays) }));

interface Work {
  past: History;
  metrics: KeyMetric[];
  grants: NewGrant[];
}

const work: fc.Arbitrary<Work> = fc.record({
  past: history,
  metrics: keyMetrics,
  grants: fc.oneof(fc.constant<NewGrant[]>([]), grantsWithin(monthOfDays)),
});

async function store({ past, metrics, grants: given }: Work): Promise<Stored> {
  const { project, model } = await storeHistory(farthing, past, { type: 'internal' });
  await defineKeyMetrics(project, metrics);
  const grants = await grantCredits(project, given);
  return { project, model: { ...model, grants, keyMetrics: metrics } };
}

// Called after the events are posted: a definition applies to all of them (D9.1).
async function defineKeyMetrics(project: Project, metrics: readonly KeyMetric[]): Promise<void> {
  for (const { name, ...definition } of metrics) await project.keyMetric(name, definition);
}

test('D9: performance equals the model, in pages of any size', async () => {
  const count = usualOrLong(3, 12);
  const queries = fc.array(performanceQuery(monthOfDays), { minLength: count, maxLength: count });
  const pageCount = fc.integer({ min: 2, max: 5 });
  await checkCases([work, queries, pageCount], 60, async (given, asked, pages) => {
    const { project, model } = await store(given);
    const answers = await Promise.all(asked.map((query) => project.allPerformance({ ...query })));
    for (const [index, query] of asked.entries()) expectRows(answers[index] ?? [], modelPerformance(model, query));

    const [query, whole = []] = [asked[0], answers[0]];
    const limit = Math.max(1, Math.ceil(whole.length / pages));
    expect(await rowsOfPages(project.performance, { ...query, limit }, whole.length)).toEqual(whole);
  });
});

test('D9.1: unique compares values as JSON values, and sum is exact', async () => {
  const seriesCount = usualOrLong(10, 30);
  const series = fc.array(fc.tuple(fc.constantFrom('sum' as const, 'unique' as const), valueSeries), {
    minLength: seriesCount,
    maxLength: seriesCount,
  });
  await checkCases([series], 30, async (metricSeries) => {
    // Each series gets its own metric, and each value its own event.
    const metrics = metricSeries.map(
      ([aggregation], index): KeyMetric => ({
        name: `metric ${index}`,
        event_type: `type ${index}`,
        aggregation,
        field: '/value',
      }),
    );
    const events = metricSeries.flatMap(([, values], index) =>
      values.map(
        (value): HistoryEvent => ({
          call: newCall,
          fields: { event_type: `type ${index}`, timestamp: '2024-02-29T12:00:00Z' },
          members: [`"value":${value.text}`],
          values: [['/value', value]],
        }),
      ),
    );
    const past: History = { timezone: 'UTC', batches: [events], customerTags: [], userTags: [] };
    const { project, model } = await store({ past, metrics, grants: [] });
    const query = { date_from: '2024-02-29', date_to: '2024-02-29' };
    expectRows(await project.allPerformance(query), modelPerformance(model, query));
  });
});

longTest('D6.1, D9: users add up to the total, and days to every coarser period', async () => {
  // No feature filter: it is applied per row, so periods would not add up.
  const kept = performanceFilters.map(({ filter_users_based_on_features: _, ...filters }) => filters);
  await checkCases([work, rangeWithin(monthOfDays), kept], 25, async (given, dates, filters) => {
    const { project } = await store(given);
    const counts = given.metrics.filter(({ aggregation }) => aggregation === 'count').map(({ name }) => name);
    const totalsOf = (rows: readonly PerformanceRow[]) => ({
      cost: rows.reduce((total, { cost }) => total + picos(cost), 0n),
      // Only `count` metrics: `unique` does not add up, and `sum` has more digits than a double.
      counts: counts.map((name) => rows.reduce((total, { key_metrics }) => total + (key_metrics[name]?.value ?? 0), 0)),
    });
    const ask = (fields: Json) => project.allPerformance({ ...dates, ...filters, ...fields });
    const daily = await ask({ aggregate: 'day' });
    for (const aggregate of someOf(aggregates.slice(1), 2)) {
      const rows = await ask({ aggregate });
      const periods = periodsOf(dates.date_from, dates.date_to, aggregate);
      expect(rows.map((row) => totalsOf([row]))).toEqual(
        periods.map((period) =>
          totalsOf(daily.filter((row) => row.date_from >= period.date_from && row.date_to <= period.date_to)),
        ),
      );
    }
    for (const aggregate of someOf(['all', 'week'], 1)) {
      const [rows, groups] = await Promise.all([ask({ aggregate }), ask({ aggregate, group_by: 'user' })]);
      expect(rows.map((row) => totalsOf([row]))).toEqual(
        rows.map((row) => totalsOf(groups.filter(({ date_from }) => date_from === row.date_from))),
      );
    }
  });
});

// In the usual form tests/property/changes.test.ts compares with the model after each definition.
const afterDefinitions = usualOrLong([], [performanceQuery(monthOfDays)]);

test.each(afterDefinitions)(
  'D9.1: a definition applies to all stored events, before or after it is made',
  async (query) => {
    await checkCases([work, keyMetrics, query], 15, async (given, others, asked) => {
      const { project } = await store({ ...given, metrics: others });
      const ask = () => project.allPerformance({ ...asked });
      await ask();
      // Metrics of the same name are replaced, the others stay.
      await defineKeyMetrics(project, given.metrics);
      const changed = await ask();
      const { project: fresh } = await store({ ...given, metrics: given.metrics });
      const names = new Set(given.metrics.map(({ name }) => name));
      const seen = changed.map(({ key_metrics, ...row }) => ({
        ...row,
        key_metrics: Object.fromEntries(Object.entries(key_metrics).filter(([name]) => names.has(name))),
      }));
      const expected = await fresh.allPerformance({ ...asked });
      // A row may exist only for a metric that the other project does not have.
      const keys = new Set(expected.map(({ date_from, user }) => JSON.stringify([date_from, user])));
      expect(seen.filter(({ date_from, user }) => keys.has(JSON.stringify([date_from, user])))).toEqual(expected);
    });
  },
);
