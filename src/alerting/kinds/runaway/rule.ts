import type { Day } from '../../../lib/days.ts';
import { linkPath } from '../../../lib/link-path.ts';
import type { Cause } from '../../rule/cause.ts';
import type { SettingsOf } from '../../rule/kind.ts';
import { spellCount, spellTime, spellUsd } from '../../rule/wording.ts';
import type { runaway } from './kind.ts';
import { calcLimit, calcUsual, type DayPeaks, type Spender } from './usual.ts';

/** What a run, user or customer has spent in the last minutes. */
export interface RecentTotal {
  readonly what: Spender;
  readonly name: string;
  /** Those of its last call; '' for none. */
  readonly feature: string;
  readonly customer: string;
  readonly user: string;
  /** USD. */
  readonly spent: number;
  readonly calls: number;
  /** The time of its first call in these minutes, in milliseconds since 1970. */
  readonly firstMs: number;
}

export interface Judged extends RecentTotal {
  readonly usual: number | undefined;
  readonly limit: number;
  readonly state: Cause['state'];
}

/** Below this share of its limit, a runaway has ended. */
const lingersFrom = 0.5;

/**
 * The windows that are runaways, or nearly. If one run alone has spent half, it is judged instead of its user and
 * customer, and so is one user instead of its customer. So one loop is one runaway, and a usual run is none.
 */
export function findRunaways(
  { windows, days }: { readonly windows: readonly RecentTotal[]; readonly days: readonly DayPeaks[] },
  settings: SettingsOf<typeof runaway>,
): Judged[] {
  const names = new Map<Spender, number>();
  for (const what of ['user', 'customer'] as const) {
    names.set(what, Math.max(0, ...days.map((peaks) => peaks.filter((peak) => peak.what === what).length)));
  }
  const judged = windows.flatMap((window): Judged[] => {
    const usual = calcUsual(window, days, windows);
    const limit = calcLimit({ usual, what: window.what, names: names.get(window.what) ?? 0 }, settings);
    if (window.spent < lingersFrom * limit) return [];
    return [{ ...window, usual, limit, state: window.spent >= limit ? 'holds' : 'lingers' }];
  });
  return judged.filter((one) => !windows.some((other) => isExplainedBy(one, other)));
}

function isExplainedBy(one: RecentTotal, by: RecentTotal): boolean {
  if (one.what === 'run' || by.spent < one.spent / 2) return false;
  if (by.what === 'run') return by[one.what] === one.name;
  return one.what === 'customer' && by.what === 'user' && by.customer === one.name;
}

export interface LastCall {
  readonly eventId: string;
  /** RFC 3339. */
  readonly time: string;
  readonly model: string;
  /** USD. */
  readonly cost: number;
}

const minuteMs = 60_000;

/** The least time that a rate is of, so that one call makes none of thousands. */
const leastRateMs = minuteMs;

/** How many of its last calls a text names. */
const mostNamed = 3;

interface CauseOptions {
  readonly last: readonly LastCall[];
  readonly today: Day;
  /** How many minutes up to now are added up. */
  readonly minutes: number;
  readonly now: number;
  readonly timezone: string;
}

export function toCause(judged: Judged, { last, today, minutes, now, timezone }: CauseOptions): Cause {
  const { what, name, feature, customer, user, spent, calls, firstMs, usual, limit, state } = judged;
  const spentForMs = Math.max(leastRateMs, Math.min(minutes * minuteMs, now - firstMs));
  const isRun = what === 'run';
  const whose = isRun
    ? [...(feature ? [`feature ${feature}`] : []), ...(customer ? [`customer ${customer}`] : [])]
    : [];
  const compared =
    usual === undefined
      ? `The limit is ${spellUsd(limit)}.`
      : `At most ${spellUsd(usual, limit)} is usual, and the limit is ${spellUsd(limit)}.`;
  const named = last
    .slice(0, mostNamed)
    .map(
      (call) =>
        `${call.model || 'no model'} at ${spellTime(Date.parse(call.time), timezone)} for ${spellUsd(call.cost)}`,
    );
  return {
    subject: { [what]: name },
    ...(customer && { customer: what === 'customer' ? name : customer }),
    ...(user && { user: what === 'user' ? name : user }),
    state,
    numbers: {
      spent,
      minutes,
      spent_per_hour: (spent * 60 * minuteMs) / spentForMs,
      calls,
      usual: usual ?? null,
      limit,
      ...(isRun && Object.fromEntries(Object.entries({ feature, customer, user }).filter(([, value]) => value !== ''))),
      last_calls: last.map(({ eventId, ...call }) => ({ event_id: eventId, ...call })),
    },
    title: `The ${what} ${name} has spent ${spellUsd(spent)} in ${spellCount(minutes, 'minute')}`,
    text: `${spellCount(calls, 'call')}${whose.length > 0 ? ` of ${whose.join(', ')}` : ''}. ${compared}${named.length > 0 ? ` Last: ${named.join(', ')}.` : ''}`,
    path: isRun ? linkPath(['runs', name]) : linkPath(['calls'], { from: today, to: today, [`${what}s`]: [name] }),
  };
}
