import { expect, test } from 'vitest';
import { simulateFailOver, simulateLag, simulateParts } from '../../bench/simulation.ts';

test('parts: as many as the levels of the merge tree hold, while merging keeps up', () => {
  const usual = {
    insertsPerSecond: 10,
    rowsPerInsert: 100,
    mergeThreads: 2,
    mergeRowsPerSecond: 400_000,
    seconds: 3_600,
  };
  const result = simulateParts(usual);
  // 36,000 inserts are five levels of ten, and a row is written once on each.
  expect(result.mostParts).toBeLessThan(5 * 20);
  expect(result.timesWritten).toBeGreaterThan(4);
  expect(result.timesWritten).toBeLessThanOrEqual(5.1);
  expect(result.busy).toBeLessThan(0.1);
  const tooSlow = simulateParts({ ...usual, mergeRowsPerSecond: 500 });
  expect(tooSlow.mostParts).toBeGreaterThan(1_000);
});

test('lag: none below the rate of assembly, and the excess above it is caught up later', () => {
  const steady = simulateLag({ callsPerSecond: () => 900, assembledPerSecond: 1_000, seconds: 100 });
  expect(steady).toEqual({ worstLagSeconds: 0, refusingSeconds: 0, caughtUpAtSecond: 0 });
  const burst = simulateLag({
    callsPerSecond: (second) => (second < 10 ? 3_000 : 500),
    assembledPerSecond: 1_000,
    seconds: 100,
  });
  // 20,000 too many after the tenth second, made up for by 500 a second: 37 seconds later 1,500 are left, and then 1,000.
  expect(burst.worstLagSeconds).toBe(20);
  expect(burst.caughtUpAtSecond).toBe(9 + 37);
});

test('fail-over: never before the lease has run out, nor later than the next one asks', () => {
  let state = 0;
  const random = () => {
    state = (state + 0.618_033_988_749) % 1;
    return state;
  };
  const options = { leaseMs: 5_000, renewEveryMs: 1_000, acquireEveryMs: 500, others: 2, statementMs: 50, random };
  const times = simulateFailOver({ ...options, trials: 10_000 });
  expect(times[0]).toBeGreaterThanOrEqual(4_000);
  expect(times.at(-1)).toBeLessThanOrEqual(5_550);
});
