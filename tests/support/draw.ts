// Members of a matrix that are drawn anew in every run.
import fc from 'fast-check';
import { isLong, seed } from './effort.ts';

/**
 * The whole list in the long form; otherwise `count` items of it, in its order. The seed draws them, so every run tries
 * others, and TEST_SEED repeats them. A smaller count draws some of the same.
 */
export function drawOf<Item>(list: readonly Item[], count: number): Item[] {
  if (isLong) return [...list];
  const keys = fc.sample(fc.noBias(fc.nat()), { seed, numRuns: list.length });
  const drawn = new Set([...keys.keys()].toSorted((a, b) => Number(keys[a]) - Number(keys[b])).slice(0, count));
  return list.filter((_item, index) => drawn.has(index));
}
