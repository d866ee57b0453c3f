import type { Clause } from '../clickhouse/clause.ts';
import type { Parameters } from '../clickhouse/row-reader.ts';
import { toDayNumber } from '../lib/days.ts';
import type { PagePlan } from './page.ts';
import type { Period } from './periods.ts';

/** The period of a call: the number of its first day. Needs the parameters of `periodParameters`. */
export const periodOfCall = 'roundDown(toUInt32(toUInt16(day)), {period_starts:Array(UInt32)})';

export const periodParameters = (periods: readonly Period[]): Parameters => ({
  period_starts: periods.map(({ dateFrom }) => toDayNumber(dateFrom)),
});

/** Only rows after the one that the page before ended with; `period` and `value` are columns of the rows. */
export function afterCursor({ periods, afterValue }: Pick<PagePlan, 'periods' | 'afterValue'>): Clause {
  const first = periods[0];
  if (afterValue === undefined || first === undefined) return { sql: '1', parameters: {} };
  return {
    sql: 'period > {after_period:UInt32} OR value > {after_value:String}',
    parameters: { after_period: toDayNumber(first.dateFrom), after_value: afterValue },
  };
}
