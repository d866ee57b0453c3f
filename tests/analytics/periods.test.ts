import fc from 'fast-check';
import { expect, test } from 'vitest';
import { granularities, joinPeriods, listPeriods } from '../../src/analytics/periods.ts';
import { addDays, listDays } from '../../src/lib/days.ts';

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

test('D6.1: periods of any range follow each other without a gap, each of one calendar period', () => {
  const keyOf = {
    day: (day: string) => day,
    // ISO weeks, told by the number of the Monday.
    week: (day: string) => String(Math.floor((Date.parse(day) / 86_400_000 + 3) / 7)),
    month: (day: string) => day.slice(0, 7),
    quarter: (day: string) => `${day.slice(0, 4)} ${Math.floor((Number(day.slice(5, 7)) - 1) / 3)}`,
    year: (day: string) => day.slice(0, 4),
    all: () => '',
  };
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 36_000 }).map((offset) => addDays('2000-01-01', offset)),
      fc.nat(800),
      fc.constantFrom(...granularities),
      (dateFrom, length, granularity) => {
        const dateTo = addDays(dateFrom, length);
        const periods = listPeriods({ dateFrom, dateTo }, granularity);
        const byKey = Map.groupBy(listDays(dateFrom, dateTo), keyOf[granularity]);
        expect(periods).toEqual([...byKey.values()].map((days) => ({ dateFrom: days[0], dateTo: days.at(-1) })));
        expect(joinPeriods(periods)).toEqual({ dateFrom, dateTo });
      },
    ),
    { numRuns: 300 },
  );
});

test('no periods join to none', () => {
  expect(joinPeriods([])).toBeUndefined();
});
