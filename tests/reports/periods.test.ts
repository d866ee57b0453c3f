import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { granularities, joinPeriods, listPeriods } from '../../src/reports/asking/periods.ts';
import { usualOrLong } from '../support/effort.ts';

const dayAt = (offset: number) => Temporal.PlainDate.from('1970-01-01').add({ days: offset });

/** A key that differs between two periods, by another library than the service's arithmetic. */
const nameOf: Record<(typeof granularities)[number], (day: Temporal.PlainDate) => string> = {
  day: (day) => day.toString(),
  week: (day) => `${day.yearOfWeek}-${day.weekOfYear}`,
  month: (day) => `${day.year}-${day.month}`,
  quarter: (day) => `${day.year}-${Math.ceil(day.month / 3)}`,
  year: (day) => `${day.year}`,
  all: () => 'all',
};

test('D6.1: periods are the runs of days that are of one calendar period, in order and without a gap', () => {
  const range = fc.tuple(fc.integer({ min: 0, max: 47_000 }), fc.integer({ min: 0, max: 1_200 }));
  fc.assert(
    fc.property(range, fc.constantFrom(...granularities), ([start, length], granularity) => {
      const days = Array.from({ length: length + 1 }, (_, index) => dayAt(start + index));
      const expected = [...Map.groupBy(days, nameOf[granularity]).values()].map((ofPeriod) => ({
        dateFrom: ofPeriod[0]?.toString(),
        dateTo: ofPeriod.at(-1)?.toString(),
      }));
      const [dateFrom, dateTo] = [dayAt(start).toString(), dayAt(start + length).toString()];
      expect(listPeriods({ dateFrom, dateTo }, granularity)).toEqual(expected);
    }),
    { numRuns: usualOrLong(40, 300) },
  );
});

test.each(granularities)('D6.1: the last days that can be named are listed by %s', (granularity) => {
  const periods = listPeriods({ dateFrom: '9999-12-30', dateTo: '9999-12-31' }, granularity);
  expect([periods[0]?.dateFrom, periods.at(-1)?.dateTo]).toEqual(['9999-12-30', '9999-12-31']);
});

const edges = (dateFrom: string, dateTo: string, granularity: (typeof granularities)[number]) =>
  listPeriods({ dateFrom, dateTo }, granularity).map((period) => `${period.dateFrom}..${period.dateTo}`);

test.each([
  ['day', ['2023-12-30..2023-12-30', '2023-12-31..2023-12-31', '2024-01-01..2024-01-01']],
  ['week', ['2023-12-30..2023-12-31', '2024-01-01..2024-01-01']],
  ['month', ['2023-12-30..2023-12-31', '2024-01-01..2024-01-01']],
  ['quarter', ['2023-12-30..2023-12-31', '2024-01-01..2024-01-01']],
  ['year', ['2023-12-30..2023-12-31', '2024-01-01..2024-01-01']],
  ['all', ['2023-12-30..2024-01-01']],
] as const)('D6.1: around a turn of the year, each %s is clipped to the range', (granularity, expected) => {
  expect(edges('2023-12-30', '2024-01-01', granularity)).toEqual(expected);
});

test('D6.1: weeks begin on Monday, over a leap day too', () => {
  expect(edges('2024-02-25', '2024-03-11', 'week')).toEqual([
    '2024-02-25..2024-02-25',
    '2024-02-26..2024-03-03',
    '2024-03-04..2024-03-10',
    '2024-03-11..2024-03-11',
  ]);
});

test('D6.1: months end with their last day', () => {
  expect(edges('2024-01-31', '2024-04-30', 'month')).toEqual([
    '2024-01-31..2024-01-31',
    '2024-02-01..2024-02-29',
    '2024-03-01..2024-03-31',
    '2024-04-01..2024-04-30',
  ]);
});

test('D6.1: quarters begin in January, April, July and October', () => {
  expect(edges('2023-12-31', '2024-12-31', 'quarter')).toEqual([
    '2023-12-31..2023-12-31',
    '2024-01-01..2024-03-31',
    '2024-04-01..2024-06-30',
    '2024-07-01..2024-09-30',
    '2024-10-01..2024-12-31',
  ]);
});

test('D6.1: years begin in January', () => {
  expect(edges('2022-12-31', '2025-01-01', 'year')).toEqual([
    '2022-12-31..2022-12-31',
    '2023-01-01..2023-12-31',
    '2024-01-01..2024-12-31',
    '2025-01-01..2025-01-01',
  ]);
});

test('periods join to the days from the first to the last, and none to none', () => {
  expect(joinPeriods(listPeriods({ dateFrom: '2023-12-30', dateTo: '2024-02-01' }, 'month'))).toEqual({
    dateFrom: '2023-12-30',
    dateTo: '2024-02-01',
  });
  expect(joinPeriods([])).toBeUndefined();
});
