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

/** How long nothing at all is answered until the service counts as away, in milliseconds: it refuses what takes 15 s. */
const silenceMs = 20_000;
const waiting = new Set<AbortController>();
let silence: ReturnType<typeof setTimeout> | undefined;

function listenAnew(): void {
  clearTimeout(silence);
  silence = setTimeout(() => {
    for (const one of waiting) one.abort();
    waiting.clear();
  }, silenceMs);
}

/** Sends a request, which ends when neither it nor any other has been answered for a while: a service that hangs never would. */
export async function whileAnswering<Answer>(send: (silence: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const request = new AbortController();
  if (waiting.size === 0) listenAnew();
  waiting.add(request);
  try {
    const answer = await send(request.signal);
    listenAnew();
    return answer;
  } finally {
    waiting.delete(request);
  }
}

export const useIsReached = (): boolean =>
  useSyncExternalStore(
    (notify) => {
      listeners.add(notify);
      return () => listeners.delete(notify);
    },
    () => isReached,
  );
