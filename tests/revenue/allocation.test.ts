import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toDayNumber } from '../../src/lib/days.ts';
import { dollar, parseMoney } from '../../src/lib/money.ts';
import { runAtOnce } from '../../src/lib/slices.ts';
import {
  type Allocation,
  allocate,
  calcEarned,
  type DaySpan,
  isWithin,
  sumEarned,
} from '../../src/reports/facts/allocation.ts';

const money = (text: string): bigint => parseMoney(text) ?? 0n;
const dayAt = (number: number): string => new Date(number * 86_400_000).toISOString().slice(0, 10);
const span = (dateFrom: string, dateTo: string = dateFrom): DaySpan => ({
  from: toDayNumber(dateFrom),
  to: toDayNumber(dateTo),
});

interface Earning {
  amount: bigint;
  dateFrom: string;
  dateTo: string;
}

const allocationOf = ({ amount, dateFrom, dateTo }: Earning): Allocation => allocate(amount, span(dateFrom, dateTo));

/** What each day earns, word for word as D8.1 has it; bigint division truncates toward zero. */
function earnedByDay({ amount, dateFrom, dateTo }: Earning): bigint[] {
  const n = BigInt(toDayNumber(dateTo) - toDayNumber(dateFrom) + 1);
  return Array.from({ length: Number(n) }, (_, index) => {
    const i = BigInt(index + 1);
    return (amount * i) / n - (amount * (i - 1n)) / n;
  });
}

test('D8.1: an amount is earned evenly, and the indivisible rest goes to the days where it adds up', () => {
  const third = allocationOf({ amount: dollar, dateFrom: '2024-02-28', dateTo: '2024-03-01' });
  expect(['2024-02-28', '2024-02-29', '2024-03-01'].map((day) => calcEarned(third, span(day)))).toEqual([
    money('0.333333333333'),
    money('0.333333333333'),
    money('0.333333333334'),
  ]);
  const tiny = allocationOf({ amount: 2n, dateFrom: '2024-01-01', dateTo: '2024-01-04' });
  expect([1, 2, 3, 4].map((day) => calcEarned(tiny, span(`2024-01-0${day}`)))).toEqual([0n, 1n, 0n, 1n]);
});

test('D8.1: a refund is truncated toward zero', () => {
  const refund = allocationOf({ amount: -2n, dateFrom: '2024-01-01', dateTo: '2024-01-04' });
  expect([1, 2, 3, 4].map((day) => calcEarned(refund, span(`2024-01-0${day}`)))).toEqual([0n, -1n, 0n, -1n]);
});

test('D8.1: an entry of one day earns all of it on that day', () => {
  const entry = allocationOf({ amount: money('-0.000000000001'), dateFrom: '2024-02-29', dateTo: '2024-02-29' });
  expect(calcEarned(entry, span('2024-02-29'))).toBe(-1n);
  expect(calcEarned(entry, span('2000-01-01', '2100-12-31'))).toBe(-1n);
  expect(calcEarned(entry, span('2024-03-01', '2100-12-31'))).toBe(0n);
  expect(calcEarned(entry, span('2000-01-01', '2024-02-28'))).toBe(0n);
});

test('D8.1: the longest entry of the largest amount adds up', () => {
  const amount = 10n ** 12n * dollar - 1n;
  const entry = allocationOf({ amount, dateFrom: '2000-01-01', dateTo: '2010-01-07' });
  expect(entry.days).toBe(3_660);
  const days = Array.from({ length: 3_660 }, (_, index) => entry.from + index);
  const earned = days.map((day) => calcEarned(entry, { from: day, to: day }));
  expect(earned.reduce((a, b) => a + b)).toBe(amount);
  expect(new Set(earned).size).toBeLessThanOrEqual(2);
});

test('D6.2: an entry counts on its days, also on those where truncation leaves nothing', () => {
  const entry = allocationOf({ amount: 1n, dateFrom: '2024-01-10', dateTo: '2024-01-20' });
  expect([isWithin(entry, span('2024-01-10')), calcEarned(entry, span('2024-01-10'))]).toEqual([true, 0n]);
  expect([isWithin(entry, span('2024-01-20')), calcEarned(entry, span('2024-01-20'))]).toEqual([true, 1n]);
  expect([isWithin(entry, span('2024-01-09')), isWithin(entry, span('2024-01-21'))]).toEqual([false, false]);
});

const firstDay = toDayNumber('2023-06-01');
const amounts = fc.oneof(
  fc.bigInt({ min: -5_000n, max: 5_000n }),
  fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }),
  fc.constantFrom(0n, 1n, -1n, 10n ** 24n, -(10n ** 24n)),
);
const earnings = fc
  .record({
    amount: amounts,
    start: fc.integer({ min: 0, max: 800 }),
    length: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 3_660 })),
  })
  .map(
    ({ amount, start, length }): Earning => ({
      amount,
      dateFrom: dayAt(firstDay + start),
      dateTo: dayAt(firstDay + start + length - 1),
    }),
  );

test('D8.1: each span of an entry earns what its days do, and all of it the amount', () => {
  fc.assert(
    fc.property(earnings, fc.integer({ min: -50, max: 3_700 }), fc.nat(3_700), (earning, offset, length) => {
      const entry = allocationOf(earning);
      const days = earnedByDay(earning);
      expect(days.reduce((a, b) => a + b, 0n)).toBe(earning.amount);
      const from = entry.from + offset;
      const expected = days.slice(Math.max(offset, 0), Math.max(offset + length + 1, 0)).reduce((a, b) => a + b, 0n);
      expect(calcEarned(entry, { from, to: from + length })).toBe(expected);
      expect(calcEarned(entry, { from: entry.from - 1, to: entry.to + 1 })).toBe(earning.amount);
    }),
    { numRuns: 300 },
  );
});

test('D8.1: the entries of periods that follow each other are summed up as each entry by itself', () => {
  const lengths = fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 366 })), { minLength: 0, maxLength: 40 });
  fc.assert(
    fc.property(fc.array(earnings, { maxLength: 12 }), fc.nat(900), lengths, (entries, start, periodLengths) => {
      let next = firstDay + start;
      const periods = periodLengths.map((length): DaySpan => {
        const period = { from: next, to: next + length - 1 };
        next += length;
        return period;
      });
      const allocations = entries.map(allocationOf);
      expect(runAtOnce(sumEarned(allocations, periods))).toEqual(
        periods.map((period) => allocations.reduce((sum, entry) => sum + calcEarned(entry, period), 0n)),
      );
    }),
    { numRuns: 300 },
  );
});
