import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { askApi } from '../api/client.ts';
import { useIsReached } from '../state/connection.ts';
import { Icon } from './icons.tsx';

/** How often a page that asks nothing asks whether the service is there, and how often one does that had no answer, in milliseconds. */
const everyMs = 10_000;
const retryEveryMs = 2_000;

/** Shows a notice while the service can't be reached, then refetches everything on the page. */
export function Unreached({ isRefused }: { /** Whether a choice was taken back. */ readonly isRefused: boolean }) {
  const isReached = useIsReached();
  const queries = useQueryClient();
  const wasReached = useRef(true);
  useQuery({
    queryKey: ['reached'],
    queryFn: async ({ signal }) => await askApi('/healthz', { signal }),
    refetchInterval: isReached ? everyMs : retryEveryMs,
    retry: false,
    // It has just been: the page is there.
    initialData: null,
    gcTime: 0,
  });
  useEffect(() => {
    if (isReached && !wasReached.current) void queries.invalidateQueries();
    wasReached.current = isReached;
  }, [isReached, queries]);
  return (
    <div role="status" className="sticky top-0 z-40 print:hidden lg:h-0">
      {!isReached && (
        <p className="flex items-center justify-center gap-2 bg-warnbg px-4 py-2 text-[13px] font-medium text-warn lg:mx-auto lg:w-fit lg:rounded-b-xl lg:shadow-md">
          <Icon name="alert" />
          No answer from the service.{' '}
          {isRefused
            ? 'What you chose needs one, so this page stays as it was.'
            : 'This page may be out of date. It retries automatically.'}
        </p>
      )}
    </div>
  );
}
