import { useInfiniteQuery } from '@tanstack/react-query';
import type { Alert, AlertKind, FiringsPage } from '../api/alert-types.ts';
import { useApi, useAsk } from '../api/queries.ts';
import { useAccess } from './session.tsx';

const everyMs = 30_000;

/** The kinds of alerts with their settings. */
export const useAlerts = () => useApi<{ alerts: readonly Alert[] }>('/api/alerts/', undefined, { every: everyMs });

/** How many firings are open; undefined while that is not known. */
export function useOpenCount(): number | undefined {
  return useAlerts().data?.alerts.reduce((sum, { open }) => sum + open, 0);
}

interface FiringsQuestion {
  readonly state: 'open' | 'ended';
  readonly limit: number;
  readonly kind?: AlertKind | undefined;
}

/** The firings of a state, newest first, a page at a time. */
export function useFirings({ state, limit, kind }: FiringsQuestion) {
  const { project } = useAccess();
  const ask = useAsk();
  const path = `/api/alerts/firings/?state=${state}&limit=${limit}${kind === undefined ? '' : `&kind=${kind}`}`;
  const found = useInfiniteQuery({
    queryKey: [project.id, path, 'pages'],
    queryFn: ({ signal, pageParam }) =>
      ask<FiringsPage>(pageParam === null ? path : `${path}&cursor=${encodeURIComponent(pageParam)}`, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor, has_more }) => (has_more ? next_cursor : null),
    refetchInterval: everyMs,
  });
  return {
    firings: found.data?.pages.flatMap(({ firings }) => firings),
    error: found.error,
    isPending: found.isPending,
    hasMore: found.hasNextPage,
    isAskingMore: found.isFetchingNextPage,
    retry: () => void found.refetch(),
    askMore: () => void found.fetchNextPage(),
  };
}
