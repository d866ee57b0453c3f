import { type Period, toDayNumber } from '../../lib/days.ts';
import { inTurns, stepsInTurns } from '../../lib/in-turns.ts';
import type { Money } from '../../lib/money.ts';
import type { AnalyticsSources } from '../asking/sources.ts';
import { allocate, calcEarned } from '../facts/allocation.ts';
import type { AsOf } from '../facts/as-of.ts';
import { type SharedCost, spellScope } from '../facts/shared-costs.ts';
import { byMonth, calcPools } from './pools.ts';
import { chooseSource, splitOpen } from './read-shares.ts';
import { selectDaysWithCalls } from './sql.ts';

/** What an entry costs on days of a range, and how much of it falls to no call. */
export interface AllocatedCost {
  readonly entry: SharedCost;
  readonly amount: Money;
  readonly unallocated: Money;
  /** How many of its days have no calls in its scope. */
  readonly unallocatedDays: number;
}

/** Reads which entries fall to calls. @throws Problem `beyond_retention` where the calls of frozen days are needed */
export async function readAllocated(
  { answerCache }: Pick<AnalyticsSources, 'answerCache'>,
  asOf: AsOf,
  range: Period,
): Promise<AllocatedCost[]> {
  const entries = await asOf.facts.readSharedCosts(range);
  // By scope: who shares a day does not depend on the weight.
  const alike = entries.map((entry) => ({ ...entry, amount: 1n << 60n, allocateBy: 'calls' as const }));
  const daysByScope = new Map<string, Set<number>>();
  for (const pool of await stepsInTurns(calcPools(alike, range))) {
    const days = new Set<number>();
    for (const part of byMonth(pool).flatMap((ofMonth) => splitOpen(asOf, ofMonth))) {
      const { source } = chooseSource(asOf, pool, part, []);
      const statement = selectDaysWithCalls(source, part.days);
      const rows = await answerCache.select<{ called: number }>(statement, [
        { rows: part.isOpen ? 'changing' : 'settled' },
      ]);
      for (const { called } of rows) days.add(called);
    }
    daysByScope.set(spellScope(pool.scope), days);
  }
  const allocated: AllocatedCost[] = [];
  await inTurns(entries, (entry) => {
    const called = daysByScope.get(spellScope(entry.scope)) ?? new Set();
    const allocation = allocate(entry.amount, { from: toDayNumber(entry.dateFrom), to: toDayNumber(entry.dateTo) });
    let [amount, unallocated, unallocatedDays] = [0n, 0n, 0];
    const last = Math.min(allocation.to, toDayNumber(range.dateTo));
    for (let day = Math.max(allocation.from, toDayNumber(range.dateFrom)); day <= last; day += 1) {
      const ofDay = calcEarned(allocation, { from: day, to: day });
      amount += ofDay;
      if (called.has(day)) continue;
      unallocated += ofDay;
      unallocatedDays += 1;
    }
    allocated.push({ entry, amount, unallocated, unallocatedDays });
  });
  return allocated;
}
