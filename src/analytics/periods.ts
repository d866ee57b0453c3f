import { Temporal } from 'temporal-polyfill';
import type { DaySpan } from '../lib/days.ts';

export const granularities = ['day', 'week', 'month', 'quarter', 'year', 'all'] as const;
export type Granularity = (typeof granularities)[number];

/** A range of days, both inclusive. */
export type Period = DaySpan;

/** From the first day of periods in order to their last, or undefined when there are none. */
export function joinPeriods(periods: readonly Period[]): Period | undefined {
  const first = periods[0];
  const last = periods.at(-1);
  return first && last && { dateFrom: first.dateFrom, dateTo: last.dateTo };
}

/** The first day of the calendar period that a day is in; weeks begin on Monday (D6.1). */
function startOf(day: Temporal.PlainDate, granularity: Exclude<Granularity, 'all'>): Temporal.PlainDate {
  switch (granularity) {
    case 'day':
      return day;
    case 'week':
      return day.subtract({ days: day.dayOfWeek - 1 });
    case 'month':
      return day.with({ day: 1 });
    case 'quarter':
      return day.with({ month: 3 * Math.floor((day.month - 1) / 3) + 1, day: 1 });
    case 'year':
      return day.with({ month: 1, day: 1 });
  }
}

const lengths = {
  day: { days: 1 },
  week: { days: 7 },
  month: { months: 1 },
  quarter: { months: 3 },
  year: { years: 1 },
} as const;

/** The periods of a range in order, each clipped to it (D6.1). `all` is the range itself. */
export function listPeriods({ dateFrom, dateTo }: Period, granularity: Granularity): Period[] {
  if (granularity === 'all') return [{ dateFrom, dateTo }];
  const last = Temporal.PlainDate.from(dateTo);
  const periods: Period[] = [];
  let from = Temporal.PlainDate.from(dateFrom);
  while (Temporal.PlainDate.compare(from, last) <= 0) {
    const next = startOf(from, granularity).add(lengths[granularity]);
    const end = next.subtract({ days: 1 });
    periods.push({
      dateFrom: from.toString(),
      dateTo: Temporal.PlainDate.compare(end, last) < 0 ? end.toString() : dateTo,
    });
    from = next;
  }
  return periods;
}
