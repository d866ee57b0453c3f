import { type Period, toDay, toDayNumber } from '../../lib/days.ts';
import type { Money } from '../../lib/money.ts';
import type { Slices } from '../../lib/slices.ts';
import { allocate, sumEarned } from '../facts/allocation.ts';
import { type AllocationBasis, type SharedCost, type SharedScope, spellScope } from '../facts/shared-costs.ts';

/** What the same calls share by the same weight: the entries with this scope and weight, added up by day. */
export interface Pool {
  readonly allocateBy: AllocationBasis;
  readonly scope: SharedScope;
  readonly days: readonly PoolDay[];
}

export interface PoolDay {
  /** As a number of days since 1970. */
  readonly day: number;
  /** Never 0. */
  readonly amount: Money;
}

/** Spreads entries evenly over their days (D31.1), and adds up those that the same calls share, on days of a period. */
export function* calcPools(entries: readonly SharedCost[], { dateFrom, dateTo }: Period): Slices<Pool[]> {
  const [first, last] = [toDayNumber(dateFrom), toDayNumber(dateTo)];
  const pools: Pool[] = [];
  for (const alike of Map.groupBy(entries, (entry) => `${entry.allocateBy} ${spellScope(entry.scope)}`).values()) {
    const [entry] = alike;
    if (!entry) continue;
    const spans = alike.map((one) => ({ from: toDayNumber(one.dateFrom), to: toDayNumber(one.dateTo) }));
    const from = Math.max(first, Math.min(...spans.map((span) => span.from)));
    const to = Math.min(last, Math.max(...spans.map((span) => span.to)));
    const singles = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => ({ from: from + at, to: from + at }));
    const allocations = alike.map(({ amount, dateFrom: begins, dateTo: ends }) =>
      allocate(amount, { from: toDayNumber(begins), to: toDayNumber(ends) }),
    );
    const amounts = yield* sumEarned(allocations, singles);
    const days = amounts.flatMap((amount, at) => (amount === 0n ? [] : [{ day: from + at, amount }]));
    if (days.length > 0) pools.push({ allocateBy: entry.allocateBy, scope: entry.scope, days });
  }
  return pools;
}

/** The days of a pool by calendar month: a statement reads one, so that its memory is bounded. */
export const byMonth = ({ days }: Pick<Pool, 'days'>): PoolDay[][] =>
  [...Map.groupBy(days, ({ day }) => toDay(day).slice(0, 7)).values()].map((ofMonth) => [...ofMonth]);
