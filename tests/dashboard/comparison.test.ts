import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, countDays, weekdayOf } from '../../dashboard/src/lib/days.ts';
import {
  compareDays,
  remarkOnDays,
  toBeforeWords,
  toComparedChange,
  toComparisonWords,
  toFeeChange,
  toWeeksBefore,
} from '../../dashboard/src/state/comparison.ts';

const toDays = (from: string, to: string) => ({ from, to });
const today = '2026-11-29';
const compare = (from: string, to: string, firstDay = '2024-01-01') =>
  compareDays(toDays(from, to), { today, firstDay });

test('D25: days are compared with as many days of the same weekdays, all of them over and with data', () => {
  const day = (at: number) => addDays('2024-01-01', at);
  fc.assert(
    fc.property(fc.nat(900), fc.nat(400), fc.nat(1_300), (start, length, first) => {
      // Days within a month: whole months have their own rule.
      const shown = toDays(day(start).replace(/-01$/, '-02'), day(start + length + 1));
      const compared = compareDays(shown, { today, firstDay: day(first) });
      if (!compared) {
        expect(shown.from >= today || toWeeksBefore(shown).to < addDays(day(first), 7) || shown.to >= today).toBe(true);
        return;
      }
      const { days, before } = compared;
      expect(countDays(before.from, before.to)).toBe(countDays(days.from, days.to));
      expect(weekdayOf(before.from)).toBe(weekdayOf(days.from));
      expect(before.from >= day(first) && before.to < shown.from).toBe(true);
      expect(days.from >= shown.from && days.to <= shown.to && days.to < today).toBe(true);
      // Nothing is left out but today, and days whose counterparts had no data.
      expect(days.to === shown.to || (shown.to >= today && days.to === addDays(today, -1))).toBe(true);
      expect(days.from === shown.from || before.from === day(first)).toBe(true);
    }),
  );
});

test('D25: today is left out, and alone it is compared with nothing', () => {
  const week = compare('2026-11-23', today);
  expect(week).toEqual({ days: toDays('2026-11-23', '2026-11-28'), before: toDays('2026-11-16', '2026-11-21') });
  expect(week && toComparisonWords(week, toDays('2026-11-23', today))).toBe('16 – 21 Nov, without today');
  expect(compare(today, today)).toBeUndefined();
  expect(compareDays(toDays('2026-11-01', today), { today, firstDay: undefined })).toBeUndefined();
});

test('D25: days before the first with data are none: only days with a counterpart are compared', () => {
  expect(compare('2026-11-02', '2026-11-28', '2026-11-03')).toBeUndefined();
  // A part of October, whose last day November does not have.
  expect(compare('2026-11-01', '2026-11-30', '2026-10-27')?.before).toEqual(toDays('2026-10-27', '2026-10-28'));
  expect(compareDays(toDays('2026-11-01', '2026-11-30'), { today: '2026-12-01', firstDay: '2026-10-27' })).toEqual({
    ...{ days: toDays('2026-11-27', '2026-11-30'), before: toDays('2026-10-27', '2026-10-30') },
  });
  const cut = compare('2026-11-02', '2026-11-28', '2026-10-20');
  expect(cut).toEqual({ days: toDays('2026-11-17', '2026-11-28'), before: toDays('2026-10-20', '2026-10-31') });
  expect(cut && toComparisonWords(cut, toDays('2026-11-02', '2026-11-28'))).toBe('20 – 31 Oct, against 17 – 28 Nov');
});

test('D25: whole months are compared with the months before, by the day, and a running month with the same days', () => {
  const october = compare('2026-10-01', '2026-10-31');
  expect(october?.before).toEqual(toDays('2026-09-01', '2026-09-30'));
  expect(october && toBeforeWords(october)).toBe('September');
  expect(october && toComparedChange(310, 300, october)).toBe('±0% a day');
  expect(october && toComparedChange(341, 300, october)).toBe('+10.0% a day');
  // A comparison in total says what its days alone are.
  expect(october && remarkOnDays(october, 300)).toBe(
    '31 days are compared with 30: at the same cost a day, that alone is +$10.00.',
  );
  const week = compare('2026-11-16', '2026-11-22');
  expect([week && remarkOnDays(week, 300), october && remarkOnDays(october, 0)]).toEqual(['', '']);
  expect(compare('2026-11-01', today)).toEqual({
    days: toDays('2026-11-01', '2026-11-28'),
    before: toDays('2026-10-01', '2026-10-28'),
  });
  expect(compare('2026-07-01', '2026-09-30')?.before).toEqual(toDays('2026-04-01', '2026-06-30'));
  // Most of a year stands beside the year before.
  const year = compare('2026-01-01', today);
  expect(year?.before).toEqual(toDays('2025-01-01', '2025-11-28'));
  expect(year && toBeforeWords(year)).toBe('1 Jan – 28 Nov 2025');
});

test('D25: a fee by the month says what the lengths of the months alone make of it', () => {
  const remark = (from: string, to: string, grown = 1.04) => {
    const compared = compare(from, to);
    return compared && toFeeChange(compared, grown, 1);
  };
  // 27 days of November against as many of October.
  expect(remark('2026-11-02', '2026-11-28')).toBe('+3.3%');
  // A revenue that did not rise, or rose far more, has no such fees.
  expect([1, 0.9, 5.5].map((grown) => remark('2026-11-02', '2026-11-28', grown))).toEqual(Array(3).fill(undefined));
  expect(remark('2026-03-29', '2026-05-02', 1.01)).toBe('+0.7%');
  // Whole months have one fee each; a day of the shorter one has more of it.
  expect(remark('2026-09-01', '2026-09-30', 1)).toBe('+3.3% a day');
  expect(remark('2026-08-01', '2026-08-31')).toBeUndefined();
  expect(remark('2026-10-10', '2026-10-16')).toBeUndefined();
});
