import { type Day, toDayNumber } from '../../lib/days.ts';
import { widen } from '../../lib/money.ts';
import { calcEarned, isWithin } from '../../revenue/allocation.ts';
import type { CustomerAllocation } from '../../revenue/allocations.ts';
import type { DriftPart } from './drift-part.ts';

/** The entries that only one side has. */
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

/** What the changed entries earn on these days. */
export function attributeRevenue({ gone, come }: ChangedEntries, days: readonly Day[]): DriftPart[] {
  const sides = [
    { entries: gone, sign: -1n },
    { entries: come, sign: 1n },
  ];
  return days.flatMap((day) => {
    const number = toDayNumber(day);
    const span = { from: number, to: number };
    return sides.flatMap(({ entries, sign }) =>
      entries
        .filter(({ allocation }) => isWithin(allocation, span))
        .map(({ customer, allocation }): DriftPart => {
          // A close keeps the revenue of erased customers under the empty name, which no other entry has.
          const cause = customer === '' ? 'erasure' : 'revenue';
          return { day, customer, cause, of: 'revenue', amount: sign * widen(calcEarned(allocation, span)) };
        }),
    );
  });
}
