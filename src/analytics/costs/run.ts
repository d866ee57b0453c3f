import { readGenerations } from '../../calls/generations.ts';
import type { Day } from '../../lib/days.ts';
import { calcAverage, parseMoney, parseWideMoney, toJsonNumber, wideToJsonNumber } from '../../lib/money.ts';
import type { Project } from '../../projects/projects.ts';
import { onPageDays, whereCalls } from '../call-filters.ts';
import { readCostBasis } from '../cost-basis.ts';
import { type Page, type PagePlan, toPage } from '../page.ts';
import { joinPeriods, type Period } from '../periods.ts';
import type { AnalyticsSources } from '../sources.ts';
import { all, type Dimension } from '../where.ts';
import type { CostsQuestion } from './parse.ts';
import { type CostsRecord, selectCosts } from './sql.ts';

/** A cost row (section 2.2) in the names of the API. */
export type CostRow = {
  readonly date_from: Day;
  readonly date_to: Day;
  readonly cost: number;
  readonly avg_feature_run_cost: number;
  readonly max_feature_run_cost: number;
} & { readonly [D in Dimension]?: string };

/** Answers a page as it was planned. */
export async function runCosts(
  project: Project,
  question: CostsQuestion,
  plan: PagePlan,
  sources: AnalyticsSources,
): Promise<Page<CostRow>> {
  const { groupBy, isGrouped } = question;
  const records = await readRecords(project, question, plan, sources);
  return toPage(plan, isGrouped, records, (period, record) =>
    toRow(period, record, groupBy && record ? { [groupBy]: record.value } : {}),
  );
}

async function readRecords(
  project: Project,
  { groupBy, filters, applyCredits }: CostsQuestion,
  plan: PagePlan,
  sources: AnalyticsSources,
): Promise<CostsRecord[]> {
  const period = joinPeriods(plan.periods);
  if (!period) return [];
  const generations = await readGenerations(sources.control, project.id);
  const [selected, basis] = await Promise.all([
    whereCalls(sources.control, project.id, { range: plan.range, generations, filters }),
    readCostBasis(sources, project, { generations, period, applyCredits }),
  ]);
  const where = all([selected, onPageDays(plan.periods)]);
  const { sql, parameters } = selectCosts({ where, basis, plan, groupBy });
  return await sources.store.select<CostsRecord>(sql, parameters);
}

function toRow(
  period: Period,
  record: CostsRecord | undefined,
  value: { readonly [D in Dimension]?: string },
): CostRow {
  const runs = Number(record?.runs ?? 0);
  return {
    date_from: period.dateFrom,
    date_to: period.dateTo,
    ...value,
    cost: wideToJsonNumber(parseWideMoney(record?.cost ?? '0')),
    avg_feature_run_cost: runs === 0 ? 0 : calcAverage(parseMoney(record?.run_cost ?? '0') ?? 0n, runs),
    max_feature_run_cost: toJsonNumber(parseMoney(record?.max_run_cost ?? '0') ?? 0n),
  };
}
