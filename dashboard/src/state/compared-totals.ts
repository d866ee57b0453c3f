import { useTotal } from '../api/queries.ts';
import { useQuestion } from './question.ts';
import type { DayRange } from './search.ts';

/** The totals of the days that are compared, and of those before. */
export function useComparedTotals<Row>(path: string, toBody: ((range: DayRange) => object) | undefined) {
  const { comparison } = useQuestion();
  const [now, before] = comparison && toBody ? [toBody(comparison.days), toBody(comparison.before)] : [];
  return { now: useTotal<Row>(path, now), before: useTotal<Row>(path, before) };
}
