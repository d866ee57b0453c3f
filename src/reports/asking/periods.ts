import { dayMs, type Period, toDay, toDayNumber } from '../../lib/days.ts';

export const granularities = ['day', 'week', 'month', 'quarter', 'year', 'all'] as const;
export type Granularity = (typeof granularities)[number];

/** The range from the first to the last day of ordered periods; undefined when there are none. */
export function joinPeriods(periods: readonly Period[]): Period | undefined {
  const first = periods[0];
  const last = periods.at(-1);
  return first && last && { dateFrom: first.dateFrom, dateTo: last.dateTo };
}

/** The day number of the last day of a day's period; weeks start on Monday (D6.1). Arithmetic, for speed. */
function endOf(dayNumber: number, granularity: Exclude<Granularity, 'all'>): number {
  const date = new Date(dayNumber * dayMs);
  // Day 0 of a month is the last day of the previous month.
  const lastBefore = (month: number) => date.setUTCFullYear(date.getUTCFullYear(), month, 0) / dayMs;
  switch (granularity) {
    case 'day':
      return dayNumber;
    case 'week':
      return dayNumber + ((7 - date.getUTCDay()) % 7);
    case 'month':
      return lastBefore(date.getUTCMonth() + 1);
    case 'quarter':
      return lastBefore(3 * Math.floor(date.getUTCMonth() / 3) + 3);
    case 'year':
      return lastBefore(12);
  }
}

/** The periods of a range in order, each clipped to it (D6.1). `all` is the range itself. */
export function listPeriods({ dateFrom, dateTo }: Period, granularity: Granularity): Period[] {
  if (granularity === 'all') return [{ dateFrom, dateTo }];
  const last = toDayNumber(dateTo);
  const periods: Period[] = [];
  for (let from = toDayNumber(dateFrom); from <= last; ) {
    const end = Math.min(endOf(from, granularity), last);
    periods.push({ dateFrom: toDay(from), dateTo: toDay(end) });
    from = end + 1;
  }
  return periods;
}
