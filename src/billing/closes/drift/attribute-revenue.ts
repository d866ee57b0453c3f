import { type Day, toDayNumber } from '../../../lib/days.ts';
import { type WideMoney, widen } from '../../../lib/money.ts';
import type { Slices } from '../../../lib/slices.ts';
import { calcEarned, isWithin } from '../../../reports/facts/allocation.ts';
import type { CustomerAllocation } from '../../../reports/facts/allocations.ts';
import type { DriftPart } from './drift-part.ts';

export interface ChangedEntries {
  readonly gone: readonly CustomerAllocation[];
  readonly come: readonly CustomerAllocation[];
}

/** Leaves out the entries that both sides have. Equal entries are matched one by one. */
export function findChangedEntries(
  pinned: readonly CustomerAllocation[],
  current: readonly CustomerAllocation[],
): ChangedEntries {
  const counts = new Map<string, number>();
  for (const entry of pinned) counts.set(identify(entry), (counts.get(identify(entry)) ?? 0) + 1);
  const come = current.filter((entry) => !takeOne(counts, identify(entry)));
  return { gone: pinned.filter((entry) => takeOne(counts, identify(entry))), come };
}

const identify = ({ customer, allocation: { isNegative, daily, rest, from, to } }: CustomerAllocation): string =>
  JSON.stringify([customer, isNegative, `${daily}`, rest, from, to]);

function takeOne(counts: Map<string, number>, identity: string): boolean {
  const count = counts.get(identity) ?? 0;
  if (count > 0) counts.set(identity, count - 1);
  return count > 0;
}

/** What the changed entries earn on these days: a part for each day, customer and cause. */
export function* attributeRevenue({ gone, come }: ChangedEntries, days: readonly Day[]): Slices<DriftPart[]> {
  const sides = [
    { entries: gone, sign: -1n },
    { entries: come, sign: 1n },
  ];
  const parts: DriftPart[] = [];
  for (const day of days) {
    const number = toDayNumber(day);
    const span = { from: number, to: number };
    const byCustomer = new Map<string, WideMoney>();
    for (const { entries, sign } of sides) {
      for (const { customer, allocation } of entries) {
        yield;
        if (!isWithin(allocation, span)) continue;
        const earned = sign * widen(calcEarned(allocation, span));
        byCustomer.set(customer, (byCustomer.get(customer) ?? 0n) + earned);
      }
    }
    for (const [customer, amount] of byCustomer) {
      // A close keeps the revenue of erased customers under the empty name, which no other entry has.
      parts.push({ day, customer, cause: customer === '' ? 'erasure' : 'revenue', of: 'revenue', amount });
    }
  }
  return parts;
}
