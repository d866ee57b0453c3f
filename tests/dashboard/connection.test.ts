// A service that takes requests and never answers.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { whileAnswering } from '../../dashboard/src/state/connection.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = (silence: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    silence.addEventListener('abort', () => reject(silence.reason));
  });

test('D25: requests end when nothing has been answered for 20 s, and none ends while others are answered', async () => {
  const outcomes = [whileAnswering(never), whileAnswering(never)].map((asked) => asked.catch(() => 'ended'));
  const settled = vi.fn();
  void Promise.all(outcomes).then(settled);
  await vi.advanceTimersByTimeAsync(15_000);
  await whileAnswering(() => Promise.resolve('an answer'));
  await vi.advanceTimersByTimeAsync(19_000);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(settled).toHaveBeenCalledWith(['ended', 'ended']);
  // A request after a pause has its own time.
  await vi.advanceTimersByTimeAsync(60_000);
  const next = vi.fn();
  whileAnswering(never).catch(next);
  await vi.advanceTimersByTimeAsync(19_000);
  expect(next).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(next).toHaveBeenCalled();
});
