import { usageColumns } from '../../clickhouse/schema.ts';
import type { PagePlan, PeriodRecord } from '../page.ts';
import { afterCursor, periodOfCall, periodParameters } from '../period-sql.ts';
import { all, type Clause, type Dimension, dimensionColumns } from '../where.ts';

/** One row as the store gives it: whole numbers as text. */
export interface UsageRecord extends PeriodRecord {
  readonly calls: string;
  readonly errors: string;
  readonly unpriced_calls: string;
  /** In the order of `usageColumns`. */
  readonly tokens: readonly string[];
  /** In nanoseconds. */
  readonly elapsed_sum: string;
  readonly elapsed_max: number;
}

export interface UsageSelection {
  readonly where: Clause;
  readonly plan: PagePlan;
  readonly groupBy: Dimension | undefined;
}

/** How many of the units that times are summed up in make a millisecond. */
export const nanosecondsPerMillisecond = 1_000_000;

/**
 * The time of a call, which may be any number: above 10^18 ms, some thirty million years, it counts as that. Times are
 * summed up as whole nanoseconds, because a sum of doubles depends on the order in which parts are merged.
 */
const elapsedMs = 'least(ifNull(elapsed_ms, 0), 1e18)';

/** Calls, errors, tokens and times by period and value. */
export function selectUsage({ where, plan, groupBy }: UsageSelection) {
  const conditions = all([where, afterCursor(plan)]);
  return {
    sql: `
      SELECT ${periodOfCall} AS period, ${groupBy ? dimensionColumns[groupBy] : "''"} AS value,
        count() AS calls, countIf(failed) AS errors, countIf(unpriced_reason != '') AS unpriced_calls,
        [${usageColumns.map((column) => `sum(${column})`).join(', ')}] AS tokens,
        sum(toInt128(round(${elapsedMs} * ${nanosecondsPerMillisecond}))) AS elapsed_sum,
        max(${elapsedMs}) AS elapsed_max
      FROM calls FINAL
      WHERE ${conditions.sql}
      GROUP BY period, value
      ORDER BY period, value
      LIMIT {limit:UInt32}`,
    parameters: { ...conditions.parameters, ...periodParameters(plan.periods), limit: plan.limit + 1 },
  };
}
