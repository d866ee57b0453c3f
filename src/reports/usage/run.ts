import type { Day, Period } from '../../lib/days.ts';
import { divideToNumber } from '../../lib/money.ts';
import { nanosecondsPerMillisecond, selectCells } from '../../rollups/rollups/cells.ts';
import { onPageDays, readCellFilters, whereCalls } from '../asking/call-filters.ts';
import {
  type CellSource,
  isReadAtOnce,
  readCells,
  resolveGrain,
  resolveRowsOfCalls,
  splitScopeOf,
} from '../asking/cells.ts';
import { joinRecords, type Page, type PagePlan, readInSteps, toPage } from '../asking/page.ts';
import { joinPeriods } from '../asking/periods.ts';
import type { AnalyticsSources } from '../asking/sources.ts';
import { toTokens } from '../asking/tokens.ts';
import { toUnits } from '../asking/units.ts';
import { all, type Dimension } from '../asking/where.ts';
import { type CostsQuestion, countMost, listDimensions } from '../costs/parse.ts';
import type { AsOf } from '../facts/as-of.ts';
import { addUp } from './add-up.ts';
import { selectUsage, type UsageRecord, usageMeasures } from './sql.ts';

/** A usage row, with the API's field names. */
type UsageRow = {
  readonly date_from: Day;
  readonly date_to: Day;
  readonly calls: number;
  readonly errors: number;
  readonly unpriced_calls: number;
  readonly partly_priced_calls: number;
  readonly tokens: Readonly<Record<string, number>>;
  readonly units: Readonly<Record<string, number>>;
  readonly elapsed_ms_sum: number;
  readonly elapsed_ms_max: number;
} & { readonly [D in Dimension]?: string };

/** Reads a page as planned. */
export async function runUsage(
  asOf: AsOf,
  question: CostsQuestion,
  plan: PagePlan,
  { answerCache }: Pick<AnalyticsSources, 'answerCache'>,
): Promise<Page<UsageRow>> {
  const { groupBy, isGrouped } = question;
  const source = await planCells(asOf, question, plan.range);
  const read = async (part: PagePlan) => {
    const period = joinPeriods(part.periods);
    if (!period) return [];
    const rows = await Promise.all(
      source
        .read(period)
        .map(
          async (cells) => await answerCache.select<UsageRecord>(selectUsage({ cells, plan: part, groupBy }), [cells]),
        ),
    );
    return joinRecords(part, rows.flat(), addUp);
  };
  const records =
    isGrouped && !source.isReadAtOnce ? await readInSteps(plan, countMost(question), read) : await read(plan);
  return toPage(plan, isGrouped, records, (period, record) =>
    toRow(period, record, groupBy && record ? { [groupBy]: record.value } : {}),
  );
}

/** How cells are read. */
interface CellsPlan {
  readonly isReadAtOnce: boolean;
  /** The cells of a period, as sources to read by a statement each. */
  readonly read: (period: Period) => readonly CellSource[];
}

/** Reads the cells of a grain that fits the question, or else cells computed from the selected calls. */
async function planCells(
  { project, generations, facts }: AsOf,
  question: CostsQuestion,
  range: Period,
): Promise<CellsPlan> {
  const { filters, groupBy } = question;
  const scope = { projectId: project.id, period: range, generations };
  const grain = filters.runTags ? undefined : resolveGrain(listDimensions(question), { withRuns: false });
  if (grain) {
    const cellFilters = await readCellFilters(facts, filters);
    return {
      isReadAtOnce: isReadAtOnce(grain, scope),
      read: (period) =>
        splitScopeOf(grain, { ...scope, period }).map((part) =>
          readCells(part, { grain, measures: usageMeasures, filters: cellFilters }),
        ),
    };
  }
  const calls = await whereCalls(facts, { range, generations, filters });
  return {
    isReadAtOnce: false,
    read: (period) => {
      const { sql, parameters } = selectCells({
        grain: groupBy ?? 'total',
        measures: usageMeasures,
        runs: 'none',
        where: all([calls, onPageDays([period])]),
      });
      const rows = resolveRowsOfCalls({ ...scope, period });
      return [{ from: `(${sql}) AS cells`, where: { sql: '1', parameters }, rows }];
    },
  };
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
    calls: Number(record?.sum_calls ?? 0),
    errors: Number(record?.sum_errors ?? 0),
    unpriced_calls: Number(record?.sum_unpriced_calls ?? 0),
    partly_priced_calls: Number(record?.sum_partly_priced_calls ?? 0),
    tokens: toTokens(record?.tokens ?? []),
    units: toUnits(record?.sum_units),
    elapsed_ms_sum: divideToNumber(BigInt(record?.sum_elapsed_sum ?? 0), BigInt(nanosecondsPerMillisecond)),
    elapsed_ms_max: record?.sum_elapsed_max ?? 0,
  };
}
