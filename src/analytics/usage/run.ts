import { readGenerations } from '../../calls/generations.ts';
import { usageColumns } from '../../clickhouse/schema.ts';
import type { Day } from '../../lib/days.ts';
import { divideToNumber } from '../../lib/money.ts';
import type { Project } from '../../projects/projects.ts';
import { onPageDays, whereCalls } from '../call-filters.ts';
import type { CostsQuestion } from '../costs/parse.ts';
import { type Page, type PagePlan, toPage } from '../page.ts';
import type { Period } from '../periods.ts';
import type { AnalyticsSources } from '../sources.ts';
import { all, type Dimension } from '../where.ts';
import { nanosecondsPerMillisecond, selectUsage, type UsageRecord } from './sql.ts';

/** A usage row in the names of the API. */
type UsageRow = {
  readonly date_from: Day;
  readonly date_to: Day;
  readonly calls: number;
  readonly errors: number;
  readonly unpriced_calls: number;
  readonly tokens: Readonly<Record<string, number>>;
  readonly elapsed_ms_sum: number;
  readonly elapsed_ms_max: number;
} & { readonly [D in Dimension]?: string };

/** The buckets of usage as the API calls them, in the order of the store's columns. */
export const tokenNames: readonly string[] = usageColumns.map((column) => column.replace(/_tokens$/, ''));

/** Answers a page as it was planned. */
export async function runUsage(
  project: Project,
  { groupBy, isGrouped, filters }: CostsQuestion,
  plan: PagePlan,
  { store, control }: AnalyticsSources,
): Promise<Page<UsageRow>> {
  const generations = await readGenerations(control, project.id);
  const where = all([
    await whereCalls(control, project.id, { range: plan.range, generations, filters }),
    onPageDays(plan.periods),
  ]);
  const { sql, parameters } = selectUsage({ where, plan, groupBy });
  const records = plan.periods.length === 0 ? [] : await store.select<UsageRecord>(sql, parameters);
  return toPage(plan, isGrouped, records, (period, record) =>
    toRow(period, record, groupBy && record ? { [groupBy]: record.value } : {}),
  );
}

function toRow(
  period: Period,
  record: UsageRecord | undefined,
  value: { readonly [D in Dimension]?: string },
): UsageRow {
  return {
    date_from: period.dateFrom,
    date_to: period.dateTo,
    ...value,
    calls: Number(record?.calls ?? 0),
    errors: Number(record?.errors ?? 0),
    unpriced_calls: Number(record?.unpriced_calls ?? 0),
    tokens: Object.fromEntries(tokenNames.map((name, index) => [name, Number(record?.tokens[index] ?? 0)])),
    elapsed_ms_sum: divideToNumber(BigInt(record?.elapsed_sum ?? 0), BigInt(nanosecondsPerMillisecond)),
    elapsed_ms_max: record?.elapsed_max ?? 0,
  };
}
