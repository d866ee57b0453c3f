import { useApi } from '../api/queries.ts';
import type { Waste } from '../api/types.ts';
import type { Fixed } from '../state/costs.ts';
import { toDates, useQuestion } from '../state/question.ts';

interface WasteOptions {
  /** The page's own filters. They override those of the URL. */
  readonly fixed?: Fixed | undefined;
  readonly isAsked?: boolean;
}

/** The waste of the calls that the URL selects. */
export function useWaste({ fixed = {}, isAsked = true }: WasteOptions = {}) {
  const { days, filters, search } = useQuestion();
  return useApi<Waste>(
    '/api/waste/',
    { ...toDates(days), ...filters, ...fixed, ...(search.swap && { alternatives: search.swap }) },
    { keep: true, enabled: isAsked },
  );
}
