import { readGenerations } from '../../calls/generations.ts';
import { type Day, dayOf } from '../../lib/days.ts';
import { type WideMoney, widen } from '../../lib/money.ts';
import type { AnswerSources } from '../../reports/asking/sources.ts';
import type { Budget, BudgetSpan } from './budget.ts';
import { type PlannedBudget, planBudgets } from './plan.ts';
import { readForecasts } from './read-forecast.ts';
import { readSpentOnOne } from './read-spent.ts';
import { calcResetsAt, spentOf } from './spending.ts';

/** The most values of `each` that an answer lists. */
const mostListed = 1_000;

export interface Standing {
  readonly span: BudgetSpan;
  /** The last day of the span up to now. */
  readonly lastDay: Day;
  readonly resetsAt: number | undefined;
  readonly spent: WideMoney;
  /** The forecast spending up to the end of the period; undefined where the days before allow no forecast. */
  readonly forecast: WideMoney | undefined;
  /** The values of `each` with the most spent, largest first; undefined for a budget without, and for one value. */
  readonly largest: readonly (readonly [of: string, spent: WideMoney])[] | undefined;
}

/**
 * Reads how a budget stands: as a whole, or for one value of its `each`.
 * @throws Problem `beyond_retention` when calls that it needs are deleted; as the store's `select` does
 */
export async function readStanding(
  sources: Pick<AnswerSources, 'store' | 'answerCache' | 'control' | 'clock'>,
  projectId: string,
  budget: Budget,
  of: string | undefined,
): Promise<Standing> {
  const { control, clock } = sources;
  const generations = await readGenerations(control, projectId);
  const at = { projectId, timezone: generations.timezone, nowMs: clock() };
  const planned = await planBudgets(control, at, [budget], of === undefined ? 'all' : { of });
  const ofEach = budget.each && of === undefined ? await planBudgets(control, at, [budget]) : undefined;
  const read = (some: readonly PlannedBudget[], which: 'all' | 'largest') =>
    readSpentOnOne(sources, { projectId, planned: some, generations, rows: { which, most: mostListed } });
  const [one, each] = await Promise.all([read(planned, 'all'), ofEach && read(ofEach, 'largest')]);
  const [forecast] = await readForecasts(sources, { projectId, planned, generations, nowMs: at.nowMs });
  const spent = spentOf(one, at.nowMs);
  return {
    span: one.span,
    lastDay: one.span.times?.window ? dayOf(at.timezone, at.nowMs) : one.span.dateTo,
    resetsAt: each && one.span.times?.window ? undefined : calcResetsAt(one, at.nowMs),
    spent,
    // Calls may be dated later than today, so more may be spent than forecast.
    forecast: forecast === undefined || widen(forecast) > spent ? forecast && widen(forecast) : spent,
    largest: each?.parts.flatMap((part) => [...part]),
  };
}
