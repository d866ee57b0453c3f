import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, dayOf, startOfDay } from '../../src/lib/days.ts';

const timezones = [
  'UTC',
  'Asia/Kathmandu',
  'America/Sao_Paulo',
  'Europe/Berlin',
  'Pacific/Auckland',
  'Pacific/Kiritimati',
];

test('D4.3: a day begins at the first instant that is of it', () => {
  fc.assert(
    fc.property(fc.constantFrom(...timezones), fc.integer({ min: 0, max: 36_889 }), (timezone, offset) => {
      const day = addDays('2000-01-01', offset);
      const startMs = startOfDay(timezone, day);
      expect(dayOf(timezone, startMs)).toBe(day);
      expect(dayOf(timezone, startMs - 1)).toBe(addDays(day, -1));
    }),
  );
});

test('D4.3: where a change of the clock leaves out midnight, the day begins after it', () => {
  expect(new Date(startOfDay('America/Sao_Paulo', '2018-11-04')).toISOString()).toBe('2018-11-04T03:00:00.000Z');
});
