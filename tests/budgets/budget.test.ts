import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import {
  budgetPeriods,
  calcPassed,
  calcRemaining,
  isAllowed,
  isInSpan,
  periodAround,
  spanAt,
} from '../../src/alerting/budgets/budget.ts';
import { addDays, dayOf } from '../../src/lib/days.ts';
import { parseMoney, widen } from '../../src/lib/money.ts';

const timezones = ['UTC', 'America/New_York', 'America/Sao_Paulo', 'America/St_Johns', 'Europe/Berlin', 'Pacific/Apia'];
const instant = fc.integer({ min: Date.UTC(2005, 0, 1), max: Date.UTC(2040, 0, 1) });

/** The first day of the period, by the calendar of Temporal. */
const dayPeriods = budgetPeriods.filter((period) => period !== 'hour');

function firstDay(day: string, period: (typeof dayPeriods)[number]): string {
  const date = Temporal.PlainDate.from(day);
  if (period === 'day') return day;
  if (period === 'week') return date.subtract({ days: date.dayOfWeek - 1 }).toString();
  const month = period === 'month' ? date.month : date.month - ((date.month - 1) % 3);
  return date.with({ day: 1, month }).toString();
}

test('D20.1: periods are those of the calendar, one after the other', () => {
  fc.assert(
    fc.property(instant, fc.constantFrom(...dayPeriods), (ms, period) => {
      const day = new Date(ms).toISOString().slice(0, 10);
      const { dateFrom, dateTo } = periodAround(day, period);
      expect(dateFrom).toBe(firstDay(day, period));
      expect(periodAround(addDays(dateTo, 1), period).dateFrom).toBe(addDays(dateTo, 1));
      expect(periodAround(dateTo, period)).toEqual({ dateFrom, dateTo });
    }),
  );
});

test('D20.2: a period ends at the first instant of the next one, also where the clock changes or a day is left out', () => {
  fc.assert(
    fc.property(instant, fc.constantFrom(...timezones), fc.constantFrom(...dayPeriods), (ms, timezone, period) => {
      const { dateFrom, dateTo, resetsAt } = spanAt(period, timezone, ms);
      expect(isInSpan({ dateFrom, dateTo, resetsAt }, timezone, ms)).toBe(true);
      expect(resetsAt).toBeGreaterThan(ms);
      expect(dayOf(timezone, resetsAt) > dateTo).toBe(true);
      expect(dayOf(timezone, resetsAt - 1) <= dateTo).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('D20.2: a day that the clock repeats ends when it is over for good', () => {
  // Clocks in St. John's went from 00:01 back to 23:01 of the day before.
  const repeated = Date.parse('2010-11-07T02:45:00Z');
  expect(dayOf('America/St_Johns', repeated)).toBe('2010-11-06');
  expect(spanAt('day', 'America/St_Johns', repeated).resetsAt).toBe(Date.parse('2010-11-07T03:30:00Z'));
});

test('D20.1: thresholds are passed, and calls allowed, to the picodollar', () => {
  const money = (text: string) => parseMoney(text) ?? 0n;
  const budget = { amount: money('3'), thresholds: [33, 100, 150] };
  expect(calcPassed(budget, widen(money('0.989999999999')))).toEqual([]);
  expect(calcPassed(budget, widen(money('0.99')))).toEqual([33]);
  expect(calcPassed(budget, widen(money('3')) - 1n)).toEqual([33]);
  expect(calcPassed(budget, widen(money('4.5')))).toEqual([33, 100, 150]);
  expect(isAllowed(budget, widen(money('3')) - 1n)).toBe(true);
  expect(isAllowed(budget, widen(money('3')))).toBe(false);
  expect(calcRemaining(budget, widen(money('3.5')))).toBe(-0.5);
});
