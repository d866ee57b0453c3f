import type { Day, Period } from '../../lib/days.ts';
import { calcAverage, toJsonNumber, wideToJsonNumber } from '../../lib/money.ts';
import { readCostBasis } from '../asking/cost-basis.ts';
import { type Page, type PagePlan, readInSteps, toPage } from '../asking/page.ts';
import { joinPeriods } from '../asking/periods.ts';
import type { AnalyticsSources } from '../asking/sources.ts';
import type { Dimension } from '../asking/where.ts';
import type { AsOf } from '../facts/as-of.ts';
import { type CostsQuestion, countMost } from './parse.ts';
import type { CostsRecord } from './records.ts';
import { planSource } from './source.ts';

/** A cost row (section 2.2), with the API's field names. */
export type CostRow = {
  readonly date_from: Day;
  readonly date_to: Day;
  readonly cost: number;
  readonly avg_feature_run_cost: number;
  readonly max_feature_run_cost: number;
} & { readonly [D in Dimension]?: string };

/** Reads a page as planned. */
export async function runCosts(
  asOf: AsOf,
  question: CostsQuestion,
  plan: PagePlan,
  sources: AnalyticsSources,
): Promise<Page<CostRow>> {
  const { groupBy, isGrouped } = question;
  const records = await readCostRecords(asOf, question, plan, sources);
  return toPage(plan, isGrouped, records, (period, record) =>
    toRow(period, record, groupBy && record ? { [groupBy]: record.value } : {}),
  );
}

/** Reads the records of a page as planned, whose money is exact. */
export async function readCostRecords(
  asOf: AsOf,
  question: CostsQuestion,
  plan: PagePlan,
  sources: AnalyticsSources,
): Promise<readonly CostsRecord[]> {
  const source = await planSource(asOf, question, plan.range, sources);
  const read = async (part: PagePlan) => {
    const period = joinPeriods(part.periods);
    if (!period) return [];
    const { applyCredits } = question;
    const basis = await readCostBasis(sources, { ...asOf, period, applyCredits });
    return await source.read({ part, period, basis });
  };
  return question.isGrouped && !source.isReadAtOnce
    ? await readInSteps(plan, countMost(question), read)
    : await read(plan);
}

function toRow(
  period: Period,
  record: CostsRecord | undefined,
  value: { readonly [D in Dimension]?: string },
): CostRow {
  const { cost = 0n, runCost = 0n, runs = 0, maxRunCost = 0n } = record ?? {};
  return {
    date_from: period.dateFrom,
    date_to: period.dateTo,
    ...value,
    cost: wideToJsonNumber(cost),
    avg_feature_run_cost: runs === 0 ? 0 : calcAverage(runCost, runs),
    max_feature_run_cost: toJsonNumber(maxRunCost),
  };
}
