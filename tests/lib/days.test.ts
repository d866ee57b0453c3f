import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addDays,
  dayOf,
  earlierOf,
  isDay,
  isTimezone,
  laterOf,
  listDays,
  startOfDay,
  toDayNumber,
} from '../../src/lib/days.ts';

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

test('D4.3: an instant is of the day that a clock on the wall shows', () => {
  const at = Date.UTC(2024, 4, 14, 18, 14, 59, 999);
  expect(dayOf('UTC', at)).toBe('2024-05-14');
  expect(dayOf('Asia/Kathmandu', at)).toBe('2024-05-14');
  expect(dayOf('Asia/Kathmandu', at + 1)).toBe('2024-05-15');
  expect(dayOf('America/Los_Angeles', Date.UTC(2024, 4, 15, 6, 59))).toBe('2024-05-14');
  expect(dayOf('UTC', -1)).toBe('1969-12-31');
});

test('D4.3: within an hour in which the clock is changed, each instant has its own offset', () => {
  // Lord Howe is 11 hours ahead until 15:00 UTC, and 10:30 from then on; its clock is set back by half an hour.
  const change = Date.UTC(2024, 3, 6, 15);
  expect(dayOf('Australia/Lord_Howe', change - 1)).toBe('2024-04-07');
  // St. John's changed a minute after midnight, in the middle of an hour of UTC: the day before came again.
  const setBack = Date.UTC(2010, 10, 7, 2, 31);
  expect(dayOf('America/St_Johns', setBack - 1)).toBe('2010-11-07');
  expect(dayOf('America/St_Johns', setBack)).toBe('2010-11-06');
  expect(dayOf('America/St_Johns', Date.UTC(2010, 10, 7, 3, 30))).toBe('2010-11-07');
});

test('days are counted from the first of 1970', () => {
  expect(['1969-12-31', '1970-01-01', '2024-02-29'].map(toDayNumber)).toEqual([-1, 0, 19_782]);
});

test('days are listed with the first and the last of them', () => {
  expect(listDays('2024-02-28', '2024-03-01')).toEqual(['2024-02-28', '2024-02-29', '2024-03-01']);
  expect(listDays('2024-02-28', '2024-02-28')).toEqual(['2024-02-28']);
  expect(listDays('2024-02-28', '2024-02-27')).toEqual([]);
});

test('of two days one is the earlier, and one the later', () => {
  for (const [a, b] of [
    ['2026-11-30', '2026-12-01'],
    ['2026-12-01', '2026-11-30'],
    ['2026-12-01', '2026-12-01'],
  ] as const)
    expect([earlierOf(a, b), laterOf(a, b)]).toEqual([a, b].toSorted());
});

test('a day is moved over the ends of months', () => {
  expect(addDays('2024-02-28', 2)).toBe('2024-03-01');
  expect(addDays('2024-03-01', -1)).toBe('2024-02-29');
});

test.each(['2024-02-29', '2000-01-01', '9999-12-31'])('%s is a day', (text) => {
  expect(isDay(text)).toBe(true);
});

test.each([
  '2023-02-29',
  '2024-02-30',
  '2024-13-01',
  '2024-00-10',
  '2024-01-00',
  '2024-1-1',
  '24-01-01',
  '2024-01-011',
  '12024-01-01',
  ' 2024-01-01',
  '2024/01/01',
  '2024-01-01T00:00:00Z',
  '2024-01',
  '2024',
  '',
])('"%s" is no day', (text) => {
  expect(isDay(text)).toBe(false);
});

test.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])('D1.1: %s is a timezone', (name) => {
  expect(isTimezone(name)).toBe(true);
});

test.each(['', '+02:00', '-05', 'Mars/Olympus', '1Europe/Berlin'])('D1.1: "%s" is no timezone', (name) => {
  expect(isTimezone(name)).toBe(false);
});
