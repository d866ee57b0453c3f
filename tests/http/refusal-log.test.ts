// D3.7: in an overload the log says how much was refused, without flooding.

import type { FastifyBaseLogger } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { storeFailed } from '../../src/ingest/intake/overload.ts';
import { askingFor } from '../../src/lib/asker.ts';
import { toProblem } from '../../src/lib/http/problem-reply.ts';
import { RefusalLog } from '../../src/lib/http/refusal-log.ts';
import { Overload, Problem } from '../../src/lib/problem.ts';

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
  // Nothing is logged without refusals, and the next overload is logged at once.
  vi.advanceTimersByTime(60_000);
  expect(logged).toHaveLength(2);
  refusals.note();
  expect(logged.at(-1)).toEqual({ refused: 1 });
});

test.each([
  ['more than can be taken', new Overload('Too much is being sent at once.'), { refused: 1, logged: 0 }],
  ['a stop', new Problem('unavailable', 'The service is stopping.'), { refused: 0, logged: 1 }],
  ['a store that fails', storeFailed(new Error('gone')), { refused: 0, logged: 1 }],
])('what is refused because of %s is counted or logged, never both', (_why, refusal, { refused, logged }) => {
  const lines: string[] = [];
  let noted = 0;
  const note = () => {
    noted += 1;
  };
  const log = { warn: (_fields: unknown, line: string) => void lines.push(line) } as unknown as FastifyBaseLogger;
  expect(toProblem(refusal, log, { note } as RefusalLog)).toBe(refusal);
  expect({ refused: noted, logged: lines.length }).toEqual({ refused, logged });
  // Of an answer that nobody waits for any more, nothing is said.
  askingFor({ lane: '', left: AbortSignal.abort() }, () => toProblem(refusal, log, { note } as RefusalLog));
  expect(lines).toHaveLength(logged);
});
