import { compareCodePoints } from '../../lib/code-points.ts';
import { toDayNumber } from '../../lib/days.ts';
import { type Money, parseWideMoney, type WideMoney, widen } from '../../lib/money.ts';
import { type CostCell, type RunSums, toRunSums } from '../asking/cell-cache.ts';
import { joinRecords, type PagePlan, type PlacedRecord } from '../asking/page.ts';
import type { CostsRow } from './sql.ts';

/** The costs and feature runs of a row, exact. */
interface Costs extends Omit<RunSums, 'crossing'> {
  /** Gross, or net of free credits. */
  readonly cost: WideMoney;
}

export type CostsRecord = PlacedRecord & Costs;

/** Adds up the parts of a row. A run in several parts counts once, with the sum of its costs (D6.7). */
function addUp(parts: readonly (Costs & RunSums)[]): Costs {
  let [cost, runCost, runs, maxRunCost] = [0n, 0n, 0, 0n];
  const crossing = new Map<string, Money>();
  for (const part of parts) {
    cost += part.cost;
    runCost += part.runCost;
    runs += part.runs;
    if (part.maxRunCost > maxRunCost) maxRunCost = part.maxRunCost;
    for (const { run, cost: ofRun } of part.crossing) {
      const before = crossing.get(run);
      if (before !== undefined) runs -= 1;
      crossing.set(run, (before ?? 0n) + ofRun);
    }
  }
  for (const ofRun of crossing.values()) if (ofRun > maxRunCost) maxRunCost = ofRun;
  return { cost, runCost, runs, maxRunCost };
}

/** Joins rows of statements that read other days of the same page. */
export const joinRows = (plan: PagePlan, rows: readonly CostsRow[]): CostsRecord[] =>
  joinRecords(plan, rows, (ofRow) =>
    addUp(ofRow.map((row) => ({ cost: parseWideMoney(row.cost), ...toRunSums(row) }))),
  );

/** Which rows to make from cells. */
interface SumsWanted {
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
  const placed = (wanted ? cells.filter(({ value }) => wanted.has(value)) : cells).map((cell) => ({
    period: periodOf(cell),
    ...(isGrouped && { value: cell.value }),
    cell,
  }));
  return joinRecords(plan, isGrouped ? placed.filter(findRowsAfter(plan)) : placed, (ofRow) => {
    const sums = addUp(ofRow.map(({ cell }) => cell));
    return { ...sums, cost: widen(sums.cost) };
  });
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
function findRowsAfter({ periods, afterValue }: PagePlan): (row: PlacedRecord) => boolean {
  const [first] = periods;
  if (afterValue === undefined || first === undefined) return () => true;
  const start = toDayNumber(first.dateFrom);
  return ({ period, value = '' }) => period > start || compareCodePoints(value, afterValue) > 0;
}
