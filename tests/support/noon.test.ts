import { expect, test } from 'vitest';
import { isTimezone } from '../../src/lib/days.ts';
import { usualOrLong } from './effort.ts';
import { dayOf } from './model.ts';
import { findNoon } from './noon.ts';

test('at any time it is about noon in the timezone of findNoon, and noon UTC is on the same day there', () => {
  for (let minute = 0; minute < 24 * 60; minute += usualOrLong(7, 1)) {
    const now = Date.UTC(2028, 1, 29, 0, minute);
    const { timezone, offset } = findNoon(now);
    expect(isTimezone(timezone), timezone).toBe(true);
    // The day and hour there, by the offset: between 11:00 and 12:59.
    const there = new Date(now + Number(offset.slice(0, 3)) * 3_600_000).toISOString();
    expect(there.slice(11, 13)).toMatch(/^1[12]$/);
    expect(dayOf(now, timezone)).toBe(there.slice(0, 10));
    expect(dayOf(Date.parse('2024-05-15T12:00:00Z'), timezone)).toBe('2024-05-15');
    expect(dayOf(Date.parse(`2024-05-15T00:00:00${offset}`), timezone)).toBe('2024-05-15');
    expect(dayOf(Date.parse(`2024-05-14T23:59:59${offset}`), timezone)).toBe('2024-05-14');
  }
});
