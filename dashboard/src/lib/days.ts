// Calendar days as YYYY-MM-DD. "Today" is in the timezone of the project, never that of the browser.

import { remembered } from '../../../src/lib/remembered.ts';

const dayMs = 86_400_000;

export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10);

/** The number of days in a range, both ends included. */
export const countDays = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs) + 1;

/** The same day `count` months later, or the last day of that month. */
export function addMonths(day: string, count: number): string {
  const first = new Date(`${day.slice(0, 7)}-01T00:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() + count);
  const month = first.toISOString().slice(0, 7);
  const last = daysOfMonth(`${month}-01`).at(-1) ?? '';
  const wanted = `${month}-${day.slice(8)}`;
  return wanted < last ? wanted : last;
}

/** All days of the month of a day. */
export function daysOfMonth(day: string): string[] {
  const month = day.slice(0, 7);
  return Array.from({ length: 31 }, (_, index) => addDays(`${month}-01`, index)).filter((other) =>
    other.startsWith(month),
  );
}

/** 1 for a Monday to 7 for a Sunday. */
export const weekdayOf = (day: string): number => ((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7) + 1;

/** To make one takes longer than to draw a card, and every part of a page asks for today. */
const formatOf = remembered((timeZone) => new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }));

/** Today in a timezone, or the day of another time. */
export const todayIn = (timezone: string, time = new Date()): string => formatOf(timezone).format(time).slice(0, 10);
