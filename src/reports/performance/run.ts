import { z } from 'zod';
import type { KeyMetric } from '../../accounts/key-metrics/key-metrics.ts';
import { type Readings, resolveReadings } from '../../accounts/key-metrics/readings.ts';
import { askedField, moneyField, quotientField, rowDays, sharedCostField } from '../../lib/http/row-fields.ts';
import {
  divideToNumber,
  dollar,
  parseWideMoney,
  toJsonNumber,
  type WideMoney,
  widen,
  wideToJsonNumber,
} from '../../lib/money.ts';
import { tagField } from '../asking/group.ts';
import { type Page, type PagePlan, readRecords, toPeriodPage } from '../asking/page.ts';
import { positionBefore } from '../asking/period-sql.ts';
import { joinPeriods } from '../asking/periods.ts';
import type { AnswerSources } from '../asking/sources.ts';
import type { AsOf } from '../facts/as-of.ts';
import { joinShares, planShares } from '../shared-costs/join-shares.ts';
import type { SharedParts } from '../shared-costs/read-shares.ts';
import { requireReadings } from './frozen-readings.ts';
import type { PerformanceQuestion } from './parse.ts';
import { readRows } from './read-rows.ts';
import type { PerformanceRecord } from './rows.ts';
import { planSelections } from './selections.ts';
import { readPerformanceShares } from './shares.ts';

const keyMetricEntry = z.object({
  value: z.number().describe('The value of the key metric over the events of the row; never 0.'),
  total_cost: moneyField("USD: the row's cost for the features of the key metric."),
  cost_per_unit: quotientField('USD: total_cost / value.'),
});
type KeyMetricEntry = z.input<typeof keyMetricEntry>;

export const performanceRow = z.object({
  ...rowDays,
  user: askedField(z.string(), 'group_by', 'user'),
  tag: tagField,
  cost: moneyField('USD; less free AI credits when `apply_credits` is true.'),
  shared_cost: sharedCostField,
  key_metrics: z.record(z.string(), keyMetricEntry).describe('The key metrics that have data for the row, by name.'),
});

/** @throws Problem `beyond_retention` when it needs calls or events that are deleted */
export async function runPerformance(
  asOf: AsOf,
  question: PerformanceQuestion,
  plan: PagePlan,
  sources: AnswerSources,
): Promise<Page<z.input<typeof performanceRow>>> {
  const metrics = await asOf.facts.readKeyMetrics();
  const readings = resolveReadings(metrics);
  const records = await readPageRecords(asOf, question, plan, { metrics, readings }, sources);
  if (!question.includeShared) {
    return toPeriodPage(plan, question, records, (record) => ({
      cost: wideToJsonNumber(costOf(record)),
      key_metrics: record ? calcEntries(record, { metrics, readings }) : {},
    }));
  }
  const shares = await readPerformanceShares(asOf, question, planShares(plan, records), metrics, sources);
  return toPeriodPage(plan, question, joinShares(plan, records, shares), (row) => ({
    cost: wideToJsonNumber(costOf(row?.record) + widen(row?.shares?.shared ?? 0n)),
    shared_cost: toJsonNumber(row?.shares?.shared ?? 0n),
    key_metrics: row?.record ? calcEntries(row.record, { metrics, readings }, row.shares) : {},
  }));
}

const costOf = (record: PerformanceRecord | undefined): WideMoney => parseWideMoney(record?.cost?.cost ?? '0');

async function readPageRecords(
  asOf: AsOf,
  question: PerformanceQuestion,
  plan: PagePlan,
  { metrics, readings }: { readonly metrics: readonly KeyMetric[]; readonly readings: Readings },
  sources: AnswerSources,
): Promise<readonly PerformanceRecord[]> {
  const days = joinPeriods(plan.periods);
  if (!days) return [];
  await requireReadings(sources.store, { ...asOf, days, readings });
  const context = { days, metrics, readings: readings.list };
  const select = await planSelections(sources, asOf, question, context);
  const how = { isAtOnce: !question.isGrouped, most: question.filters.users?.length };
  return await readRecords(plan, how, (part) =>
    readRows(sources, select(part.periods), { after: positionBefore(part), limit: part.limit + 1 }),
  );
}

/** The entries of a row by metric name. Metrics that no event feeds or whose value is 0 are left out (D9.2). */
function calcEntries(
  record: PerformanceRecord,
  { metrics, readings }: { readonly metrics: readonly KeyMetric[]; readonly readings: Readings },
  shares?: SharedParts,
): Record<string, KeyMetricEntry> {
  const costs = new Map(record.cost?.by_feature.map(([feature, cost]) => [feature, parseWideMoney(cost)]));
  for (const [feature, shared] of shares?.byFeature ?? []) {
    costs.set(feature, (costs.get(feature) ?? 0n) + widen(shared));
  }
  const rowCost = costOf(record) + widen(shares?.shared ?? 0n);
  const entries = metrics.flatMap(({ name, features }): [string, KeyMetricEntry][] => {
    const total = record.totals.get(readings.byMetric.get(name) ?? -1);
    if (!total || total.fed === 0) return [];
    const { units, unit } = total.value;
    if (units === 0n) return [];
    const cost = features === null ? rowCost : sumCosts(costs, features);
    const entry = {
      value: divideToNumber(units, unit),
      total_cost: wideToJsonNumber(cost),
      cost_per_unit: divideToNumber(cost * unit, wideDollar * units),
    };
    return [[name, entry]];
  });
  // `fromEntries` defines own properties, so `__proto__` is an ordinary name.
  return Object.fromEntries(entries);
}

const wideDollar: WideMoney = widen(dollar);

const sumCosts = (costs: ReadonlyMap<string, WideMoney>, features: readonly string[]): WideMoney =>
  [...new Set(features)].reduce((sum, feature) => sum + (costs.get(feature) ?? 0n), 0n);
