// The days and the granularity that a URL selects.

import type { Granularity } from '../api/types.ts';
import { addDays, countDays, todayIn } from '../lib/days.ts';
import { type DayRange, defaultPreset, type Preset, type Search } from './search.ts';

const presetStarts: Readonly<Record<Preset, (today: string) => DayRange>> = {
  '7d': (today) => ({ from: addDays(today, -6), to: today }),
  '4w': (today) => ({ from: addDays(today, -27), to: today }),
  '13w': (today) => ({ from: addDays(today, -90), to: today }),
  mtd: (today) => ({ from: `${today.slice(0, 8)}01`, to: today }),
  lm: (today) => {
    const to = addDays(`${today.slice(0, 8)}01`, -1);
    return { from: `${to.slice(0, 8)}01`, to };
  },
  ytd: (today) => ({ from: `${today.slice(0, 4)}-01-01`, to: today }),
};

/**
 * The days that a URL selects, in the timezone of the project; the last four weeks by default. None is after today, or after a last
 * day, such as that of a close: what a month will earn says nothing beside the cost of its first days.
 */
export function resolveDays(search: Search, timezone: string, last?: string): DayRange {
  const { from, to } = search;
  const today = todayIn(timezone);
  const end = last !== undefined && last < today ? last : today;
  if (from === undefined || to === undefined) return presetStarts[search.range ?? defaultPreset](end);
  const bound = (day: string): string => (day < end ? day : end);
  return { from: bound(from), to: bound(to) };
}

/** A URL whose link shows the same later too: its days and granularity are written out. */
export const toLasting = (search: Search, { from, to }: DayRange, every: Granularity): Search => ({
  ...search,
  range: undefined,
  from,
  to,
  every,
});

/** Whether each period has one of the same days of the week before it. Months and longer periods have none. */
export const hasCounterparts = (granularity: Granularity): boolean => granularity === 'day' || granularity === 'week';

/** The granularity that a URL selects; by default one that gives a readable number of bars. */
export function resolveGranularity(search: Search, { from, to }: DayRange): Granularity {
  if (search.every !== undefined) return search.every;
  const days = countDays(from, to);
  if (days <= 92) return 'day';
  return days <= 400 ? 'week' : 'month';
}
