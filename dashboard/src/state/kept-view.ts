import { type Query, useQueryClient } from '@tanstack/react-query';
import { useLocation, useRouter, useRouterState } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { isPassing } from '../api/client.ts';
import { useIsReached } from './connection.ts';

/** How long a page must lack nothing until it counts as whole, in milliseconds: an answer may lead to the next question. */
const wholeMs = 300;

const isLacking = ({ state: { data, error, fetchStatus } }: Query): boolean =>
  data === undefined && (fetchStatus !== 'idle' || isPassing(error));

/** Whether the page that is shown waits for an answer that it never had. */
function useIsLacking(project: string): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    useCallback((notify) => cache.subscribe(notify), [cache]),
    () => cache.findAll({ type: 'active', queryKey: [project] }).some(isLacking),
  );
}

/**
 * Keeps what is shown while the service is away: other days, filters and columns that would need it are taken back, and a page
 * of which nothing is known `isAway`.
 */
export function useKeptView(project: string): { readonly isAway: boolean; readonly isRefused: boolean } {
  const router = useRouter();
  // Of the page that is drawn; a location on its way to be drawn lacks nothing yet.
  const place = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation });
  const { pathname } = useLocation();
  const isReached = useIsReached();
  const lacks = useIsLacking(project);
  const whole = useRef(place);
  const [away, setAway] = useState<string>();
  const [refused, setRefused] = useState<string>();
  const isAway = !isReached && away !== undefined && away === place?.href;
  useEffect(() => {
    if (lacks || isAway) return;
    const timer = setTimeout(() => {
      whole.current = place;
    }, wholeMs);
    return () => clearTimeout(timer);
  }, [lacks, isAway, place]);
  useEffect(() => {
    if (isReached || refused !== pathname) setRefused(undefined);
    if (isReached) return;
    if (!lacks || !place || whole.current?.href === place.href) return;
    if (whole.current?.pathname !== place.pathname) return setAway(place.href);
    setRefused(place.pathname);
    void router.navigate({ to: '.', search: whole.current.search, replace: true });
  }, [isReached, lacks, pathname, place, refused, router]);
  return { isAway, isRefused: refused === pathname };
}
