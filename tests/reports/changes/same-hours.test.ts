import { expect, test } from 'vitest';
import { changesBody, parseChanges, sameHours } from '../../../src/reports/changes/parse.ts';

const now = Date.parse('2026-11-28T09:40:00Z');
const hoursOf = (dateFrom: string, dateTo: string, timezone = 'UTC', before: Record<string, string> = {}) =>
  sameHours(parseChanges(changesBody.parse({ date_from: dateFrom, date_to: dateTo, ...before })), timezone, now).hours;

test('D21: a range that ends with today is compared with the same hours, which the clock of the project tells', () => {
  expect(hoursOf('2026-11-28', '2026-11-28')).toBe(9);
  expect(hoursOf('2026-11-28', '2026-11-28', 'Asia/Tokyo')).toBe(18);
  expect(hoursOf('2026-11-22', '2026-11-28')).toBe(9);
  const weekAgo = { before_from: '2026-11-21', before_to: '2026-11-21' };
  expect(hoursOf('2026-11-28', '2026-11-28', 'UTC', weekAgo)).toBe(9);
  // Whole days, and a range of which the last day is a small part.
  expect(hoursOf('2026-11-27', '2026-11-27')).toBeUndefined();
  expect(hoursOf('2026-11-01', '2026-11-28')).toBeUndefined();
});
