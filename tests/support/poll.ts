import { setTimeout as pause } from 'node:timers/promises';

export interface PollOptions {
  within: number;
  /** A pace of its own: for a moment that must not be missed, or for what is costly to ask. */
  every?: number;
}

/** How long work in the background of the shared service may take: it has its turn after that of all the other tests. */
export const backgroundWithin = 150_000;

/** Asks until the answer is not undefined; throws when time is up. */
export async function poll<T>(
  what: string,
  { within, every }: PollOptions,
  ask: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    // When it is asked counts, and not when the answer is there: a slow machine needs long to say what was so in time.
    const elapsedMs = performance.now() - startedAt;
    const found = await ask();
    if (found !== undefined) return found;
    if (elapsedMs > within) throw new Error(`${what}: not within ${within} ms`);
    // Asking takes from what is waited for: who has waited long is told a little later.
    await pause(every ?? Math.max(20, elapsedMs / 20));
  }
}
