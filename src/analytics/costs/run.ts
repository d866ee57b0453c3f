import { readGenerations } from '../../calls/generations.ts';
import type { Day } from '../../lib/days.ts';
import { calcAverage, parseMoney, parseWideMoney, toJsonNumber, wideToJsonNumber } from '../../lib/money.ts';
import type { Project } from '../../projects/projects.ts';
import { onPageDays, whereCalls } from '../call-filters.ts';
import { grossCost } from '../cost-basis.ts';
import { type Page, type PagePlan, toPage } from '../page.ts';
import type { Period } from '../periods.ts';
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
  { store, control }: AnalyticsSources,
): Promise<Page<CostRow>> {
  const { groupBy, isGrouped, filters } = question;
  const generations = await readGenerations(control, project.id);
  const where = all([
    await whereCalls(control, project.id, { range: plan.range, generations, filters }),
    onPageDays(plan.periods),
  ]);
  const { sql, parameters } = selectCosts({ where, basis: grossCost, plan, groupBy });
  const records = plan.periods.length === 0 ? [] : await store.select<CostsRecord>(sql, parameters);
  return toPage(plan, isGrouped, records, (period, record) =>
    toRow(period, record, groupBy && record ? { [groupBy]: record.value } : {}),
  );
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
