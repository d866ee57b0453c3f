import { setImmediate as nextTurn } from 'node:timers/promises';

/** Long work that yields where requests may go first, after a few ms. Who runs it decides the slices of a turn. */
export type Slices<Result> = Generator<void, Result, void>;

/** How long one turn of the event loop runs slices, in milliseconds: an answer waits for some thirty turns. */
const turnMs = 4;

/** Runs slices for as long as a turn may take; undefined if there are more. */
export function runTurn<Result>(work: Slices<Result>, ms: number): { readonly result: Result } | undefined {
  const until = performance.now() + ms;
  do {
    const step = work.next();
    if (step.done) return { result: step.value };
  } while (performance.now() < until);
  return undefined;
}

/** Runs slices to their end, at most 4 ms of them in a turn. */
export async function runInTurns<Result>(work: Slices<Result>): Promise<Result> {
  for (;;) {
    const done = runTurn(work, turnMs);
    if (done) return done.result;
    await nextTurn();
  }
}

/** Runs slices to their end at once: for short work. */
export function runAtOnce<Result>(work: Slices<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Items with a yield after every `every` of them, for work on many small ones. */
export function* inSlices<Item>(items: Iterable<Item>, every: number, work: (item: Item) => void): Slices<void> {
  let left = every;
  for (const item of items) {
    work(item);
    left -= 1;
    if (left > 0) continue;
    yield;
    left = every;
  }
}
