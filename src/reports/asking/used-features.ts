import type { TaggedDimension } from '../../lib/dimensions.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import { type CellScope, type CellSource, readCells } from './cells.ts';
import { oneOf } from './where.ts';

/** The customers or users that used one of these features, by day. */
export const readUsed = (scope: CellScope, dimension: TaggedDimension, features: readonly string[]): CellSource =>
  readCells(scope, {
    grain: `${dimension}_feature`,
    measures: [],
    filters: [oneOf('feature', features, 'used_features')],
  });

/**
 * Only calls or events of customers or users with a call of one of the features in the same period (D8.5, D9.3).
 * `period` is SQL for the period of the filtered call or event, `call` that for the period of a call of the features.
 */
export const whereUsed = (
  { from, where }: CellSource,
  dimension: TaggedDimension,
  call: Clause,
  period: string,
): Clause => ({
  sql: `(${period}, ${dimension}) IN (SELECT ${call.sql}, ${dimension} FROM ${from} WHERE ${where.sql})`,
  parameters: joinParameters(where.parameters, call.parameters),
});
