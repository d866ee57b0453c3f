import { setTimeout as pause } from 'node:timers/promises';

export interface PollOptions {
  within: number;
  every?: number;
}

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
