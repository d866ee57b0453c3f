import { type Query, useQueryClient } from '@tanstack/react-query';
import { useLocation, useRouter, useRouterState } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { isPassing } from '../api/client.ts';
import { useIsReached } from './connection.ts';

/** How long a page must be shown until it is kept, in milliseconds: an answer may lead to the next question. */
const keptMs = 300;

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

/** Whether the page that is shown has had an answer since an instant: what it lacks is late, and not all of it. */
function useIsAnswered(project: string, since: number): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    useCallback((notify) => cache.subscribe(notify), [cache]),
    () => cache.findAll({ type: 'active', queryKey: [project] }).some(({ state }) => state.dataUpdatedAt >= since),
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
  const opened = useRef({ href: place?.href, atMs: Date.now() });
  if (opened.current.href !== place?.href) opened.current = { href: place?.href, atMs: Date.now() };
  const isAnswered = useIsAnswered(project, opened.current.atMs);
  /** The last page that was kept, and the addresses of all: to take a page back to one that is not would never end. */
  const kept = useRef<typeof place>(undefined);
  const keptHrefs = useRef(new Set<string>());
  const [away, setAway] = useState<string>();
  const [refused, setRefused] = useState<string>();
  const isAway = !isReached && away !== undefined && away === place?.href;
  useEffect(() => {
    if (isAway || !place || (lacks && !(isReached && isAnswered))) return;
    const timer = setTimeout(() => {
      kept.current = place;
      keptHrefs.current.add(place.href);
    }, keptMs);
    return () => clearTimeout(timer);
  }, [lacks, isAnswered, isAway, isReached, place]);
  useEffect(() => {
    if (isReached || refused !== pathname) setRefused(undefined);
    if (isReached) return;
    if (!lacks || !place || keptHrefs.current.has(place.href)) return;
    if (kept.current?.pathname !== place.pathname) return setAway(place.href);
    setRefused(place.pathname);
    router.history.replace(kept.current.href);
  }, [isReached, lacks, pathname, place, refused, router]);
  return { isAway, isRefused: refused === pathname };
}
