import { linkPath } from '../../../lib/link-path.ts';
import type { Cause } from '../../rule/cause.ts';
import type { SettingsOf } from '../../rule/kind.ts';
import { spellDuration, spellTime } from '../../rule/wording.ts';
import type { noEvents } from './kind.ts';

/** A time with events: the first and the last of them, in milliseconds since 1970. */
export interface Stretch {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** When events arrived: stretches of five minutes with any, in order, or several of them in one (`dropShortSilences`). */
export interface Arrivals {
  readonly stretches: readonly Stretch[];
  readonly nowMs: number;
}

/** The usual silence is the longest one in this time, in milliseconds. */
export const usualSilenceMs = 28 * 24 * 3_600_000;
const leastHistoryMs = 7 * 24 * 3_600_000;

/**
 * The same stretches with fewer silences between them: a silence that is followed by one as long can never be the longest,
 * so the stretches around it become one. The last stretch stays as it is, because it may still grow.
 */
export function dropShortSilences(stretches: readonly Stretch[]): Stretch[] {
  const last = stretches.at(-1);
  if (last === undefined) return [];
  // From the last to the first.
  const kept: Stretch[] = [last];
  let longestMs = 0;
  for (const stretch of stretches.slice(0, -1).reverse()) {
    const next = kept.at(-1) ?? last;
    const silenceMs = next.firstMs - stretch.lastMs;
    if (kept.length > 1 && silenceMs <= longestMs) kept[kept.length - 1] = { ...next, firstMs: stretch.firstMs };
    else kept.push(stretch);
    longestMs = Math.max(longestMs, silenceMs);
  }
  return kept.reverse();
}

/**
 * A silence that lasts longer than usual: several times the longest one that ended in the last 28 days. Projects whose
 * first event is less than a week before the last, or that have none, do not fire. The next event ends it.
 */
export function findSilence(
  { stretches, nowMs }: Arrivals,
  { factor, least_minutes: leastMinutes }: SettingsOf<typeof noEvents>,
  timezone: string,
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
      text: `The last event arrived at ${spellTime(last.lastMs, timezone)}. In the 28 days before, the longest time without events was ${spellDuration(longestMs)}.`,
      path: linkPath(['live']),
    },
  ];
}
