/**
 * A timezone where it is about noon now, so that its day does not change while tests run. The offset from UTC is fixed and at
 * most 11 hours, so noon UTC of any day is on the same day there.
 */
export interface Noon {
  /** The timezone's name. */
  readonly timezone: string;
  /** The offset for the end of a timestamp, such as `+05:00`. */
  readonly offset: string;
}

export function findNoon(now: number): Noon {
  const hours = Math.min(12 - new Date(now).getUTCHours(), 11);
  // The names of these timezones have the opposite sign: Etc/GMT-5 is five hours ahead of UTC.
  return {
    timezone: `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`,
    offset: `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`,
  };
}

export const noon: Noon = findNoon(Date.now());
