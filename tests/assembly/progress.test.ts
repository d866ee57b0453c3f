// What an answer waits for when the clock is changed.
import { afterEach, expect, test, vi } from 'vitest';
import { Progress } from '../../src/calls/assembly/progress.ts';

const hourMs = 3_600_000;
const noon = Date.UTC(2026, 1, 1, 12);

afterEach(() => {
  vi.useRealTimers();
});

function startProgress() {
  const clock = { now: noon };
  const progress = new Progress(() => clock.now);
  progress.noteCaughtUp();
  return { clock, progress };
}

test('D4.7: an answer waits for events acknowledged before it, also after the clock was set back', async () => {
  const { clock, progress } = startProgress();
  progress.noteStored({ lastSeq: 1, lastSeqByProject: new Map([['prj_a', 1]]) });
  clock.now -= hourMs;
  let isAnswered = false;
  const waiting = progress.waitFor('prj_a', 'strict').then(() => {
    isAnswered = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isAnswered).toBe(false);
  progress.noteAssembled(1);
  await waiting;
});

test('D4.7: an answer is of its own time once the project’s events are in the calls, whatever others wait for', async () => {
  const { clock, progress } = startProgress();
  progress.noteAcknowledged({ lastSeq: 1, lastSeqByProject: new Map([['prj_a', 1]]) });
  clock.now += 5;
  // So soon that both count as one batch.
  progress.noteAcknowledged({ lastSeq: 2, lastSeqByProject: new Map([['prj_b', 2]]) });
  progress.noteAssembled(1);
  expect(await progress.waitFor('prj_a', 'strict')).toBe(noon + 5);
  expect(await progress.waitFor('prj_b', 'relaxed')).toBe(noon - 1);
});

test('D4.7: no answer waits longer than 10 s when the clock is set back', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { clock, progress } = startProgress();
  progress.noteStored({ lastSeq: 1, lastSeqByProject: new Map([['prj_a', 1]]) });
  const waiting = expect(progress.waitFor('prj_a', 'strict')).rejects.toMatchObject({ code: 'catching_up' });
  await vi.advanceTimersByTimeAsync(5_000);
  clock.now -= hourMs;
  // Of another project, so that all who wait look again.
  progress.noteStored({ lastSeq: 2, lastSeqByProject: new Map([['prj_b', 2]]) });
  await vi.advanceTimersByTimeAsync(5_000);
  await waiting;
});

test('D4.7: an answer waits for events that the store has lost, and the refusal says so', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { progress } = startProgress();
  progress.noteLoss();
  const refused = expect(progress.waitFor('prj_a', 'relaxed')).rejects.toMatchObject({
    code: 'catching_up',
    detail: expect.stringContaining('rebuilt'),
  });
  await vi.advanceTimersByTimeAsync(10_000);
  await refused;
  const waiting = progress.waitFor('prj_a', 'strict');
  progress.noteWhole();
  expect(await waiting).toBe(noon);
});

test('D4.7: a waiting answer is signalled until its events are in the calls', async () => {
  const { progress } = startProgress();
  let told = 0;
  progress.onAwaited(() => {
    told += 1;
  });
  progress.noteStored({ lastSeq: 1, lastSeqByProject: new Map([['prj_a', 1]]) });
  progress.noteStored({ lastSeq: 2, lastSeqByProject: new Map([['prj_b', 2]]) });
  await progress.waitFor('prj_c', 'strict');
  await progress.waitFor('prj_a', 'relaxed');
  expect([told, progress.isAwaited]).toEqual([0, false]);
  const waiting = progress.waitFor('prj_a', 'strict');
  expect([told, progress.isAwaited]).toEqual([1, true]);
  progress.noteAssembled(1);
  expect(progress.isAwaited).toBe(false);
  await waiting;
});

test('D4.7: it is watched while an answer waits and for ten seconds after, and not by answers that need not wait', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { progress } = startProgress();
  await progress.waitFor('prj_a', 'strict');
  expect(progress.isWatched).toBe(false);
  progress.noteStored({ lastSeq: 3, lastSeqByProject: new Map([['prj_a', 3]]) });
  expect(progress.unassembledEvents).toBe(3);
  await progress.waitFor('prj_b', 'strict');
  await progress.waitFor('prj_a', 'relaxed');
  expect(progress.isWatched).toBe(false);
  const waiting = progress.waitFor('prj_a', 'strict');
  expect(progress.isWatched).toBe(true);
  progress.noteAssembled(3);
  await waiting;
  expect(progress.unassembledEvents).toBe(0);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(progress.isWatched).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(progress.isWatched).toBe(false);
});
