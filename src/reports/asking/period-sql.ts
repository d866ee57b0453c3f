import { type Period, toDayNumber } from '../../lib/days.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import type { Parameters } from '../../storage/analytic/row-reader.ts';
import type { PagePlan, PeriodRecord } from './page.ts';

/** SQL for the day number of the first day of a row's period. The row's `day` must be in one of these periods. */
export function periodOfCall(periods: readonly Period[]): Clause {
  const day = 'toUInt32(toUInt16(day))';
  // This spares binding the first days of all periods, which is a twentieth of a short statement's time.
  if (periods.every(({ dateFrom, dateTo }) => dateFrom === dateTo)) return { sql: day, parameters: {} };
  return {
    sql: `roundDown(${day}, {period_starts:Array(UInt32)})`,
    parameters: { period_starts: periods.map(({ dateFrom }) => toDayNumber(dateFrom)) },
  };
}

/** The position of the last row of the previous page; undefined without one. */
export function positionBefore({ periods, afterValue }: Pick<PagePlan, 'periods' | 'afterValue'>) {
  const [first] = periods;
  if (afterValue === undefined || first === undefined) return undefined;
  return { period: toDayNumber(first.dateFrom), value: afterValue };
}

/** Only rows after a position, in the order of D6.3; `period` and `value` are columns of the rows. */
export const afterPosition = (after: PeriodRecord | undefined): Clause =>
  after
    ? {
        sql: 'period > {after_period:UInt32} OR (period = {after_period:UInt32} AND value > {after_value:String})',
        parameters: { after_period: after.period, after_value: after.value },
      }
    : { sql: '1', parameters: {} };

/** Only rows of the page: after its cursor, and up to its last value where that is known. */
export function afterCursor(plan: Pick<PagePlan, 'periods' | 'afterValue' | 'upToValue'>): Clause {
  const { sql, parameters } = afterPosition(positionBefore(plan));
  if (plan.upToValue === undefined) return { sql, parameters };
  return {
    sql: `(${sql}) AND value <= {up_to_value:String}`,
    parameters: { ...parameters, up_to_value: plan.upToValue },
  };
}

/** The key of rows: their period and, if they are grouped, a value. */
export interface RowKey {
  readonly select: string;
  /** The names of the key columns. */
  readonly names: string;
  /** The end of the statement. Grouped rows are sorted, and at most one more than the page holds is returned. */
  readonly end: string;
  readonly parameters: Parameters;
}

/** Without a value there is at most one row for each period, so rows need no `value`, order or limit. */
export function keyOfRows({ periods, limit }: Pick<PagePlan, 'periods' | 'limit'>, value: Clause | undefined): RowKey {
  const period = periodOfCall(periods);
  const select = `${period.sql} AS period`;
  if (value === undefined) {
    return { select, names: 'period', end: 'GROUP BY period', parameters: period.parameters };
  }
  return {
    select: `${select}, ${value.sql} AS value`,
    names: 'period, value',
    end: 'GROUP BY period, value ORDER BY period, value LIMIT {limit:UInt32}',
    parameters: joinParameters(period.parameters, value.parameters, { limit: limit + 1 }),
  };
}

/** A position in the order of rows (D6.3). */
export type Position = PeriodRecord;

/** Which rows to read: the first ones after a position. */
export interface RowWindow {
  readonly after: Position | undefined;
  readonly limit: number;
}

/** Only rows up to a position, in the order of D6.3. */
export const upToPosition = (last: Position | undefined): Clause =>
  last
    ? {
        sql: 'period < {last_period:UInt32} OR (period = {last_period:UInt32} AND value <= {last_value:String})',
        parameters: { last_period: last.period, last_value: last.value },
      }
    : { sql: '1', parameters: {} };
