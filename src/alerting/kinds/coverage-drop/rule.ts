import { addDays, type Day } from '../../../lib/days.ts';
import { linkPath } from '../../../lib/link-path.ts';
import { askUsage } from '../../rule/ask.ts';
import type { Cause } from '../../rule/cause.ts';
import type { SettingsOf } from '../../rule/kind.ts';
import type { LookFor } from '../../rule/look.ts';
import { spellPct } from '../../rule/wording.ts';
import type { coverageDrop } from './kind.ts';

/** The calls of a day, as `POST /api/usage/` counts them. */
export interface DayCoverage {
  readonly day: Day;
  readonly calls: number;
  readonly priced: number;
  /** Calls that name a customer. */
  readonly attributed: number;
}

/** The usual share is the median of this many days before; at least `leastDays` of them must have enough calls. */
const usualDays = 28;
const leastDays = 7;

const shares = [
  { name: 'priced', of: ({ priced }: DayCoverage) => priced, words: 'a price' },
  { name: 'customer', of: ({ attributed }: DayCoverage) => attributed, words: 'a customer' },
] as const;

/** Reads the calls of each day up to today; asks for those without a customer when enough days have enough calls. */
export async function lookAtCoverage(look: LookFor<typeof coverageDrop>): Promise<Cause[]> {
  const { today, settings } = look;
  const range = { date_from: addDays(today, -usualDays - 1), date_to: today };
  const all = await askUsage(look, range);
  if (all.filter(({ calls }) => calls >= settings.least_calls).length <= leastDays) return [];
  const unattributed = await askUsage(look, { ...range, customers: [''] });
  const withoutCustomer = new Map(unattributed.map(({ date_from: day, calls }) => [day, calls]));
  const days = all.map(({ date_from: day, calls, unpriced_calls: unpriced }) => ({
    day,
    calls,
    priced: calls - unpriced,
    attributed: calls - (withoutCustomer.get(day) ?? 0),
  }));
  return findCoverageDrops({ days, today, yesterday: addDays(today, -1) }, settings);
}

/**
 * Shares of calls that are lower than usual by at least the setting. The last day with enough calls, today or
 * yesterday, is compared with the median of the days before. A firing lasts until half of the drop is made up for, or
 * until the lower share has become usual.
 */
export function findCoverageDrops(
  { days, today, yesterday }: { readonly days: readonly DayCoverage[]; readonly today: Day; readonly yesterday: Day },
  { drop_points: drop, least_calls: leastCalls }: SettingsOf<typeof coverageDrop>,
): Cause[] {
  const judged = days.filter(({ calls }) => calls >= leastCalls);
  const last = judged.findLast(({ day }) => day === today || day === yesterday);
  // With too few calls to tell, an open firing stays open.
  const day = last ?? judged.at(-1);
  if (!day) return [];
  const before = judged.filter((other) => other.day < day.day);
  if (before.length < leastDays) return [];
  return shares.flatMap(({ name, of, words }): Cause[] => {
    const share = toPct(of(day), day.calls);
    const usual = medianOf(before.map((other) => toPct(of(other), other.calls)));
    const fall = usual - share;
    if (fall < drop / 2) return [];
    return [
      {
        subject: { share: name },
        state: fall >= drop && last !== undefined ? 'holds' : 'lingers',
        numbers: { day: day.day, calls: day.calls, share_pct: share, usual_pct: usual },
        title: `Fewer calls with ${words} than usual`,
        text: `On ${day.day}, ${spellPct(share)} of the calls have ${words}; usually ${spellPct(usual)} do.`,
        path: linkPath([], { from: day.day, to: day.day }),
      },
    ];
  });
}

const toPct = (part: number, whole: number): number => (100 * part) / whole;

/** The middle of the values, or the mean of the two in the middle. */
function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}
