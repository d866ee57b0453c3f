import { crossingColumn, noneCrossing, runHash, sumRuns } from '../../rollups/rollups/cells.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import type { RunsRow } from '../asking/cell-cache.ts';
import { type CellSource, wholeRows } from '../asking/cells.ts';
import type { CostBasis } from '../asking/cost-basis.ts';
import type { PagePlan, PlacedRecord } from '../asking/page.ts';
import { afterCursor, keyOfRows, type RowKey } from '../asking/period-sql.ts';

/** A row as the store returns it: money as decimal text. */
export interface CostsRow extends PlacedRecord, RunsRow {
  readonly cost: string;
  /** How many crossing runs there are, where they are listed. */
  readonly crossing_count?: string;
}

export interface CostsSelection {
  readonly where: Clause;
  readonly basis: CostBasis;
  readonly plan: PagePlan;
  /** Of a row; undefined if rows are not grouped. */
  readonly value: Clause | undefined;
}

/**
 * Costs by period and value. The inner query sums feature runs: the calls of a row with the same run and feature
 * (D6.7). Their cost is gross. Calls without a feature count only in `cost`. Runs are grouped by a 128-bit hash, which
 * is a quarter faster than grouping by name.
 */
export function selectCosts({ where, basis, plan, value }: CostsSelection): Clause {
  const after = afterCursor(plan);
  const key = keyOfRows(plan, value);
  return {
    sql: `
      SELECT ${key.names}, sum(part_cost) AS cost, ${sumRuns({ feature: 'feature', cost: 'part_gross' }).join(', ')}
      FROM (
        SELECT ${key.select}, feature,
          ${runHash} AS feature_run, sum(cost) AS part_gross, sum(${basis.expression}) AS part_cost
        FROM calls FINAL ${basis.join}
        WHERE ${where.sql}
        GROUP BY ${key.names}, feature, feature_run
      )
      WHERE ${after.sql}
      ${key.end}`,
    parameters: joinParameters(where.parameters, basis.parameters, after.parameters, key.parameters),
  };
}

/**
 * The runs that can be in several cells of a row: there are none; the store counts each once; or rows list them, so
 * that their reader does, which takes the engine less time and joins rows of several statements.
 */
export type CrossingRuns = 'none' | 'counted' | 'listed';

/** The most costs of crossing runs that a statement lists. If there are more, `isListed` says that some are missing. */
const maxListed = 5_000;

export const isListed = (rows: readonly CostsRow[]): boolean =>
  rows.every(({ crossing_runs: runs, crossing_count: count }) => (runs?.length ?? 0) === Number(count ?? 0));

export interface CellCosts {
  readonly cells: CellSource;
  readonly crossing: CrossingRuns;
  /** Cells with provider and model, and their cost basis; undefined for gross costs. */
  readonly net: { readonly cells: CellSource; readonly basis: CostBasis } | undefined;
  readonly plan: PagePlan;
  readonly value: Clause | undefined;
  /** The most rows that the statement can have, at least 1. */
  readonly mostRows: number;
}

/** One statement, because calls can arrive between two: then the columns of a row would disagree. */
export function selectCostsOfCells({ cells, crossing, net, plan, value, mostRows }: CellCosts): Clause {
  const key = keyOfRows(plan, value);
  const after = afterCursor(plan);
  const ofCells = { key, after, cells, crossing, listed: Math.ceil(maxListed / mostRows) };
  const rows = `${net ? selectWithNet(ofCells, net) : selectSums(ofCells)}
      ${key.end}`;
  return {
    sql: `${crossing === 'counted' ? countOnce(key, rows) : rows} ${wholeRows}`,
    parameters: joinParameters(
      cells.where.parameters,
      net?.cells.where.parameters,
      net?.basis.parameters,
      after.parameters,
      key.parameters,
    ),
  };
}

interface SumsOfCells extends Pick<CellCosts, 'cells' | 'crossing'> {
  readonly key: RowKey;
  readonly after: Clause;
  /** How many costs of crossing runs a row lists at most. */
  readonly listed: number;
}

/** The columns of crossing runs, from a column that has those of each cell. */
function selectCrossing({ crossing, listed }: Pick<SumsOfCells, 'crossing' | 'listed'>, column: string): string {
  if (crossing === 'none') return '';
  if (crossing === 'counted') return `, groupArrayArray(${column}) AS crossing`;
  const list = `groupArrayArray(${listed})(${column})`;
  return `, arrayMap(run -> hex(run), ${list}.1) AS crossing_runs, ${list}.2 AS crossing_costs,
        sum(length(${column})) AS crossing_count`;
}

function selectSums({ key, after, cells, ...runs }: SumsOfCells): string {
  return `
      SELECT ${key.select}, sum(cells.cost) AS cost, sum(cells.run_cost) AS run_cost, sum(cells.runs) AS runs,
        max(cells.max_run_cost) AS max_run_cost${selectCrossing(runs, `cells.${crossingColumn}`)}
      FROM ${cells.from}
      WHERE (${cells.where.sql}) AND (${after.sql})`;
}

function selectWithNet({ key, after, cells, ...runs }: SumsOfCells, net: NonNullable<CellCosts['net']>): string {
  const none = 'toDecimal128(0, 12)';
  const [ofCell, ofNet] =
    runs.crossing === 'none' ? ['', ''] : [`, ${crossingColumn} AS part_crossing`, `, ${noneCrossing}`];
  return `
      SELECT ${key.names}, sum(part_cost) AS cost, sum(part_run_cost) AS run_cost, sum(part_runs) AS runs,
        max(part_max_run_cost) AS max_run_cost${selectCrossing(runs, 'part_crossing')}
      FROM (
        SELECT ${key.select}, ${none} AS part_cost, run_cost AS part_run_cost, runs AS part_runs,
          max_run_cost AS part_max_run_cost${ofCell}
        FROM ${cells.from} WHERE ${cells.where.sql}
        UNION ALL
        SELECT ${key.select}, ${net.basis.expression}, ${none}, 0, ${none}${ofNet}
        FROM ${net.cells.from} ${net.basis.join} WHERE ${net.cells.where.sql}
      )
      WHERE ${after.sql}`;
}

/**
 * Counts each run of a row once, and sums its cost over its cells. The summed count has a run once for each of its
 * cells, so repetitions are subtracted. The pieces of runs are sorted by run, and their costs accumulated. The cost of
 * a run is the running total at its end, less that at the end of the run before.
 */
const countOnce = ({ names }: RowKey, rows: string): string => `
    WITH
      arraySort(crossing.1) AS sorted_runs,
      arrayCumSum(arraySort((cost, run) -> run, crossing.2, crossing.1)) AS costs_up_to,
      arrayFilter((cost, run, next) -> run != next, costs_up_to, sorted_runs, arrayShiftLeft(sorted_runs, 1)) AS ends
    SELECT ${names}, cost, run_cost, toInt64(runs) - (length(crossing) - length(ends)) AS runs,
      greatest(max_run_cost, arrayMax(arrayDifference(arrayPushFront(ends, toDecimal128(0, 12))))) AS max_run_cost
    FROM (${rows})`;
