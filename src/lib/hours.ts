import { Temporal } from 'temporal-polyfill';

/** Clocks are set by multiples of this. */
const stepMs = 15 * 60_000;

/**
 * The hour of the clock around an instant, in milliseconds since 1970: `toMs` is exclusive. An hour that a clock set back
 * repeats is another hour. One in which a clock is set by half an hour, as on Lord Howe Island, lasts shorter or longer.
 */
export function hourAround(timezone: string, timeMs: number): { readonly fromMs: number; readonly toMs: number } {
  const fromMs = beginOfHour(timezone, timeMs);
  let toMs = Math.floor(timeMs / stepMs) * stepMs + stepMs;
  while (beginOfHour(timezone, toMs) === fromMs) toMs += stepMs;
  return { fromMs, toMs };
}

const beginOfHour = (timezone: string, timeMs: number): number =>
  Temporal.Instant.fromEpochMilliseconds(timeMs)
    .toZonedDateTimeISO(timezone)
    .round({ smallestUnit: 'hour', roundingMode: 'floor' }).epochMilliseconds;
