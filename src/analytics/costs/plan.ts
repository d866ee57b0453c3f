import type { Project } from '../../projects/projects.ts';
import { type CursorPosition, readCursor } from '../cursor.ts';
import { listPeriods, type Period } from '../periods.ts';
import { resolveRange } from '../range.ts';
import { type CostsQuestion, toIdentity } from './parse.ts';

export interface PageRequest {
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** What a page must read. */
export interface CostsPlan {
  readonly question: CostsQuestion;
  /** The question as cursors are bound to it. */
  readonly identity: unknown;
  readonly limit: number;
  /** The range asked for: runs are judged by their tags over all of it. */
  readonly range: Period;
  /** The periods that rows of this page can be of, in order. */
  readonly periods: readonly Period[];
  /** In the first of these periods, only values after this one. */
  readonly afterValue: string | undefined;
}

/**
 * Says what to read for a page: which range, and which periods the page begins and can end with.
 * @throws Problem `invalid_cursor`, or `invalid_body` for a range that can't be asked for
 */
export function planCosts(
  project: Project,
  question: CostsQuestion,
  { limit, cursor }: PageRequest,
  nowMs: number,
): CostsPlan {
  const identity = toIdentity(project.id, question);
  const after = cursor === undefined ? undefined : readCursor(identity, cursor);
  const range = resolveRange(question.dateFrom, question.dateTo ?? after?.dateTo, project.timezone, nowMs);
  return { question, identity, limit, range, ...planPeriods(question, range, after, limit) };
}

function planPeriods(
  { granularity, groupBy }: CostsQuestion,
  range: Period,
  after: CursorPosition | undefined,
  limit: number,
): Pick<CostsPlan, 'periods' | 'afterValue'> {
  const periods = listPeriods(range, granularity);
  if (groupBy === undefined) {
    const left = after ? periods.filter(({ dateFrom }) => dateFrom > after.dateFrom) : periods;
    // One more than the page holds tells whether there is another page.
    return { periods: left.slice(0, limit + 1), afterValue: undefined };
  }
  if (!after) return { periods, afterValue: undefined };
  // A grouped page begins in the period of the row before.
  return { periods: periods.filter(({ dateFrom }) => dateFrom >= after.dateFrom), afterValue: after.value };
}
