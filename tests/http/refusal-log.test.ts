// D3.7: in an overload the log says how much was refused, and is not an overload of its own.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RefusalLog } from '../../src/http/refusal-log.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

test('D3.7: the first refusal is logged at once, and those after it together, every ten seconds', () => {
  const logged: unknown[] = [];
  const refusals = new RefusalLog({ warn: (fields: unknown) => void logged.push(fields) });
  refusals.note();
  expect(logged).toEqual([{ refused: 1 }]);
  for (let refusal = 0; refusal < 5_000; refusal += 1) refusals.note();
  vi.advanceTimersByTime(9_999);
  expect(logged).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(logged).toEqual([{ refused: 1 }, { refused: 5_000 }]);
  // Nothing more is said while there is nothing to say, and the next spell begins at once.
  vi.advanceTimersByTime(60_000);
  expect(logged).toHaveLength(2);
  refusals.note();
  expect(logged.at(-1)).toEqual({ refused: 1 });
});
