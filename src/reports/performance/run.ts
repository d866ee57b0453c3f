import type { KeyMetric } from '../../accounts/key-metrics/key-metrics.ts';
import { type Readings, resolveReadings } from '../../accounts/key-metrics/readings.ts';
import type { Period } from '../../lib/days.ts';
import { type Day, toDayNumber } from '../../lib/days.ts';
import { parseWideMoney, wideToJsonNumber } from '../../lib/money.ts';
import { type Page, type PagePlan, readInSteps, toPage } from '../asking/page.ts';
import { joinPeriods } from '../asking/periods.ts';
import type { AnalyticsSources } from '../asking/sources.ts';
import type { AsOf } from '../facts/as-of.ts';
import { calcEntries, type KeyMetricEntry } from './entries.ts';
import { requireReadings } from './frozen-readings.ts';
import type { PerformanceQuestion } from './parse.ts';
import { readRows } from './read-rows.ts';
import type { PerformanceRecord } from './rows.ts';
import { planSelections } from './selections.ts';

/** A performance row (section 2.4), with the API's field names. */
export interface PerformanceRow {
  readonly date_from: Day;
  readonly date_to: Day;
  readonly user?: string;
  readonly cost: number;
  readonly key_metrics: Readonly<Record<string, KeyMetricEntry>>;
}

/**
 * Reads a page as planned.
 * @throws Problem `beyond_retention` when it needs calls or events that are deleted
 */
export async function runPerformance(
  asOf: AsOf,
  question: PerformanceQuestion,
  plan: PagePlan,
  sources: AnalyticsSources,
): Promise<Page<PerformanceRow>> {
  const { isGrouped } = question;
  const metrics = await asOf.facts.readKeyMetrics();
  const readings = resolveReadings(metrics);
  const records = await readRecords(asOf, question, plan, { metrics, readings }, sources);
  return toPage(plan, isGrouped, records, (period, record) => toRow(period, record, { isGrouped, metrics, readings }));
}

async function readRecords(
  asOf: AsOf,
  question: PerformanceQuestion,
  plan: PagePlan,
  { metrics, readings }: Pick<RowContext, 'metrics' | 'readings'>,
  sources: AnalyticsSources,
): Promise<PerformanceRecord[]> {
  const days = joinPeriods(plan.periods);
  if (!days) return [];
  await requireReadings(sources.store, { ...asOf, days, readings });
  const context = { days, metrics, readings: readings.list };
  const select = await planSelections(sources, asOf, question, context);
  const read = (part: PagePlan) =>
    readRows(sources, select(part.periods), { after: afterOf(part), limit: part.limit + 1 });
  return question.isGrouped ? await readInSteps(plan, question.filters.users?.length, read) : await read(plan);
}

/** The position of the previous page's last row. */
function afterOf({ periods, afterValue }: PagePlan) {
  const first = periods[0];
  if (!first || afterValue === undefined) return undefined;
  return { period: toDayNumber(first.dateFrom), value: afterValue };
}

interface RowContext {
  readonly isGrouped: boolean;
  readonly metrics: readonly KeyMetric[];
  readonly readings: Readings;
}

function toRow(
  period: Period,
  record: PerformanceRecord | undefined,
  { isGrouped, metrics, readings }: RowContext,
): PerformanceRow {
  return {
    date_from: period.dateFrom,
    date_to: period.dateTo,
    ...(isGrouped && { user: record?.value ?? '' }),
    cost: wideToJsonNumber(parseWideMoney(record?.cost?.cost ?? '0')),
    key_metrics: record ? calcEntries(record, metrics, readings) : {},
  };
}
