import { Temporal } from 'temporal-polyfill';

/** A calendar day, `YYYY-MM-DD`; such days sort as text. */
export type Day = string;

/** A span of days, both inclusive. */
export interface DaySpan {
  readonly dateFrom: Day;
  readonly dateTo: Day;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The day of an instant in a timezone: the one place where an instant becomes a day (D4.3). */
export function dayOf(timezone: string, timeMs: number): Day {
  const offsetMs = offsetAt(timezone, timeMs);
  return new Date(timeMs + offsetMs).toISOString().slice(0, 10);
}

const offsets = new Map<string, Map<number, number | undefined>>();
const maxCachedHours = 100_000;

/** The offset from UTC, remembered for every hour in which it does not change: looking it up is slow. */
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

/** The day that is so many days later, or earlier where they are negative. */
export const addDays = (day: Day, days: number): Day => Temporal.PlainDate.from(day).add({ days }).toString();

/** Days since 1970: what the store counts days in. */
export const toDayNumber = (day: Day): number => Date.parse(`${day}T00:00:00Z`) / dayMs;

/** The days from one to another, both inclusive. */
export const listDays = (from: Day, to: Day): Day[] => {
  const first = toDayNumber(from);
  return Array.from({ length: toDayNumber(to) - first + 1 }, (_, index) =>
    new Date((first + index) * dayMs).toISOString().slice(0, 10),
  );
};

/** Whether this is a day that exists, written `YYYY-MM-DD`. */
export const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
};

/** Whether this is the name of a timezone that this machine knows (IANA). */
export const isTimezone = (name: string): boolean => {
  // Offsets such as +02:00 are timezones to Temporal, but no IANA names.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
};
