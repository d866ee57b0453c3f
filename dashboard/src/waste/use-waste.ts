import { useApi } from '../api/queries.ts';
import type { Waste } from '../api/types.ts';
import { toDates, useQuestion } from '../state/question.ts';

/** The waste of the calls that the URL selects. */
export function useWaste() {
  const { days, filters, search } = useQuestion();
  return useApi<Waste>(
    '/api/waste/',
    { ...toDates(days), ...filters, ...(search.swap && { alternatives: search.swap }) },
    { keep: true },
  );
}
