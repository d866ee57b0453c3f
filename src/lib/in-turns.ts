import { fairTurn } from './fair-turn.ts';
import type { Slices } from './slices.ts';

/** How long one turn of the event loop works, in milliseconds; requests wait meanwhile. */
const turnMs = 2;

/** Processes items and yields to the event loop every 2 ms. */
export async function inTurns<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
  let until = performance.now() + turnMs;
  for (const item of items) {
    work(item);
    if (performance.now() < until) continue;
    await fairTurn();
    until = performance.now() + turnMs;
  }
}

/** Does steps and yields to the event loop every 2 ms. */
export async function stepsInTurns<Result>(steps: Slices<Result>): Promise<Result> {
  let until = performance.now() + turnMs;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < until) continue;
    await fairTurn();
    until = performance.now() + turnMs;
  }
}
