import { setTimeout as pause } from 'node:timers/promises';

export interface PollOptions {
  within: number;
  /** The pause between asks in milliseconds: short for a moment that must not be missed, long for a costly ask. */
  every?: number;
}

/** The limit in milliseconds for background work of the shared service, which shares its queue with all other tests. */
export const backgroundWithin = 300_000;

/** Asks until the answer is not undefined; throws after `within` milliseconds. */
export async function poll<T>(
  what: string,
  { within, every }: PollOptions,
  ask: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    // The time of asking counts, not that of the answer: on a slow machine a timely answer can arrive late.
    const elapsedMs = performance.now() - startedAt;
    const found = await ask();
    if (found !== undefined) return found;
    if (elapsedMs > within) throw new Error(`${what}: not within ${within} ms`);
    // Asking slows the awaited work down, so the pause grows with the time waited.
    await pause(every ?? Math.max(20, elapsedMs / 8));
  }
}
