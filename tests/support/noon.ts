/**
 * Where it is about noon now, so that today there stays today for as long as tests run. A fixed offset from UTC, of 11 hours at
 * most: noon UTC of any day is of that day there, too.
 */
export interface Noon {
  /** The timezone's name. */
  readonly timezone: string;
  /** As a timestamp ends there, such as `+05:00`. */
  readonly offset: string;
}

export function findNoon(now: number): Noon {
  const hours = Math.min(12 - new Date(now).getUTCHours(), 11);
  // The names of these timezones have the sign the other way round: Etc/GMT-5 is five hours ahead of UTC.
  return {
    timezone: `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`,
    offset: `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`,
  };
}

export const noon: Noon = findNoon(Date.now());
