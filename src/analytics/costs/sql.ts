import type { Parameters } from '../../clickhouse/analytic-store.ts';
import type { CostBasis } from '../cost-basis.ts';
import type { PagePlan, PeriodRecord } from '../page.ts';
import { afterCursor, periodOfCall, periodParameters } from '../period-sql.ts';
import { type Clause, type Dimension, dimensionColumns } from '../where.ts';

/** One row as the store gives it: money as decimal text. */
export interface CostsRecord extends PeriodRecord {
  readonly cost: string;
  readonly run_cost: string;
  readonly runs: string;
  readonly max_run_cost: string;
}

export interface CostsSelection {
  readonly where: Clause;
  readonly basis: CostBasis;
  readonly plan: PagePlan;
  readonly groupBy: Dimension | undefined;
}

/**
 * Costs by period and value. The inner query sums up feature runs, the calls of a row with one run and one feature
 * (D6.7), whose cost is gross; those without a feature count for the cost only. Runs are told apart by a 128-bit hash, a
 * quarter faster than by their names.
 */
export function selectCosts({ where, basis, plan, groupBy }: CostsSelection): { sql: string; parameters: Parameters } {
  const after = afterCursor(plan);
  return {
    sql: `
      SELECT period, value, sum(part_cost) AS cost, sumIf(part_gross, feature != '') AS run_cost,
        countIf(feature != '') AS runs, maxIf(part_gross, feature != '') AS max_run_cost
      FROM (
        SELECT ${periodOfCall} AS period, ${groupBy ? dimensionColumns[groupBy] : "''"} AS value, feature,
          sipHash128(run) AS feature_run, sum(cost) AS part_gross, sum(${basis.expression}) AS part_cost
        FROM calls FINAL ${basis.join}
        WHERE ${where.sql}
        GROUP BY period, value, feature, feature_run
      )
      WHERE ${after.sql}
      GROUP BY period, value
      ORDER BY period, value
      LIMIT {limit:UInt32}`,
    parameters: {
      ...where.parameters,
      ...basis.parameters,
      ...after.parameters,
      ...periodParameters(plan.periods),
      limit: plan.limit + 1,
    },
  };
}
