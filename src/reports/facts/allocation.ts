import type { Money } from '../../lib/money.ts';
import type { Slices } from '../../lib/slices.ts';

/** A range of days, inclusive on both ends, as numbers of days since 1970. */
export interface DaySpan {
  readonly from: number;
  readonly to: number;
}

/**
 * An entry prepared for sums (D8.1). Day i of n earns trunc12(amount·i/n) − trunc12(amount·(i−1)/n). With amount =
 * ±(daily·n + rest), the first i days together earn ±(daily·i + ⌊rest·i/n⌋), where rest·i is a small whole number: only
 * `daily` needs a bigint.
 */
export interface Allocation extends DaySpan {
  readonly isNegative: boolean;
  /** Picodollars that every day earns at least, without the sign. */
  readonly daily: Money;
  /** The remaining picodollars, fewer than `days`, which are spread over the days. */
  readonly rest: number;
  /** The number of days, n. */
  readonly days: number;
}

export function allocate(amount: Money, { from, to }: DaySpan): Allocation {
  const days = to - from + 1;
  const magnitude = amount < 0n ? -amount : amount;
  return {
    isNegative: amount < 0n,
    daily: magnitude / BigInt(days),
    rest: Number(magnitude % BigInt(days)),
    days,
    from,
    to,
  };
}

/** Whether the entry has a day in the span. It then counts there, even when truncation makes its earnings 0 (D6.2). */
export const isWithin = (allocation: DaySpan, span: DaySpan): boolean =>
  allocation.from <= span.to && allocation.to >= span.from;

/** What an entry earns on its days within a span; 0 when it has none there. Takes constant time. */
export function calcEarned(allocation: Allocation, span: DaySpan): Money {
  if (!isWithin(allocation, span)) return 0n;
  const { days, daily, rest, isNegative } = allocation;
  const before = Math.max(span.from - allocation.from, 0);
  const until = Math.min(span.to - allocation.from + 1, days);
  const spread = calcSpread(rest, until, days) - calcSpread(rest, before, days);
  const earned = daily * BigInt(until - before) + BigInt(spread);
  return isNegative ? -earned : earned;
}

/** ⌊rest·i/n⌋ */
const calcSpread = (rest: number, day: number, days: number): number => Math.floor((rest * day) / days);

/**
 * What entries earn together in each of some consecutive periods without gaps. An entry's daily part is recorded at the
 * entry's two ends and accumulated once for all entries. Only the rest is computed for each period, with plain numbers.
 */
export function* sumEarned(allocations: Iterable<Allocation>, periods: readonly DaySpan[]): Slices<Money[]> {
  const first = periods[0];
  const last = periods.at(-1);
  if (!first || !last) return [];
  const changes = new Map<number, Money>();
  const change = (day: number, by: Money) => changes.set(day, (changes.get(day) ?? 0n) + by);
  const spreads: number[] = [];
  for (const allocation of allocations) {
    yield;
    if (!isWithin(allocation, { from: first.from, to: last.to })) continue;
    const { daily, rest, days, from, to, isNegative } = allocation;
    const sign = isNegative ? -1 : 1;
    if (daily !== 0n) {
      const signed = isNegative ? -daily : daily;
      change(Math.max(from, first.from), signed);
      change(Math.min(to, last.to) + 1, -signed);
    }
    if (rest === 0) continue;
    let before = calcSpread(rest, Math.max(first.from - from, 0), days);
    for (let at = findPeriod(periods, from); at < periods.length; at += 1) {
      const period = periods[at];
      if (!period || period.from > to) break;
      const until = calcSpread(rest, Math.min(period.to - from + 1, days), days);
      spreads[at] = (spreads[at] ?? 0) + sign * (until - before);
      before = until;
    }
  }
  let daily = 0n;
  return periods.map((period, at) => {
    let sum = BigInt(spreads[at] ?? 0);
    for (let day = period.from; day <= period.to; day += 1) {
      daily += changes.get(day) ?? 0n;
      sum += daily;
    }
    return sum;
  });
}

/** The index of the first period that does not end before the day. */
function findPeriod(periods: readonly DaySpan[], day: number): number {
  let low = 0;
  let high = periods.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((periods[middle]?.to ?? day) < day) low = middle + 1;
    else high = middle;
  }
  return low;
}
