import type { Day, DaySpan } from '../../lib/days.ts';
import { Problem } from '../../lib/problem.ts';
import { type Generations, isFrozen } from '../generations.ts';

/** The refusal of what needs calls or events that are deleted. `needs` says what can't be had without them. */
export const beyondRetention = (keptFrom: Day, needs: string): Problem =>
  new Problem(
    'beyond_retention',
    `The calls and events of the days before ${keptFrom} are deleted, and only their totals are kept. ${needs}`,
  );

/**
 * Refuses a question that only calls can answer, where a day of it is frozen and had calls (docs/decisions/0010).
 * @throws Problem `beyond_retention`, naming the first day that can be asked for
 */
export function requireCalls(generations: Generations, { dateFrom, dateTo }: DaySpan): void {
  const { frozenBefore, seals } = generations;
  if (frozenBefore === undefined || dateFrom >= frozenBefore) return;
  for (const day of seals.keys()) {
    if (day < dateFrom || day > dateTo || !isFrozen(generations, day)) continue;
    throw beyondRetention(
      frozenBefore,
      `This question needs the calls themselves: ask from ${frozenBefore} on, or leave out filters and groups until totals answer it.`,
    );
  }
}
