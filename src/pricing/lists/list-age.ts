import { dayMs } from '../../lib/days.ts';

/** The whole days since the day of a list's data. */
export const ageOfList = (date: string, now: number): number =>
  Math.max(0, Math.floor((now - Date.parse(date)) / dayMs));

/** A list of more days is old. */
export const oldListDays = 45;
