import type { CursorPosition } from '../cursor.ts';
import { listPeriods, type Period } from '../periods.ts';
import type { CostsQuestion } from './parse.ts';

/** What a page must read. */
export interface CostsPlan {
  /** The range asked for: runs are judged by their tags over all of it. */
  readonly range: Period;
  /** The periods that rows of this page can be of, in order. */
  readonly periods: readonly Period[];
  /** In the first of these periods, only values after this one. */
  readonly afterValue: string | undefined;
}

/** Which periods a page begins and can end with. Grouped pages begin in the period of the row before. */
export function planCosts(
  question: Pick<CostsQuestion, 'granularity' | 'groupBy'>,
  range: Period,
  after: CursorPosition | undefined,
  limit: number,
): CostsPlan {
  const periods = listPeriods(range, question.granularity);
  if (question.groupBy === undefined) {
    const left = after ? periods.filter(({ dateFrom }) => dateFrom > after.dateFrom) : periods;
    // One more than the page holds tells whether there is another page.
    return { range, periods: left.slice(0, limit + 1), afterValue: undefined };
  }
  if (!after) return { range, periods, afterValue: undefined };
  return { range, periods: periods.filter(({ dateFrom }) => dateFrom >= after.dateFrom), afterValue: after.value };
}
