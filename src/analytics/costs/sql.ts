import type { Parameters } from '../../clickhouse/analytic-store.ts';
import { toDayNumber } from '../../lib/days.ts';
import type { Period } from '../periods.ts';
import { type Clause, type Dimension, dimensionColumns } from '../where.ts';

/** One row as the store gives it: money as decimal text, the period as its first day's number. */
export interface CostsRecord {
  readonly period: number;
  readonly value: string;
  readonly cost: string;
  readonly run_cost: string;
  readonly runs: string;
  readonly max_run_cost: string;
}

export interface CostsSelection {
  readonly where: Clause;
  readonly periods: readonly Period[];
  readonly groupBy: Dimension | undefined;
  readonly afterValue: string | undefined;
  readonly limit: number;
}

/**
 * Costs by period and value. The inner query sums up feature runs, the calls of a row with one run and one feature
 * (D6.7); those without a feature count for the cost only. Runs are told apart by a 128-bit hash, a quarter faster than by
 * their names.
 */
export function selectCosts({ where, periods, groupBy, afterValue, limit }: CostsSelection): {
  sql: string;
  parameters: Parameters;
} {
  const value = groupBy ? dimensionColumns[groupBy] : "''";
  const first = periods[0];
  const after = afterValue !== undefined && first !== undefined;
  return {
    sql: `
      SELECT period, value, sum(part_cost) AS cost, sumIf(part_cost, feature != '') AS run_cost, countIf(feature != '') AS runs,
        maxIf(part_cost, feature != '') AS max_run_cost
      FROM (
        SELECT roundDown(toUInt32(toUInt16(day)), {period_starts:Array(UInt32)}) AS period, ${value} AS value, feature,
          sipHash128(run) AS feature_run, sum(cost) AS part_cost
        FROM calls FINAL
        WHERE ${where.sql}
        GROUP BY period, value, feature, feature_run
      )
      ${after ? 'WHERE period > {after_period:UInt32} OR value > {after_value:String}' : ''}
      GROUP BY period, value
      ORDER BY period, value
      LIMIT {limit:UInt32}`,
    parameters: {
      ...where.parameters,
      period_starts: periods.map(({ dateFrom }) => toDayNumber(dateFrom)),
      limit,
      ...(after && { after_period: toDayNumber(first.dateFrom), after_value: afterValue }),
    },
  };
}
