import { compareCodePoints } from '../../lib/code-points.ts';
import { toDayNumber } from '../../lib/days.ts';
import { formatMoney, type Money } from '../../lib/money.ts';
import { compareRecords, type PagePlan } from '../page.ts';
import type { CostCell } from '../sealed-cells.ts';
import type { CostsRecord } from './sql.ts';

/** Which rows cells are added up to. */
export interface SumsWanted {
  readonly plan: PagePlan;
  /** Whether rows are told apart by the cells' value. */
  readonly isGrouped: boolean;
  /** Only cells with one of these values; all of them where none are given. */
  readonly values: readonly string[] | undefined;
}

/** Adds cells of the days of a plan up to its rows, in their order: what `selectCostsOfCells` asks of the store. */
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

/** Gives the first day of a cell's period. */
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

/** Only rows after the one that the page before ended with. */
function findRowsAfter({ periods, afterValue }: PagePlan): (row: { period: number; value: string }) => boolean {
  const [first] = periods;
  if (afterValue === undefined || first === undefined) return () => true;
  const start = toDayNumber(first.dateFrom);
  return ({ period, value }) => period > start || compareCodePoints(value, afterValue) > 0;
}

/**
 * Cells of one row. A run with several of them is in the count of each, so it is taken off for all but one; and what it cost in
 * the row is the sum of them all (D6.7).
 */
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
