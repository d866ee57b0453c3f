// D4.7: large requests do not run far ahead of assembly, above all while answers wait for it; and they never wait for long.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Backlog, Pace } from '../../src/ingest/intake/pace.ts';
import { Waiters } from '../../src/lib/waiters.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A pace, the assembly that it follows, and how long the next large request waits, in milliseconds. */
function startPace(state: { isWatched: boolean; acknowledgedSeq: number; assembledSeq: number }) {
  const waiters = new Waiters();
  const backlog: Backlog = {
    get isWatched() {
      return state.isWatched;
    },
    get assembledSeq() {
      return state.assembledSeq;
    },
    get unassembledEvents() {
      return state.acknowledgedSeq - state.assembledSeq;
    },
    untilMoved: (mostMs) => waiters.wait(mostMs),
  };
  const pace = new Pace(backlog);
  return {
    assemble(seq: number) {
      state.assembledSeq = seq;
      waiters.wakeAll();
    },
    async measureWait(): Promise<number> {
      const startedAt = performance.now();
      let isOver = false;
      const waiting = pace.wait().then(() => {
        isOver = true;
      });
      for (let ms = 0; ms < 5_000; ms += 10) {
        await Promise.resolve();
        if (isOver) break;
        await vi.advanceTimersByTimeAsync(10);
      }
      await waiting;
      return performance.now() - startedAt;
    },
  };
}

test('while no answer waits, a full batch of assembly may wait, and no more', async () => {
  const near = startPace({ isWatched: false, acknowledgedSeq: 50_000, assembledSeq: 0 });
  expect(await near.measureWait()).toBe(0);
  const further = startPace({ isWatched: false, acknowledgedSeq: 50_001, assembledSeq: 0 });
  setTimeout(() => further.assemble(1), 100);
  expect(await further.measureWait()).toBe(100);
});

test('while answers wait, nothing waits while assembly is near', async () => {
  const { measureWait } = startPace({ isWatched: true, acknowledgedSeq: 4_000, assembledSeq: 0 });
  expect(await measureWait()).toBe(0);
});

test('a large request waits until assembly is near again', async () => {
  const { measureWait, assemble } = startPace({ isWatched: true, acknowledgedSeq: 20_000, assembledSeq: 0 });
  setTimeout(() => assemble(10_000), 100);
  setTimeout(() => assemble(16_000), 300);
  expect(await measureWait()).toBe(300);
});

test('a request waits three seconds at most while assembly moves, and the next one waits too', async () => {
  const { measureWait, assemble } = startPace({ isWatched: true, acknowledgedSeq: 50_000, assembledSeq: 0 });
  setTimeout(() => assemble(10_000), 500);
  expect(await measureWait()).toBe(3_000);
  setTimeout(() => assemble(46_000), 200);
  expect(await measureWait()).toBe(200);
});

test('assembly that stands still holds up one request for three seconds, and no further ones until it moves', async () => {
  const { measureWait, assemble } = startPace({ isWatched: true, acknowledgedSeq: 50_000, assembledSeq: 0 });
  expect(await measureWait()).toBe(3_000);
  expect(await measureWait()).toBe(0);
  assemble(10_000);
  setTimeout(() => assemble(46_000), 200);
  expect(await measureWait()).toBe(200);
});
