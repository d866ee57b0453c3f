import type { Clause } from '../../clickhouse/clause.ts';
import { type CellRows, readingWhole } from '../cells.ts';
import type { CostBasis } from '../cost-basis.ts';
import type { PagePlan, PeriodRecord } from '../page.ts';
import { afterCursor, periodOfCall, periodParameters } from '../period-sql.ts';
import { type Dimension, dimensionColumns } from '../where.ts';

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
export function selectCosts({ where, basis, plan, groupBy }: CostsSelection): Clause {
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

export interface CellCosts {
  readonly cells: CellRows;
  /** The pieces of crossing runs, where a row can have several cells of one. */
  readonly pieces: CellRows | undefined;
  /** What tells the cells of a run apart. */
  readonly cellOf: string;
  /** Cells with provider and model, and what credits leave of them, where the cost is to be net. */
  readonly net: { readonly cells: CellRows; readonly basis: CostBasis } | undefined;
  readonly plan: PagePlan;
  readonly groupBy: Dimension | undefined;
}

/**
 * The same from cells. A run with several cells in a row is counted once for each of them, so it is taken off again for all
 * but one; and what it cost in the row is the sum of its pieces. All of it in one statement: calls may arrive between two,
 * and a row would lack in one what it has in the other.
 */
export function selectCostsOfCells({ cells, pieces, cellOf, net, plan, groupBy }: CellCosts): Clause {
  const key = `${periodOfCall} AS period, ${groupBy ? dimensionColumns[groupBy] : "''"} AS value`;
  const none = 'toDecimal128(0, 12)';
  const after = afterCursor(plan);
  const parts = [
    `SELECT ${key}, ${net ? none : 'cost'} AS part_cost, run_cost AS part_run_cost, toInt64(runs) AS part_runs,
      max_run_cost AS part_max_run_cost
    FROM ${cells.from} WHERE ${cells.where.sql}`,
  ];
  if (pieces) {
    const cellCount = `uniqExact(${cellOf})`;
    parts.push(`
      SELECT ${key}, ${none}, ${none}, 1 - toInt64(${cellCount}), sum(cost)
      FROM ${pieces.from} WHERE ${pieces.where.sql}
      GROUP BY period, value, run_hash, feature
      HAVING ${cellCount} > 1`);
  }
  if (net) {
    parts.push(`
      SELECT ${key}, ${net.basis.expression}, ${none}, toInt64(0), ${none}
      FROM ${net.cells.from} ${net.basis.join} WHERE ${net.cells.where.sql}`);
  }
  const rows =
    parts.length > 1
      ? `
      SELECT period, value, sum(part_cost) AS cost, sum(part_run_cost) AS run_cost, sum(part_runs) AS runs,
        max(part_max_run_cost) AS max_run_cost
      FROM (${parts.join(' UNION ALL ')})
      WHERE ${after.sql}`
      : `
      SELECT ${key}, sum(cells.cost) AS cost, sum(cells.run_cost) AS run_cost, sum(cells.runs) AS runs,
        max(cells.max_run_cost) AS max_run_cost
      FROM ${cells.from}
      WHERE (${cells.where.sql}) AND (${after.sql})`;
  return {
    sql: `${rows}
      GROUP BY period, value
      ORDER BY period, value
      LIMIT {limit:UInt32}
      ${readingWhole}`,
    parameters: {
      ...cells.where.parameters,
      ...pieces?.where.parameters,
      ...net?.cells.where.parameters,
      ...net?.basis.parameters,
      ...after.parameters,
      ...periodParameters(plan.periods),
      limit: plan.limit + 1,
    },
  };
}
