import type { Clause } from '../../storage/analytic/clause.ts';
import type { PeriodRecord } from '../asking/page.ts';

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
