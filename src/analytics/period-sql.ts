import type { Clause } from '../clickhouse/clause.ts';
import type { Parameters } from '../clickhouse/row-reader.ts';
import { toDayNumber } from '../lib/days.ts';
import type { PagePlan } from './page.ts';
import type { Period } from './periods.ts';

/** SQL for the period of a row with a `day` in one of these periods: the number of the period's first day. */
export function periodOfCall(periods: readonly Period[]): Clause {
  const day = 'toUInt32(toUInt16(day))';
  // The first days of all periods, written into a statement, are a twentieth of the engine's time for a short one.
  if (periods.every(({ dateFrom, dateTo }) => dateFrom === dateTo)) return { sql: day, parameters: {} };
  return {
    sql: `roundDown(${day}, {period_starts:Array(UInt32)})`,
    parameters: { period_starts: periods.map(({ dateFrom }) => toDayNumber(dateFrom)) },
  };
}

/** Only rows after the one that the page before ended with; `period` and `value` are columns of the rows. */
export function afterCursor({ periods, afterValue }: Pick<PagePlan, 'periods' | 'afterValue'>): Clause {
  const first = periods[0];
  if (afterValue === undefined || first === undefined) return { sql: '1', parameters: {} };
  return {
    sql: 'period > {after_period:UInt32} OR value > {after_value:String}',
    parameters: { after_period: toDayNumber(first.dateFrom), after_value: afterValue },
  };
}

/** What rows are told apart by: their period and, where they are grouped, a value. */
export interface RowKey {
  /** The columns, as a SELECT makes them. */
  readonly select: string;
  /** Their names. */
  readonly names: string;
  /** How the statement ends: rows with a value are sorted, and the first of them taken, one more than the page holds. */
  readonly end: string;
  readonly parameters: Parameters;
}

/** Without a value there is a row for each period at most: nothing to sort and nothing to leave out, and no `value`. */
export function keyOfRows({ periods, limit }: Pick<PagePlan, 'periods' | 'limit'>, value: string | undefined): RowKey {
  const period = periodOfCall(periods);
  const select = `${period.sql} AS period`;
  if (value === undefined) {
    return { select, names: 'period', end: 'GROUP BY period', parameters: period.parameters };
  }
  return {
    select: `${select}, ${value} AS value`,
    names: 'period, value',
    end: 'GROUP BY period, value ORDER BY period, value LIMIT {limit:UInt32}',
    parameters: { ...period.parameters, limit: limit + 1 },
  };
}
