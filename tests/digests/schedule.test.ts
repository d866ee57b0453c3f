import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DigestPlan, findLastDigest } from '../../src/alerting/digests/schedule.ts';
import { usualOrLong } from '../support/effort.ts';

const zones = ['UTC', 'America/New_York', 'Europe/Berlin', 'Pacific/Apia', 'Asia/Kathmandu', 'Australia/Lord_Howe'];
const plan = fc.oneof(
  fc.record({ every: fc.constant('weekly' as const), day: fc.integer({ min: 1, max: 7 }), hour: fc.nat(23) }),
  fc.record({ every: fc.constant('monthly' as const), day: fc.integer({ min: 1, max: 28 }), hour: fc.nat(23) }),
);
const hourMs = 3_600_000;

const clocks = new Map(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-US', {
      ...{ timeZone, year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', hourCycle: 'h23' },
    }),
  ]),
);

/** The day and hour on the wall of a zone, by Intl. */
function wall(zone: string, at: number) {
  const parts = clocks.get(zone)?.formatToParts(at) ?? [];
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  return { day: `${of('year')}-${of('month')}-${of('day')}`, hour: Number(of('hour')) };
}

const plusDays = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 24 * hourMs).toISOString().slice(0, 10);

/** Looks back, quarter by quarter of an hour, for the day and hour of the plan. */
function lastByBruteForce({ every, day, hour }: DigestPlan, zone: string, now: number) {
  let at = now - (now % (hourMs / 4));
  for (;;) {
    const { day: date, hour: on } = wall(zone, at);
    const isDay =
      every === 'weekly' ? (new Date(`${date}T00:00:00Z`).getUTCDay() || 7) === day : Number(date.slice(8)) === day;
    if (isDay && on >= hour) {
      if (every === 'weekly') return { from: plusDays(date, -7), to: plusDays(date, -1), before: plusDays(date, -14) };
      const first = `${date.slice(0, 8)}01`;
      const last = plusDays(first, -1);
      const beforeLast = plusDays(`${last.slice(0, 8)}01`, -1);
      return { from: `${last.slice(0, 8)}01`, to: last, before: `${beforeLast.slice(0, 8)}01` };
    }
    at -= hourMs / 4;
  }
}

test('D33: the digest that was due last is that of the last day and hour of its plan, in any timezone', () => {
  fc.assert(
    fc.property(
      plan,
      fc.constantFrom(...zones),
      fc.date({ min: new Date('2025-01-01'), max: new Date('2027-12-31'), noInvalidDate: true }),
      (asked, zone, date) => {
        const now = date.getTime();
        const { now: days, before } = findLastDigest(asked, zone, now);
        const expected = lastByBruteForce(asked, zone, now);
        expect({ from: days.dateFrom, to: days.dateTo, before: before.dateFrom }).toEqual(expected);
        expect(before.dateTo).toBe(plusDays(days.dateFrom, -1));
      },
    ),
    { numRuns: usualOrLong(40, 1_000) },
  );
});
