// Random cases of a property that queries a service, where each case takes a while.
import fc from 'fast-check';
import { isLong, usualOrLong } from './effort.ts';

/**
 * How long new cases are started, in milliseconds. A slow machine tries fewer cases, but never fewer than `leastCases`. In
 * the usual form one case is tried.
 */
const beginWithinMs = usualOrLong(0, 30_000);
const leastCases = usualOrLong(1, 3);

type Arbitraries<Case extends unknown[]> = { [Index in keyof Case]: fc.Arbitrary<Case[Index]> };

/**
 * Checks a property with random cases, one after the other, until `most` cases have run or the time is up; a started case
 * is finished. Throws with the smallest failing case.
 */
export async function checkCases<Case extends [unknown, ...unknown[]]>(
  arbitraries: Arbitraries<Case>,
  most: number,
  check: (...chosen: Case) => Promise<void>,
): Promise<void> {
  const until = performance.now() + beginWithinMs;
  let started = 0;
  await fc.assert(
    fc.asyncProperty(fc.tuple<Case>(...arbitraries), async (chosen) => {
      if (started >= leastCases && performance.now() > until) return;
      started += 1;
      await check(...chosen);
    }),
    // The first cases of fast-check are mostly small ones. The only case has to be whole, and no other need be made.
    { numRuns: usualOrLong(leastCases, most), unbiased: !isLong },
  );
}
