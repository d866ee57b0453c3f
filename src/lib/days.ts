import { Temporal } from 'temporal-polyfill';

/** A calendar day, `YYYY-MM-DD`; such days sort as text. */
export type Day = string;

/** A span of days, both inclusive. */
export interface Period {
  readonly dateFrom: Day;
  readonly dateTo: Day;
}

const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The day of an instant in a timezone. Nothing else converts instants to days (D4.3). */
export function dayOf(timezone: string, timeMs: number): Day {
  return toDay(Math.floor((timeMs + offsetAt(timezone, timeMs)) / dayMs));
}

const names = new Map<number, Day>();
const maxCachedNames = 100_000;

/** The day with this number, counted from 1970-01-01; the inverse of `toDayNumber`. Cached, since every event needs one. */
export function toDay(dayNumber: number): Day {
  let name = names.get(dayNumber);
  if (name === undefined) {
    if (names.size >= maxCachedNames) names.clear();
    name = new Date(dayNumber * dayMs).toISOString().slice(0, 10);
    names.set(dayNumber, name);
  }
  return name;
}

const offsets = new Map<string, Map<number, number | undefined>>();
const maxCachedHours = 100_000;

/** The offset from UTC in milliseconds. Lookup is slow, so it is cached for every hour in which it does not change. */
function offsetAt(timezone: string, timeMs: number): number {
  let hours = offsets.get(timezone);
  if (!hours) {
    hours = new Map();
    offsets.set(timezone, hours);
  }
  const hour = Math.floor(timeMs / hourMs);
  if (!hours.has(hour)) {
    if (hours.size >= maxCachedHours) hours.clear();
    const first = readOffset(timezone, hour * hourMs);
    hours.set(hour, first === readOffset(timezone, (hour + 1) * hourMs - 1) ? first : undefined);
  }
  return hours.get(hour) ?? readOffset(timezone, timeMs);
}

const readOffset = (timezone: string, timeMs: number): number =>
  Temporal.Instant.fromEpochMilliseconds(timeMs).toZonedDateTimeISO(timezone).offsetNanoseconds / 1_000_000;

/** The instant at which a day begins in a timezone, in milliseconds since 1970. */
export const startOfDay = (timezone: string, day: Day): number =>
  Temporal.PlainDate.from(day).toZonedDateTime(timezone).epochMilliseconds;

/** The day `days` later, or earlier when negative. */
export const addDays = (day: Day, days: number): Day => toDay(toDayNumber(day) + days);

export const earlierOf = (a: Day, b: Day): Day => (a < b ? a : b);

export const laterOf = (a: Day, b: Day): Day => (a < b ? b : a);

/** The instant at which a day starts; it lasts until the next start in the list. */
export interface DayStart {
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  readonly day: Day;
}

/**
 * The instants at which the day changes, in order, from before `from` begins until after `to` ends. Between two of them
 * the day is the one that `dayOf` gives. A day can start more than once: a clock set back after midnight repeats the day
 * before (St. John's, until 2011). Midnights (São Paulo) and whole days (Samoa) can be skipped.
 */
export function listDayStarts(timezone: string, from: Day, to: Day): DayStart[] {
  // No timezone is a day or more off UTC.
  const firstMs = (toDayNumber(from) - 1) * dayMs;
  const endMs = (toDayNumber(to) + 2) * dayMs;
  const starts: DayStart[] = [];
  const add = (timeMs: number, localMs: number) => {
    const day = toDay(Math.floor(localMs / dayMs));
    if (starts.at(-1)?.day !== day) starts.push({ timeMs, day });
  };
  for (const { sinceMs, untilMs, offsetMs } of listOffsets(timezone, firstMs, endMs)) {
    add(sinceMs, sinceMs + offsetMs);
    const firstMidnight = (Math.floor((sinceMs + offsetMs) / dayMs) + 1) * dayMs;
    for (let midnight = firstMidnight; midnight - offsetMs < untilMs; midnight += dayMs)
      add(midnight - offsetMs, midnight);
  }
  return starts;
}

/** The offsets from UTC between two instants, in order. */
function* listOffsets(timezone: string, sinceMs: number, endMs: number) {
  let at = Temporal.Instant.fromEpochMilliseconds(sinceMs).toZonedDateTimeISO(timezone);
  while (at.epochMilliseconds < endMs) {
    const next = at.getTimeZoneTransition('next');
    const untilMs = Math.min(next?.epochMilliseconds ?? endMs, endMs);
    yield { sinceMs: at.epochMilliseconds, untilMs, offsetMs: at.offsetNanoseconds / 1_000_000 };
    if (!next) return;
    at = next;
  }
}

/** Days since 1970-01-01, as the store counts them. */
export const toDayNumber = (day: Day): number => Date.parse(`${day}T00:00:00Z`) / dayMs;

/** The days from one to another, both inclusive. */
export const listDays = (from: Day, to: Day): Day[] => {
  const first = toDayNumber(from);
  return Array.from({ length: toDayNumber(to) - first + 1 }, (_, index) => toDay(first + index));
};

/** Whether the text is an existing day, `YYYY-MM-DD`. */
export const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
};

/** Whether the text is an IANA timezone name that this machine knows. */
export const isTimezone = (name: string): boolean => {
  // Temporal accepts offsets such as +02:00, which are not IANA names.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
};
