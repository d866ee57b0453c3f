// When a project is looked at, and what a look begins and ends.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolveTurn } from '../../src/alerting/alerts/firings.ts';
import { isDue } from '../../src/alerting/alerts/schedule.ts';
import { type Cause, identify } from '../../src/alerting/rule/cause.ts';

const minuteMs = 60_000;

test('D20.3: a look begins what holds and is not open, and ends what neither holds nor lingers', () => {
  const found = fc.uniqueArray(
    fc.record({ model: fc.integer({ min: 0, max: 9 }), state: fc.constantFrom('holds', 'lingers') }),
    { selector: ({ model }) => model },
  );
  const open = fc.uniqueArray(fc.integer({ min: 0, max: 9 }));
  fc.assert(
    fc.property(found, open, (states, models) => {
      const toCause = (model: number, state: 'holds' | 'lingers'): Cause => ({
        subject: { model },
        state,
        numbers: {},
        title: '',
        text: '',
        path: '/',
      });
      const rows = models.map((model) => ({
        id: String(model),
        cause: identify({ subject: { model } }),
        is_quiet: 0,
      }));
      const turn = resolveTurn(
        states.map(({ model, state }) => toCause(model, state)),
        rows,
      );
      expect(turn.begun.map(({ subject }) => subject.model)).toEqual(
        states.filter(({ model, state }) => state === 'holds' && !models.includes(model)).map(({ model }) => model),
      );
      expect(turn.ended.map(({ id }) => Number(id))).toEqual(
        models.filter((model) => !states.some((state) => state.model === model)),
      );
    }),
  );
});

test('D20.3: a project is looked at when there are calls or changes, and at the first look of each hour and day', () => {
  const now = Date.parse('2026-03-09T10:30:00Z');
  const ask = {
    ...({ kind: 'budget', timezone: 'Asia/Kolkata', everyMs: 30_000, now } as const),
    ...{ callsUntil: undefined, changedAt: undefined },
  };
  expect(isDue({ ...ask, lookedAt: undefined })).toBe(true);
  expect(isDue({ ...ask, lookedAt: now - 29_999, callsUntil: now })).toBe(false);
  expect(isDue({ ...ask, lookedAt: now - 30_000, callsUntil: now - 30_000 })).toBe(true);
  expect(isDue({ ...ask, lookedAt: now - 30_000, callsUntil: now - 30_001 })).toBe(false);
  expect(isDue({ ...ask, lookedAt: now - 1, changedAt: now - 1 })).toBe(true);
  expect(isDue({ ...ask, lookedAt: now - 1, changedAt: now - 2 })).toBe(false);
  expect(isDue({ ...ask, kind: 'no_events', lookedAt: now - minuteMs })).toBe(true);
  expect(isDue({ ...ask, kind: 'no_events', lookedAt: now - minuteMs + 1 })).toBe(false);
  expect(isDue({ ...ask, kind: 'anomaly', lookedAt: now - 599_999, callsUntil: now })).toBe(false);
  expect(isDue({ ...ask, kind: 'anomaly', lookedAt: now - 600_000, callsUntil: now })).toBe(true);
  // A runaway every few seconds, and each minute after the last calls until it must have ended.
  const runaway = { ...ask, kind: 'runaway' } as const;
  expect(isDue({ ...runaway, lookedAt: now - 5_000, callsUntil: now })).toBe(true);
  expect(isDue({ ...runaway, everyMs: 600_000, lookedAt: now - 10_000, callsUntil: now })).toBe(true);
  expect(isDue({ ...runaway, lookedAt: now - minuteMs + 1, callsUntil: now - minuteMs })).toBe(false);
  expect(isDue({ ...runaway, now: now + 10 * minuteMs, lookedAt: now, callsUntil: now - 10 * minuteMs })).toBe(true);
  expect(isDue({ ...runaway, now: now + 10 * minuteMs, lookedAt: now, callsUntil: now - 90 * minuteMs })).toBe(false);
  expect(isDue({ ...ask, lookedAt: now - 31 * minuteMs })).toBe(true);
  // Half past six in the evening in UTC is midnight in Kolkata.
  const midnight = Date.parse('2026-03-09T18:30:00Z');
  expect(isDue({ ...ask, now: midnight, lookedAt: midnight - 1 })).toBe(true);
  expect(isDue({ ...ask, now: midnight - 1, lookedAt: midnight - 2 })).toBe(false);
  // The clock was set back.
  expect(isDue({ ...ask, lookedAt: now + 1 })).toBe(true);
});
