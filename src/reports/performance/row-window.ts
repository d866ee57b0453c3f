import type { Clause } from '../../storage/analytic/clause.ts';

/** The position of a row in the order of D6.3: the day number of its period's first day, then its value. */
export interface Position {
  readonly period: number;
  readonly value: string;
}

/** Which rows to read: the first ones after a position. */
export interface RowWindow {
  readonly after: Position | undefined;
  readonly limit: number;
}

export const afterPosition = (after: Position | undefined): Clause =>
  after
    ? {
        sql: 'period > {after_period:UInt32} OR (period = {after_period:UInt32} AND value > {after_value:String})',
        parameters: { after_period: after.period, after_value: after.value },
      }
    : { sql: '1', parameters: {} };

export const upToPosition = (last: Position | undefined): Clause =>
  last
    ? {
        sql: 'period < {last_period:UInt32} OR (period = {last_period:UInt32} AND value <= {last_value:String})',
        parameters: { last_period: last.period, last_value: last.value },
      }
    : { sql: '1', parameters: {} };
