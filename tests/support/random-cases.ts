// Random cases of a property that asks a service, each of which takes a while.
import fc from 'fast-check';
import { usualOrLong } from './effort.ts';

/** For how long new cases are begun, in milliseconds. A slow machine tries fewer; the first case always runs. */
const beginWithinMs = usualOrLong(4_000, 30_000);

type Arbitraries<Case extends unknown[]> = { [Index in keyof Case]: fc.Arbitrary<Case[Index]> };

/**
 * Checks a property with random cases, one after the other, until there were `most` or the time is up; a case that was begun
 * is finished. Throws the smallest case found that fails.
 */
export async function checkCases<Case extends [unknown, ...unknown[]]>(
  arbitraries: Arbitraries<Case>,
  most: number,
  check: (...chosen: Case) => Promise<void>,
): Promise<void> {
  const until = performance.now() + beginWithinMs;
  await fc.assert(
    fc.asyncProperty(fc.tuple<Case>(...arbitraries), async (chosen) => {
      if (performance.now() < until) await check(...chosen);
    }),
    { numRuns: most },
  );
}
