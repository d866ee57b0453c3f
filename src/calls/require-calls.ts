import type { Day, Period } from '../lib/days.ts';
import { Problem } from '../lib/problem.ts';
import { type Generations, isFrozen } from './generations.ts';

/** For a request that needs deleted data. `needs` ends the message: why, or what to ask instead. */
export const beyondRetention = (keptFrom: Day, needs: string): Problem =>
  new Problem(
    'beyond_retention',
    `Calls and events of days before ${keptFrom} are deleted; only the totals of these days are kept. ${needs}`,
  );

/** @throws Problem `beyond_retention`, with the first day left, if a day with calls is frozen (docs/decisions/0010) */
export function requireCalls(
  generations: Generations,
  { dateFrom, dateTo }: Period,
  needs = 'the calls themselves',
  fewer = 'fewer filters and groups',
): void {
  const { frozenBefore, seals } = generations;
  if (frozenBefore === undefined || dateFrom >= frozenBefore) return;
  for (const day of seals.keys()) {
    if (day < dateFrom || day > dateTo || !isFrozen(generations, day)) continue;
    throw beyondRetention(frozenBefore, `This question needs ${needs}: ask from ${frozenBefore} on, or with ${fewer}.`);
  }
}
