import { Temporal } from 'temporal-polyfill';
import type { Day, Period } from '../../lib/days.ts';

export const digestIntervals = ['weekly', 'monthly'] as const;
export type DigestInterval = (typeof digestIntervals)[number];

/** When a digest is sent, in the timezone of the project. */
export interface DigestPlan {
  readonly every: DigestInterval;
  /** The day of the week, from 1 for Monday to 7; or the day of the month, from 1 to 28. */
  readonly day: number;
  /** From 0 to 23. */
  readonly hour: number;
}

/** What a digest is about, and what it compares that with. */
export interface DigestRanges {
  readonly now: Period;
  readonly before: Period;
}

const toPeriod = (first: Temporal.PlainDate, next: Temporal.PlainDate): Period => ({
  dateFrom: first.toString(),
  dateTo: next.subtract({ days: 1 }).toString(),
});

/**
 * The days of the digest that was due last: the seven before the day on which it is sent, or the month before that day's.
 * The hour is by the wall clock; where a clock is put forward over it, the digest is due at the hour after.
 */
export function findLastDigest({ every, day, hour }: DigestPlan, timezone: string, nowMs: number): DigestRanges {
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timezone);
  const today = now.toPlainDate();
  const isPast = (date: Temporal.PlainDate) =>
    date.toZonedDateTime({ timeZone: timezone, plainTime: { hour } }).epochMilliseconds <= nowMs;
  if (every === 'weekly') {
    const newest = today.subtract({ days: (today.dayOfWeek - day + 7) % 7 });
    return weekBefore(isPast(newest) ? newest : newest.subtract({ days: 7 }));
  }
  const newest = today.with({ day });
  return monthBefore(isPast(newest) ? newest : newest.subtract({ months: 1 }));
}

function weekBefore(next: Temporal.PlainDate): DigestRanges {
  const [week, before] = [next.subtract({ days: 7 }), next.subtract({ days: 14 })];
  return { now: toPeriod(week, next), before: toPeriod(before, week) };
}

function monthBefore(day: Temporal.PlainDate): DigestRanges {
  const month = day.with({ day: 1 });
  const [last, before] = [month.subtract({ months: 1 }), month.subtract({ months: 2 })];
  return { now: toPeriod(last, month), before: toPeriod(before, last) };
}

/** The days that a preview is about: those of a digest that is sent on a day. */
export const digestOn = (every: DigestInterval, on: Day): DigestRanges => {
  const date = Temporal.PlainDate.from(on);
  return every === 'weekly' ? weekBefore(date) : monthBefore(date);
};
