import { useTotal } from '../api/queries.ts';
import type { Comparison } from './comparison.ts';
import { useQuestion } from './question.ts';
import type { DayRange } from './search.ts';

/** The totals of the days that are compared, and of those before: of the page's comparison, or of another. */
export function useComparedTotals<Row>(
  path: string,
  toBody: ((range: DayRange) => object) | undefined,
  of?: { readonly comparison: Comparison | undefined },
) {
  const question = useQuestion();
  const { comparison } = of ?? question;
  const [now, before] = comparison && toBody ? [toBody(comparison.days), toBody(comparison.before)] : [];
  return { now: useTotal<Row>(path, now), before: useTotal<Row>(path, before) };
}
