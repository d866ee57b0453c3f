// How much of a project that is assembled apart is tried at once, in a loop of which the test sets how long things take.
import { expect, test } from 'vitest';
import { attemptMs, firstEvents, longestMs, nextSize } from '../../src/calls/assembly/attempt-size.ts';

/** What assembly takes on a busy machine, in milliseconds. */
const fixedMs = 250;
const batchMs = 300;

interface Project {
  readonly eventsPerSecond: number;
  readonly msPerEvent: number;
  readonly isWatched: boolean;
}

/** How far the project is behind, and how long the others wait for an attempt at most, over a minute from the tenth second on. */
function simulate({ eventsPerSecond, msPerEvent, isWatched }: Project): { behindMs: number; attemptMs: number } {
  const worst = { behindMs: 0, attemptMs: 0 };
  let [now, assembled, maxEvents] = [0, 0, firstEvents];
  while (now < 70_000) {
    const reachedMs = (1_000 * assembled) / eventsPerSecond;
    const events = Math.min(maxEvents, ((now - reachedMs) * eventsPerSecond) / 1_000);
    const elapsedMs = fixedMs + events * msPerEvent;
    assembled += events;
    now += elapsedMs + batchMs;
    const behindMs = now - (1_000 * assembled) / eventsPerSecond;
    maxEvents = nextSize(maxEvents, elapsedMs, attemptMs({ batchMs, behindMs: isWatched ? behindMs : 0 }));
    if (now < 10_000) continue;
    worst.behindMs = Math.max(worst.behindMs, behindMs);
    worst.attemptMs = Math.max(worst.attemptMs, elapsedMs);
  }
  return worst;
}

test('a large project about which answers wait is answered long before they are given up', () => {
  const large = { eventsPerSecond: 6_000, msPerEvent: 0.08 };
  expect(simulate({ ...large, isWatched: true }).behindMs).toBeLessThan(4_000);
  // Where no answer waits for it, the others wait as little as can be.
  expect(simulate({ ...large, isWatched: false }).attemptMs).toBeLessThan(batchMs + 200);
});

test('a project whose events take long holds up the others for little more than its share, however far it is behind', () => {
  for (const msPerEvent of [0.2, 0.5, 2]) {
    const worst = simulate({ eventsPerSecond: 6_000, msPerEvent, isWatched: true });
    expect(worst.attemptMs).toBeLessThan(batchMs + 1_100);
  }
});

test('an attempt has 60 ms more than the batches of the others, and a quarter of how far it is behind, up to 800 ms', () => {
  const after = (behindMs: number) => attemptMs({ batchMs, behindMs });
  expect([0, 2_000, 3_200, 60_000].map(after)).toEqual([360, 860, 1_160, 1_160]);
  expect(attemptMs({ batchMs: 1_900, behindMs: 60_000 })).toBe(longestMs);
});

test('few events that take very long are a tenth at once, and never fewer than one', () => {
  expect(nextSize(500, 60_000, longestMs)).toBe(50);
  expect(nextSize(1, 60_000, longestMs)).toBe(1);
  expect(nextSize(20_000, 1, longestMs)).toBe(20_000);
});
