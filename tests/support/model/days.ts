// The calendar of the model: days in a timezone, periods, and the order of rows.

export type Aggregate = 'day' | 'week' | 'month' | 'quarter' | 'year' | 'all';

/** By timezone: making one takes as long as a hundred days. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** The calendar day of an instant, by the runtime's timezone data. */
export function dayOf(instant: number, timezone: string): string {
  const format =
    formats.get(timezone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      calendar: 'gregory',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  formats.set(timezone, format);
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  return `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
}

export interface ModelPeriod {
  date_from: string;
  date_to: string;
}

// D6.1: visits every day and starts a period where the calendar does, which clips periods at the range's ends.
export function periodsOf(from: string, to: string, aggregate: Aggregate): ModelPeriod[] {
  const periods: ModelPeriod[] = [];
  let name: string | undefined;
  for (const day of daysBetween(from, to)) {
    const last = periods.at(-1);
    if (last !== undefined && periodName(day, aggregate) === name) last.date_to = day;
    else periods.push({ date_from: day, date_to: day });
    name = periodName(day, aggregate);
  }
  return periods;
}

function periodName(day: string, aggregate: Aggregate): string {
  switch (aggregate) {
    case 'day':
      return day;
    case 'week': {
      // The Monday of the day's week.
      const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
      return addDays(day, -weekday);
    }
    case 'month':
      return day.slice(0, 7);
    case 'quarter':
      return `${day.slice(0, 4)}-${Math.ceil(Number(day.slice(5, 7)) / 3)}`;
    case 'year':
      return day.slice(0, 4);
    case 'all':
      return 'all';
  }
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Both days are included. */
export function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}

/** Compares by code points, not UTF-16 units; they differ above U+FFFF. */
export function byCodePoint(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    const difference = (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
