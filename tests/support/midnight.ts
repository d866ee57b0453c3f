// Tests that count days back from today, and have them counted by a service too.
import { setTimeout as pause } from 'node:timers/promises';

const dayMs = 86_400_000;
/** If a day ends sooner than this, in milliseconds, a test waits for its end. */
const leastLeftMs = 60_000;

/** The day and the milliseconds that are left of it. Offsets from UTC are whole minutes, so this holds in every timezone. */
function readToday(timezone: string): { today: string; leftMs: number } {
  const options = { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' } as const;
  const [today = '', time = ''] = new Intl.DateTimeFormat('sv-SE', options).format().split(' ');
  return { today, leftMs: dayMs - (Date.parse(`1970-01-01T${time}Z`) + 1_000) };
}

/** Waits for midnight where it is near, and returns the day, which then lasts for a minute at least. */
export async function untilDayLasts(timezone = 'UTC'): Promise<string> {
  const { leftMs } = readToday(timezone);
  if (leftMs < leastLeftMs) await pause(leftMs + 2_000);
  return readToday(timezone).today;
}
