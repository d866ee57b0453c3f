import type { Day, Period } from '../lib/days.ts';
import { Problem } from '../lib/problem.ts';
import { type Generations, isFrozen } from './generations.ts';

/**
 * The problem for a request that needs deleted calls or events. The message ends with `needs`, which says why they are
 * needed or what to ask instead.
 */
export const beyondRetention = (keptFrom: Day, needs: string): Problem =>
  new Problem(
    'beyond_retention',
    `Calls and events of days before ${keptFrom} are deleted; only the totals of these days are kept. ${needs}`,
  );

/**
 * Refuses a question that only calls can answer, if one of its days is frozen and had calls (docs/decisions/0010).
 * @throws Problem `beyond_retention`, naming the first day that can be asked for
 */
export function requireCalls(generations: Generations, { dateFrom, dateTo }: Period): void {
  const { frozenBefore, seals } = generations;
  if (frozenBefore === undefined || dateFrom >= frozenBefore) return;
  for (const day of seals.keys()) {
    if (day < dateFrom || day > dateTo || !isFrozen(generations, day)) continue;
    throw beyondRetention(
      frozenBefore,
      `This question needs the calls themselves: ask from ${frozenBefore} on, or with fewer filters and groups.`,
    );
  }
}
