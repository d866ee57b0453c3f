// Rounds of faults chosen at random: how many, by which seed, and what was tried.
import fc from 'fast-check';
import { seed, usualOrLong } from '../support/effort.ts';

/** A whole round may take so long, in milliseconds, on a machine that is busy with others. */
const roundMs = 300_000;

/** How many rounds each test has: 300 in all in the long form. */
export const countRounds = (usual: number): number => usualOrLong(usual, 34);

/** The time that a test of so many rounds may take, in milliseconds. */
export const timeoutOf = (rounds: number): number => 60_000 + rounds * roundMs;

/**
 * Runs rounds one after the other and prints the seed before the first and what was tried after the last; `run` names each
 * fault that it made. The first failure ends it: a smaller round would say no more, as what fails is a matter of time.
 */
export async function tryRounds<Round>(
  name: string,
  rounds: number,
  round: fc.Arbitrary<Round>,
  run: (round: Round, tried: (fault: string) => void) => Promise<void>,
): Promise<void> {
  const counts = new Map<string, number>();
  const tried = (fault: string) => void counts.set(fault, (counts.get(fault) ?? 0) + 1);
  let done = 0;
  print(`${name}: TEST_SEED=${seed}, ${rounds} rounds`);
  try {
    await fc.assert(
      fc.asyncProperty(round, async (chosen) => {
        try {
          await run(chosen, tried);
        } catch (error) {
          // At once: the end of all tests may be an hour away.
          print(
            `${name}: round ${done + 1} failed: ${error instanceof Error ? (error.stack ?? error.message) : error}`,
          );
          throw error;
        }
        done += 1;
        if (done % 5 === 0 && done < rounds) print(`${name}: ${done} rounds so far`);
      }),
      { numRuns: rounds, seed, endOnFailure: true },
    );
  } finally {
    const list = [...counts].sort().map(([fault, count]) => `${fault} ${count}`);
    print(`${name}: ${done} rounds passed; ${list.join(', ')}`);
  }
}

const print = (line: string) => process.stdout.write(`faults: ${line}\n`);
