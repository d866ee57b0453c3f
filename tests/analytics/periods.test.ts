import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { granularities, listPeriods } from '../../src/analytics/periods.ts';

const dayAt = (offset: number) => Temporal.PlainDate.from('1970-01-01').add({ days: offset });

/** What tells two periods apart, by another library than the service's arithmetic. */
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
    { numRuns: 300 },
  );
});

test.each(granularities)('D6.1: the last days that can be named are listed by %s', (granularity) => {
  const periods = listPeriods({ dateFrom: '9999-12-30', dateTo: '9999-12-31' }, granularity);
  expect([periods[0]?.dateFrom, periods.at(-1)?.dateTo]).toEqual(['9999-12-30', '9999-12-31']);
});
