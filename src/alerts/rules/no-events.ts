import { pagePath } from '../../lib/page-path.ts';
import type { Cause } from '../cause.ts';
import type { Settings } from '../settings.ts';
import { spellDuration } from '../wording.ts';

/**
 * When events arrived, in milliseconds since 1970: the first and last of each stretch of five minutes with any, in
 * order.
 */
export interface Arrivals {
  readonly stretches: readonly { readonly firstMs: number; readonly lastMs: number }[];
  readonly nowMs: number;
}

/** The usual silence is the longest one in this time, in milliseconds. */
export const usualSilenceMs = 28 * 24 * 3_600_000;
const leastHistoryMs = 7 * 24 * 3_600_000;

/**
 * A silence that lasts longer than usual: several times the longest one that ended in the last 28 days. Projects whose
 * first event is less than a week before the last, or that have none, do not fire. The next event ends it.
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
