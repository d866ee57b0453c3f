import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Day, dayOf, listDayStarts } from '../../src/lib/days.ts';
import { usualOrLong } from '../support/effort.ts';

/** The day that a list of starts says of an instant. */
const dayAt = (starts: ReturnType<typeof listDayStarts>, timeMs: number): Day | undefined =>
  starts.findLast((start) => start.timeMs <= timeMs)?.day;

const nextDay = (day: Day, days = 1): Day =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);

test.each([
  ['UTC', '2024-05-15', ['2024-05-15T00:00:00.000Z']],
  ['Asia/Kathmandu', '2024-05-15', ['2024-05-14T18:15:00.000Z']],
  // Its clock went from midnight to one.
  ['America/Sao_Paulo', '2018-11-04', ['2018-11-04T03:00:00.000Z']],
  // A day that was skipped.
  ['Pacific/Apia', '2011-12-30', []],
  ['Pacific/Apia', '2011-12-31', ['2011-12-30T10:00:00.000Z']],
  // A minute after midnight its clock was set back by an hour.
  ['America/St_Johns', '2010-11-07', ['2010-11-07T02:30:00.000Z', '2010-11-07T03:30:00.000Z']],
])('D4.3: in %s, %s begins at %j', (timezone, day, expected) => {
  const starts = listDayStarts(timezone, day, day).filter((start) => start.day === day);
  expect(starts.map(({ timeMs }) => new Date(timeMs).toISOString())).toEqual(expected);
});

test('D4.3: around any days, time is of the day that dayOf says', () => {
  const timezones = Intl.supportedValuesOf('timeZone');
  const day = fc
    .date({ min: new Date('2000-01-01'), max: new Date('2026-06-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  fc.assert(
    fc.property(
      fc.constantFrom(...timezones),
      day,
      fc.nat(40),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
      (timezone, from, length, places) => {
        const to = nextDay(from, length);
        const starts = listDayStarts(timezone, from, to);
        const [first, last] = [Date.parse(from) - 86_400_000, Date.parse(to) + 2 * 86_400_000 - 1];
        const times = places.map((place) => Math.floor(first + place * (last - first)));
        const edges = starts.slice(1).flatMap(({ timeMs }) => [timeMs - 1, timeMs]);
        for (const time of [first, last, ...times, ...edges]) expect(dayAt(starts, time)).toBe(dayOf(timezone, time));
        for (const [index, start] of starts.slice(1).entries()) expect(start.day).not.toBe(starts[index]?.day);
        expect(starts[0]?.day).not.toBe(from);
        expect(starts.at(-1)?.day).not.toBe(to);
      },
    ),
    { numRuns: usualOrLong(100, 1_000) },
  );
});
