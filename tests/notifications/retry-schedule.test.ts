import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  calcNextAttempt,
  jitter,
  longestAskedMs,
  retryDelaysMs,
} from '../../src/alerting/notifications/retry-schedule.ts';

const hour = 3_600_000;
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** The times of all attempts of an endpoint that always fails at once. */
function attemptTimes(startsAt: number, randoms: readonly number[], retryAfter: (nth: number) => string | undefined) {
  const times = [startsAt];
  for (let failures = 1; ; failures += 1) {
    const at = times.at(-1) ?? startsAt;
    const next = calcNextAttempt({ failures, at, retryAfter: retryAfter(failures), random: randoms[failures] ?? 0 });
    if (next === undefined) return times;
    times.push(next);
  }
}

test('D20.5: without jitter the last attempt is 24 hours after the first', () => {
  const times = attemptTimes(0, [], () => undefined);
  expect(times.at(-1)).toBe(24 * hour);
  expect(times).toHaveLength(retryDelaysMs.length + 1);
});

test('D20.5: an endpoint that fails for an hour is asked again within the two hours after it', () => {
  const times = attemptTimes(0, [], () => undefined);
  expect(times.find((time) => time > hour)).toBeLessThan(3 * hour);
});

test('D20.5: attempts come later and later, by the schedule less its jitter, and end', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), fc.array(random, { minLength: 12 }), (startsAt, randoms) => {
      const times = attemptTimes(startsAt, randoms, () => undefined);
      expect(times).toHaveLength(retryDelaysMs.length + 1);
      const delays = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      for (const [index, delay] of delays.entries()) {
        const planned = retryDelaysMs[index] ?? 0;
        expect(delay).toBeLessThanOrEqual(planned);
        expect(delay).toBeGreaterThanOrEqual(Math.floor(planned * (1 - jitter)));
      }
      expect((times.at(-1) ?? 0) - startsAt).toBeGreaterThan(21 * hour);
    }),
  );
});

test('D20.5: Retry-After moves an attempt back, by an hour at most, and never forward', () => {
  const at = Date.UTC(2026, 0, 15, 12);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: retryDelaysMs.length }),
      fc.integer({ min: 0, max: 999_999_999 }),
      fc.boolean(),
      random,
      (failures, seconds, isDate, share) => {
        const asked = Math.min(seconds, 8_000_000);
        const retryAfter = isDate ? new Date(at + asked * 1_000).toUTCString() : String(asked);
        const own = calcNextAttempt({ failures, at, retryAfter: undefined, random: share }) ?? 0;
        const next = calcNextAttempt({ failures, at, retryAfter, random: share });
        expect(next).toBe(Math.max(own, at + Math.min(asked * 1_000, longestAskedMs)));
      },
    ),
  );
});

test('D20.5: any text as Retry-After gives a time of the schedule', () => {
  fc.assert(
    fc.property(fc.string(), (retryAfter) => {
      const next = calcNextAttempt({ failures: 1, at: 0, retryAfter, random: 0 });
      expect(next).toBeGreaterThanOrEqual(5_000);
      expect(next).toBeLessThanOrEqual(longestAskedMs);
    }),
  );
});
