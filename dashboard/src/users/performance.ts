import { useAllRows } from '../api/queries.ts';
import type { PerformanceRow } from '../api/types.ts';
import { toDates, useQuestion } from '../state/question.ts';
import type { DayRange } from '../state/search.ts';
import { toPerformanceBody } from './body.ts';

/** The cost and the key metrics of the days, grouped; and those of the days before and of the days that they stand beside. */
export function usePerformance(
  asked: Readonly<Record<string, unknown>>,
  daysBefore: DayRange | undefined,
  daysNow?: DayRange,
) {
  const question = useQuestion();
  const body = { ...toPerformanceBody(question), ...asked };
  const now = useAllRows<PerformanceRow>('/api/performance/', body);
  const before = useAllRows<PerformanceRow>('/api/performance/', daysBefore && { ...body, ...toDates(daysBefore) });
  const compared = useAllRows<PerformanceRow>('/api/performance/', daysNow && { ...body, ...toDates(daysNow) });
  return { now, compared, before, failed: [now, compared, before].find(({ error }) => error !== null) };
}

export type Performance = ReturnType<typeof usePerformance>;
