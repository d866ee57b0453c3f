import { countSoFar } from './pace.ts';
import { useQuestion } from './question.ts';
import type { DayRange } from './search.ts';
import { useAccess } from './session.tsx';

/** Counts the days with data, which the pace of an amount is by: from the project's first call on, and so far. */
export function usePaceDays(): (days: DayRange) => number {
  const { project } = useAccess();
  const { toKnown } = useQuestion();
  return (days) => countSoFar(toKnown(days), project.timezone);
}
