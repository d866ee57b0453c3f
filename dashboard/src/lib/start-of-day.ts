import { todayIn } from './days.ts';

/** No clock differs from UTC by more than this, in milliseconds. */
const mostOffsetMs = 16 * 3_600_000;

/** The instant at which a day begins in a timezone, as the API takes it. */
export function startOfDay(timezone: string, day: string): string {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  let [before, begun] = [midnight - mostOffsetMs, midnight + mostOffsetMs];
  while (begun - before > 1) {
    const middle = Math.floor((before + begun) / 2);
    if (todayIn(timezone, new Date(middle)) >= day) begun = middle;
    else before = middle;
  }
  return new Date(begun).toISOString();
}
