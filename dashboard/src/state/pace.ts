import { addDays, countDays, todayIn } from '../lib/days.ts';
import { startOfDay } from '../lib/start-of-day.ts';
import type { DayRange } from './search.ts';

const hourMs = 3_600_000;
/** Less of a day says nothing of a month. */
const leastDays = 1 / 24;

/** How many days there have been so far at an instant, in milliseconds since 1970: of today only its hours that are over. */
export function countSoFar({ from, to }: DayRange, timezone: string, now = Date.now()): number {
  const today = todayIn(timezone, new Date(now));
  if (to < today) return countDays(from, to);
  const [begun, ends] = [today, addDays(today, 1)].map((day) => Date.parse(startOfDay(timezone, day))) as [
    number,
    number,
  ];
  const hours = Math.floor((now - begun) / hourMs);
  return Math.max(leastDays, countDays(from, today) - 1 + (hours * hourMs) / (ends - begun));
}
