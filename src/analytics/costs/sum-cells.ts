import { compareCodePoints } from '../../lib/code-points.ts';
import { toDayNumber } from '../../lib/days.ts';
import { formatMoney, type Money } from '../../lib/money.ts';
import type { CostCell } from '../cell-cache.ts';
import { compareRecords, type PagePlan } from '../page.ts';
import type { CostsRecord } from './sql.ts';

/** Which rows to make from cells. */
export interface SumsWanted {
  readonly plan: PagePlan;
  /** Whether rows are grouped by the cells' value. */
  readonly isGrouped: boolean;
  /** Only cells with one of these values; undefined for all cells. */
  readonly values: readonly string[] | undefined;
}

/** Sums cells to the rows of a plan, in order, like the statement of `selectCostsOfCells`. */
export function sumCells(cells: readonly CostCell[], { plan, isGrouped, values }: SumsWanted): CostsRecord[] {
  const wanted = values && new Set(values);
  const periodOf = findPeriods(plan);
  const ofPeriods = Map.groupBy(wanted ? cells.filter(({ value }) => wanted.has(value)) : cells, periodOf);
  if (!isGrouped) return Array.from(ofPeriods, ([period, ofPeriod]) => ({ period, ...sum(ofPeriod) }));
  const isAfterCursor = findRowsAfter(plan);
  return Array.from(ofPeriods, ([period, ofPeriod]) =>
    Array.from(
      Map.groupBy(ofPeriod, ({ value }) => value),
      ([value, ofRow]) => ({ period, value, ofRow }),
    ),
  )
    .flat()
    .filter(isAfterCursor)
    .sort(compareRecords)
    .slice(0, plan.limit + 1)
    .map(({ period, value, ofRow }) => ({ period, value, ...sum(ofRow) }));
}

/** Maps a cell to the day number of the first day of its period. */
function findPeriods({ periods }: PagePlan): (cell: CostCell) => number {
  const starts = periods.map(({ dateFrom }) => toDayNumber(dateFrom));
  const found = new Map<number, number>();
  return ({ day }) => {
    const known = found.get(day);
    if (known !== undefined) return known;
    const start = starts.findLast((first) => first <= day);
    if (start === undefined) throw new RangeError(`${day} is before the days of the plan`);
    found.set(day, start);
    return start;
  };
}

/** Keeps only rows after the last row of the previous page. */
function findRowsAfter({ periods, afterValue }: PagePlan): (row: { period: number; value: string }) => boolean {
  const [first] = periods;
  if (afterValue === undefined || first === undefined) return () => true;
  const start = toDayNumber(first.dateFrom);
  return ({ period, value }) => period > start || compareCodePoints(value, afterValue) > 0;
}

/** Sums the cells of one row. A run in several cells counts once, with the sum of its costs (D6.7). */
function sum(cells: readonly CostCell[]): Omit<CostsRecord, 'period' | 'value'> {
  let [cost, runCost, runs, maxRunCost] = [0n, 0n, 0, 0n];
  const crossing = new Map<string, Money>();
  for (const cell of cells) {
    cost += cell.cost;
    runCost += cell.runCost;
    runs += cell.runs;
    if (cell.maxRunCost > maxRunCost) maxRunCost = cell.maxRunCost;
    for (const { run, cost: ofRun } of cell.crossing) {
      const before = crossing.get(run);
      if (before !== undefined) runs -= 1;
      crossing.set(run, (before ?? 0n) + ofRun);
    }
  }
  for (const ofRun of crossing.values()) if (ofRun > maxRunCost) maxRunCost = ofRun;
  return {
    cost: formatMoney(cost),
    run_cost: formatMoney(runCost),
    runs: String(runs),
    max_run_cost: formatMoney(maxRunCost),
  };
}
