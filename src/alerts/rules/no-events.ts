import { pagePath } from '../../lib/page-path.ts';
import type { Cause } from '../cause.ts';
import type { Settings } from '../settings.ts';
import { spellDuration } from '../wording.ts';

/** When events arrived: the first and the last of each stretch of five minutes that had any, in order, in milliseconds since 1970. */
export interface Arrivals {
  readonly stretches: readonly { readonly firstMs: number; readonly lastMs: number }[];
  readonly nowMs: number;
}

/** The time whose longest silence is the usual one. */
export const usualSilenceMs = 28 * 24 * 3_600_000;
const leastHistoryMs = 7 * 24 * 3_600_000;

/**
 * A silence that lasts longer than usual: several times the longest one that ended in the last 28 days. A project that
 * never had events, or had its first less than a week before its last, fires nothing. Ends with the next event.
 */
export function findSilence(
  { stretches, nowMs }: Arrivals,
  { factor, least_minutes: leastMinutes }: Settings<'no_events'>,
): Cause[] {
  const [first, last] = [stretches[0], stretches.at(-1)];
  if (!first || !last || last.lastMs - first.firstMs < leastHistoryMs) return [];
  const longestMs = stretches.reduce((longest, stretch, index) => {
    const before = stretches[index - 1];
    return before ? Math.max(longest, stretch.firstMs - before.lastMs) : longest;
  }, 0);
  const silentMs = nowMs - last.lastMs;
  if (silentMs < leastMinutes * 60_000 || silentMs <= factor * longestMs) return [];
  const since = new Date(last.lastMs).toISOString();
  return [
    {
      subject: { since },
      state: 'holds',
      numbers: {
        last_event_at: since,
        silent_minutes: Math.floor(silentMs / 60_000),
        longest_silence_minutes: Math.ceil(longestMs / 60_000),
      },
      title: `No events for ${spellDuration(silentMs)}`,
      text: `The last event arrived at ${since}. In the 28 days before, the longest time without events was ${spellDuration(longestMs)}.`,
      path: pagePath(['live']),
    },
  ];
}
