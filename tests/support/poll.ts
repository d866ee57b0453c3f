import { setTimeout as pause } from 'node:timers/promises';

export interface PollOptions {
  within: number;
  every?: number;
}

/** How long work in the background of the shared service may take: it has its turn after that of all the other tests. */
export const backgroundWithin = 150_000;

/** Asks until the answer is not undefined; throws when time is up. */
export async function poll<T>(
  what: string,
  { within, every = 20 }: PollOptions,
  ask: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const deadline = Date.now() + within;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${within} ms`);
    await pause(every);
  }
}
