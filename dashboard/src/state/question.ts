import { useNavigate, useSearch } from '@tanstack/react-router';
import type { Granularity } from '../api/types.ts';
import { type DayRange, daysBefore, resolveDays, resolveGranularity, type Search } from './search.ts';
import { useAccess } from './session.tsx';

/** What the address asks for, ready to be sent. */
export interface Question {
  readonly search: Search;
  readonly days: DayRange;
  /** As many days before, to compare with; undefined when that is not wanted, or when there are none. */
  readonly before: DayRange | undefined;
  readonly granularity: Granularity;
  /** The body of costs, usage and calls, without dates. */
  readonly filters: Readonly<Record<string, unknown>>;
  /** Whether a filter is set by which revenue can't be told apart. */
  readonly splitsRevenue: boolean;
}

export function useQuestion(): Question {
  const search = useSearch({ from: '__root__' });
  const { project } = useAccess();
  const days = resolveDays(search, project.timezone);
  const { customers, features, models, providers, ctags, rtags } = search;
  return {
    search,
    days,
    before: search.compare === false ? undefined : daysBefore(days),
    granularity: resolveGranularity(search, days),
    filters: {
      ...(customers && { customers }),
      ...(features && { features }),
      ...(models && { models }),
      ...(providers && { providers }),
      ...(ctags && { customer_tags: ctags }),
      ...(rtags && { run_tags: rtags }),
    },
    splitsRevenue: [features, models, providers, ctags, rtags].some((filter) => filter !== undefined),
  };
}

export const toDates = ({ from, to }: DayRange) => ({ date_from: from, date_to: to });

/** Changes what the address asks for, and leaves the rest of it as it is. */
export function useChangeSearch(): (change: Partial<Search>) => void {
  const navigate = useNavigate();
  return (change) => {
    void navigate({ to: '.', search: (search: Search) => ({ ...search, ...change }), replace: true });
  };
}
