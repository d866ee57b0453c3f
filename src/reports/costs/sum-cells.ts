import { compareCodePoints } from '../../lib/code-points.ts';
import { toDayNumber } from '../../lib/days.ts';
import { widen } from '../../lib/money.ts';
import type { CostCell } from '../asking/cell-cache.ts';
import { joinRecords, type PagePlan, type PlacedRecord } from '../asking/page.ts';
import { addUp, type CostsRecord } from './records.ts';

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
