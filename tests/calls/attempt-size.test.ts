// How much of a project that is assembled apart is tried at once, in a loop of which the test sets how long things take.
import { expect, test } from 'vitest';
import { attemptMs, firstSize, longestMs, nextSize } from '../../src/calls/assembly/attempt-size.ts';

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
  let [now, assembled, size] = [0, 0, firstSize];
  while (now < 70_000) {
    const reachedMs = (1_000 * assembled) / eventsPerSecond;
    const events = Math.min(size.maxEvents, ((now - reachedMs) * eventsPerSecond) / 1_000);
    const elapsedMs = fixedMs + events * msPerEvent;
    assembled += events;
    now += elapsedMs + batchMs;
    const behindMs = now - (1_000 * assembled) / eventsPerSecond;
    size = nextSize(size, elapsedMs, attemptMs({ batchMs, behindMs: isWatched ? behindMs : 0 }));
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
  const after = (maxEvents: number, elapsedMs: number) => nextSize({ ...firstSize, maxEvents }, elapsedMs, longestMs);
  expect(after(500, 60_000).maxEvents).toBe(50);
  expect(after(20_000, 1).maxEvents).toBe(20_000);
  expect(after(2, 60_000).maxEvents).toBe(1);
});

test('a project of which one event takes as long as hundreds comes to an end, in attempts little longer than with one', () => {
  const oneMs = 3_400;
  let [size, left, attempts] = [firstSize, 20_000, 0];
  for (; left > 0 && attempts < 100; attempts += 1) {
    const elapsedMs = oneMs + size.maxEvents;
    left -= size.maxEvents;
    size = nextSize(size, elapsedMs, longestMs);
    if (attempts > 10) expect(elapsedMs).toBeLessThan(2 * oneMs);
  }
  expect(left).toBeLessThanOrEqual(0);
  // What takes longer each time is not taken for what one event takes.
  size = nextSize({ maxEvents: 1, oneEventMs: 0 }, oneMs, longestMs);
  for (let attempt = 0; attempt < 20; attempt += 1) size = nextSize(size, oneMs * size.maxEvents, longestMs);
  expect(size.maxEvents).toBeLessThanOrEqual(2);
});
