import { addMonths, daysOfMonth } from '../lib/days.ts';
import { toMonth } from '../lib/format.ts';
import type { DayRange } from '../state/search.ts';

/** How many months before this one can be chosen from the list. */
const mostMonths = 24;

/** The month before that of a day, as YYYY-MM: the last one whose invoices are due. */
export const monthBefore = (day: string): string => addMonths(day, -1).slice(0, 7);

export const moveMonth = (month: string, count: number): string => addMonths(`${month}-01`, count).slice(0, 7);

/** The days of a month, up to today. */
export function daysOf(month: string, today: string): DayRange {
  const days = daysOfMonth(`${month}-01`);
  const last = days.at(-1) ?? today;
  return { from: `${month}-01`, to: last < today ? last : today };
}

/** The names of the months to choose from, the newest first; `chosen` is one of them. */
export function listMonths(today: string, chosen: string): Record<string, string> {
  const recent = Array.from({ length: mostMonths }, (_, index) => moveMonth(today.slice(0, 7), -index));
  const months = [...new Set([...recent, chosen])].toSorted().toReversed();
  return Object.fromEntries(months.map((month) => [month, toMonth(`${month}-01`)]));
}
