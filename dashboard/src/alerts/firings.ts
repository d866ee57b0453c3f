import { useInfiniteQuery } from '@tanstack/react-query';
import { keepAnswer, useAsk } from '../api/queries.ts';
import type { AlertKind, FiringsPage } from '../api/types.ts';
import { everyMs } from '../state/alerts.ts';
import { useAccess } from '../state/session.tsx';

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
  const found = keepAnswer(
    useInfiniteQuery({
      queryKey: [project.id, path, 'pages'],
      queryFn: ({ signal, pageParam }) =>
        ask<FiringsPage>(pageParam === null ? path : `${path}&cursor=${encodeURIComponent(pageParam)}`, { signal }),
      initialPageParam: null as string | null,
      getNextPageParam: ({ next_cursor, has_more }) => (has_more ? next_cursor : null),
      refetchInterval: everyMs,
    }),
  );
  return {
    firings: found.data?.pages.flatMap(({ firings }) => firings),
    error: found.error,
    isPending: found.isPending,
    hasMore: found.hasNextPage,
    isAskingMore: found.isFetchingNextPage,
    refetch: found.refetch,
    askMore: () => void found.fetchNextPage(),
  };
}
