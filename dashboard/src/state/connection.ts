import { useSyncExternalStore } from 'react';

// Whether the last request to the service was answered, with any status.

let isReached = true;
const listeners = new Set<() => void>();

/** Notes whether a request was answered. */
export function noteReached(reached: boolean): void {
  if (reached === isReached) return;
  isReached = reached;
  for (const notify of listeners) notify();
}

export const useIsReached = (): boolean =>
  useSyncExternalStore(
    (notify) => {
      listeners.add(notify);
      return () => listeners.delete(notify);
    },
    () => isReached,
  );
