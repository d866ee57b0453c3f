import { describe, expect, test } from 'vitest';
import { inTurns } from '../../src/lib/in-turns.ts';
import { column, encodeBlocks, uint32 } from '../../src/storage/analytic/native-block.ts';

/** Keeps the thread busy for a millisecond. */
function workOneMs(): void {
  for (const until = performance.now() + 1; performance.now() < until; );
}

/** How many turns of the event loop others get while something runs. */
async function countTurns(run: () => Promise<void>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await run();
  isOver = true;
  return turns;
}

describe('long work leaves turns of the event loop to requests', () => {
  test('between items, which keep their order', async () => {
    const items = Array.from({ length: 40 }, (_, index) => index);
    const done: number[] = [];
    const turns = await countTurns(() =>
      inTurns(items, (item) => {
        workOneMs();
        done.push(item);
      }),
    );
    expect(done).toEqual(items);
    expect(turns).toBeGreaterThanOrEqual(19);
  });

  test('between the columns of one block of rows', async () => {
    const columns = Array.from({ length: 20 }, (_, index) =>
      column(`c${index}`, uint32, (row: number) => {
        workOneMs();
        return row;
      }),
    );
    const blocks: Buffer[] = [];
    const turns = await countTurns(async () => {
      for await (const block of encodeBlocks(columns, [1, 2])) blocks.push(block);
    });
    expect(blocks).toHaveLength(1);
    expect(turns).toBeGreaterThanOrEqual(19);
  });
});
