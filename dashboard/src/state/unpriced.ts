import { useMemo } from 'react';
import { useApi } from '../api/queries.ts';
import type { Coverage } from '../api/types.ts';
import { toDates, useQuestion } from './question.ts';

/** The models of the days that have calls without a price; undefined while they are asked, or are not. */
export function useUnpriced(isAsked: boolean): ReadonlySet<string> | undefined {
  const { days } = useQuestion();
  const { data } = useApi<Coverage>(`/api/coverage/?${new URLSearchParams(toDates(days))}`, undefined, {
    enabled: isAsked,
  });
  return useMemo(() => data && new Set(data.unpriced.map(({ model }) => model)), [data]);
}
