import { readGenerations } from '../../calls/generations.ts';
import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import type { ControlStore } from '../../control/control-store.ts';
import { findTagged } from '../../customers/tag-store.ts';
import type { Clock } from '../../lib/clock.ts';
import { type Day, toDayNumber } from '../../lib/days.ts';
import { calcAverage, type Money, parseMoney, toJsonNumber } from '../../lib/money.ts';
import type { Project } from '../../projects/projects.ts';
import { writeCursor } from '../cursor.ts';
import type { Period } from '../periods.ts';
import { all, type Clause, type Dimension, inPeriod, ofTaggedRuns, oneOf } from '../where.ts';
import type { CostsQuestion } from './parse.ts';
import type { CostsPlan } from './plan.ts';
import { type CostsRecord, selectCosts } from './sql.ts';

export interface CostsSources {
  readonly store: AnalyticStore;
  readonly control: ControlStore;
  readonly clock: Clock;
}

/** A cost row (section 2.2) in the names of the API. */
export type CostRow = {
  readonly date_from: Day;
  readonly date_to: Day;
  readonly cost: number;
  readonly avg_feature_run_cost: number;
  readonly max_feature_run_cost: number;
} & { readonly [D in Dimension]?: string };

export interface Page<Row> {
  readonly rows: Row[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

/** Answers a page as it was planned. */
export async function runCosts(
  project: Project,
  plan: CostsPlan,
  { store, control }: CostsSources,
): Promise<Page<CostRow>> {
  const { question, identity, limit, range } = plan;
  const first = plan.periods[0];
  const last = plan.periods.at(-1);
  if (!first || !last) return { rows: [], next_cursor: null, has_more: false };

  const generations = await readGenerations(control, project.id);
  const wholeRange = inPeriod(project.id, range, generations);
  const where = all([
    wholeRange,
    {
      sql: 'day >= {page_from:Date} AND day <= {page_to:Date}',
      parameters: { page_from: first.dateFrom, page_to: last.dateTo },
    },
    ...[...question.filters].map(([dimension, values]) => oneOf(dimension, values)),
    ...(question.customerTags ? [await ofTaggedCustomers(control, project.id, question)] : []),
    ...(question.runTags ? [ofTaggedRuns(wholeRange, question.runTags)] : []),
  ]);
  const { sql, parameters } = selectCosts({
    where,
    periods: plan.periods,
    groupBy: question.groupBy,
    afterValue: plan.afterValue,
    limit: limit + 1,
  });
  const records = await store.select<CostsRecord>(sql, parameters);

  const rows = question.groupBy
    ? toGroupedRows(records, plan.periods, question.groupBy)
    : toPeriodRows(records, plan.periods);
  const page = rows.slice(0, limit);
  const lastRow = page.at(-1);
  const hasMore = rows.length > limit && lastRow !== undefined;
  return {
    rows: page,
    next_cursor: hasMore
      ? writeCursor(identity, {
          dateTo: range.dateTo,
          dateFrom: lastRow.date_from,
          value: question.groupBy ? (lastRow[question.groupBy] ?? '') : '',
        })
      : null,
    has_more: hasMore,
  };
}

async function ofTaggedCustomers(
  control: ControlStore,
  projectId: string,
  { customerTags }: CostsQuestion,
): Promise<Clause> {
  const customers = await findTagged(control, projectId, 'customer', customerTags ?? new Map());
  return oneOf('customer', customers, 'tagged_customers');
}

function toGroupedRows(records: readonly CostsRecord[], periods: readonly Period[], groupBy: Dimension): CostRow[] {
  const byStart = new Map(periods.map((period) => [toDayNumber(period.dateFrom), period]));
  return records.flatMap((record) => {
    const period = byStart.get(Number(record.period));
    return period ? [toRow(period, record, { [groupBy]: record.value })] : [];
  });
}

/** A row for every period, zeros included (D6.2). */
function toPeriodRows(records: readonly CostsRecord[], periods: readonly Period[]): CostRow[] {
  const byStart = new Map(records.map((record) => [Number(record.period), record]));
  return periods.map((period) => toRow(period, byStart.get(toDayNumber(period.dateFrom)), {}));
}

const money = (text: string | undefined): Money => parseMoney(text ?? '0') ?? 0n;

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
    cost: toJsonNumber(money(record?.cost)),
    avg_feature_run_cost: runs === 0 ? 0 : calcAverage(money(record?.run_cost), runs),
    max_feature_run_cost: toJsonNumber(money(record?.max_run_cost)),
  };
}
