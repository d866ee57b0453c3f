import { expect, test } from 'vitest';
import { countSoFar } from '../../dashboard/src/state/pace.ts';

test('D25: the pace of days counts today as far as it has come, by the clock of the project', () => {
  const at = (time: string, timezone = 'UTC') =>
    countSoFar({ from: '2026-11-01', to: '2026-11-10' }, timezone, Date.parse(time));
  expect(at('2026-11-20T09:00:00Z')).toBe(10);
  expect(at('2026-11-10T06:00:00Z')).toBe(9.25);
  expect(at('2026-11-09T18:30:00Z', 'Asia/Kolkata')).toBe(9);
  // A day of 25 hours.
  const [from, to] = ['2026-10-25', '2026-10-25'];
  expect(countSoFar({ from, to }, 'Europe/Berlin', Date.parse('2026-10-25T10:00:00Z'))).toBe(12 / 25);
});
