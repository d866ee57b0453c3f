import { type Period, toDayNumber } from '../../lib/days.ts';
import { inTurns, stepsInTurns } from '../../lib/in-turns.ts';
import type { Money } from '../../lib/money.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { allocate, calcEarned } from '../facts/allocation.ts';
import type { AsOf } from '../facts/as-of.ts';
import { type SharedCost, spellScope } from '../facts/shared-costs.ts';
import { byMonth, calcPools } from './pools.ts';
import { chooseSharers, splitDays } from './sharers.ts';
import { selectDaysWithCalls } from './sql.ts';

/** What an entry costs on days of a range, and how much of it falls to no call. */
export interface AllocatedCost {
  readonly entry: SharedCost;
  readonly amount: Money;
  readonly unallocated: Money;
  /** How many of its days have no calls in its scope. */
  readonly unallocatedDays: number;
  /** Whether only deleted calls could tell what falls to none. */
  readonly isUntold: boolean;
}

/** Reads which entries fall to calls. */
export async function readAllocated(
  { answerCache }: Pick<AnswerSources, 'answerCache'>,
  asOf: AsOf,
  range: Period,
): Promise<AllocatedCost[]> {
  const entries = await asOf.facts.readSharedCosts(range);
  // By scope: who shares a day does not depend on the weight.
  const alike = entries.map((entry) => ({ ...entry, amount: 1n << 60n, allocateBy: 'calls' as const }));
  const daysByScope = new Map<string, Record<'called' | 'untold', Set<number>>>();
  for (const pool of await stepsInTurns(calcPools(alike, range))) {
    const days = { called: new Set<number>(), untold: new Set<number>() };
    const parts = byMonth(pool).flatMap((ofMonth) => splitDays(asOf, ofMonth));
    for (const part of parts) {
      const sharers = await chooseSharers(answerCache, asOf, pool, part, { dimensions: new Set() });
      if (!sharers) {
        const [only, ...others] = part.days;
        if (only && others.length === 0) days.untold.add(only.day);
        // Of some of them, cells may tell.
        else parts.push(...part.days.map((day) => ({ ...part, days: [day] })));
        continue;
      }
      const statement = selectDaysWithCalls(sharers.source, part.days);
      const rows = await answerCache.select<{ called: number }>(statement, [
        { rows: part.of === 'open' ? 'changing' : 'settled' },
      ]);
      for (const { called } of rows) days.called.add(called);
    }
    daysByScope.set(spellScope(pool.scope), days);
  }
  const allocated: AllocatedCost[] = [];
  await inTurns(entries, (entry) => {
    const days = daysByScope.get(spellScope(entry.scope));
    const allocation = allocate(entry.amount, { from: toDayNumber(entry.dateFrom), to: toDayNumber(entry.dateTo) });
    let [amount, unallocated, unallocatedDays, isUntold] = [0n, 0n, 0, false];
    const last = Math.min(allocation.to, toDayNumber(range.dateTo));
    for (let day = Math.max(allocation.from, toDayNumber(range.dateFrom)); day <= last; day += 1) {
      const ofDay = calcEarned(allocation, { from: day, to: day });
      amount += ofDay;
      isUntold ||= days?.untold.has(day) ?? false;
      if (days?.called.has(day)) continue;
      unallocated += ofDay;
      unallocatedDays += 1;
    }
    allocated.push({ entry, amount, unallocated, unallocatedDays, isUntold });
  });
  return allocated;
}
