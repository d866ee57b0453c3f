import { addDays, startOfDay } from '../../../lib/days.ts';
import { type BudgetState, readBudgetStates } from '../../budgets/states.ts';
import type { Look } from '../look.ts';
import type { Asker } from './ask.ts';

/**
 * The states of all budgets now. The first look of a day also reads the states at the end of yesterday, and at the end
 * of the last day that was looked at. So it finds the thresholds that were passed after the last look of a period.
 */
export async function readStates({ project, watch, now, today }: Look, { sources }: Asker): Promise<BudgetState[]> {
  const { lookedDay } = watch;
  const past = lookedDay === undefined || lookedDay >= today ? [] : [...new Set([lookedDay, addDays(today, -1)])];
  const ends = past.map((day) => startOfDay(project.timezone, addDays(day, 1)) - 1);
  const states = await Promise.all([...ends, now].map((at) => readBudgetStates(sources, project, at)));
  return states.flat();
}
