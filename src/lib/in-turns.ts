import { fairTurn } from './fair-turn.ts';

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
