import { useMemo } from 'react';
import { useApi } from '../api/queries.ts';
import type { Coverage } from '../api/types.ts';
import { toDates, useQuestion } from './question.ts';
import type { DayRange } from './search.ts';

/** The models, or their providers, that have calls without a price on the days; undefined while they are asked, or are not. */
export function useUnpriced(by: 'model' | 'provider' | undefined, asked?: DayRange): ReadonlySet<string> | undefined {
  const { days } = useQuestion();
  const query = new URLSearchParams(toDates(asked ?? days));
  const { data } = useApi<Coverage>(`/api/coverage/?${query}`, undefined, { enabled: by !== undefined });
  return useMemo(() => by && data && new Set(data.unpriced.map(({ [by]: name }) => name)), [by, data]);
}
