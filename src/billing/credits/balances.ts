import { readGenerations } from '../../calls/generations.ts';
import { type Day, dayOf } from '../../lib/days.ts';
import { toJsonNumber, type WideMoney, widen, wideToJsonNumber } from '../../lib/money.ts';
import { toTime } from '../../lib/times.ts';
import { burnDownInTurns, readDailyGross } from '../../reports/asking/cost-basis.ts';
import type { AnswerSources } from '../../reports/asking/sources.ts';
import { calcEarliestStart, type DailyGross, type GrantUse } from '../../reports/facts/burn-down.ts';
import { openCovering } from '../../reports/facts/covering.ts';
import { type CreditGrant, readGrants } from '../../reports/facts/grants.ts';
import { calcBalance, firstBurnDay } from './balance.ts';

/** The grants with their balances, and what they covered of each cost from the start of the first one on. */
export async function readCredits(
  { control, clock, answerCache }: Pick<AnswerSources, 'control' | 'clock' | 'answerCache'>,
  projectId: string,
) {
  const [grants, generations] = await Promise.all([
    readGrants(control, projectId),
    readGenerations(control, projectId),
  ]);
  const today = dayOf(generations.timezone, clock());
  const dateFrom = calcEarliestStart(grants);
  const costs =
    dateFrom === undefined || dateFrom > today
      ? []
      : await readDailyGross(answerCache, projectId, { period: { dateFrom, dateTo: today }, generations });
  const burnDown = await burnDownInTurns(grants, costs);
  const useOf = ({ id }: CreditGrant): GrantUse => burnDown.uses.get(id) ?? { total: 0n, byDay: new Map() };
  const freedOf = openFreed(
    grants.filter(
      (grant) => (grant.expiresOn ?? today) < today || calcBalance(grant, useOf(grant), today).remaining === 0n,
    ),
    { useOf, costs, today },
  );
  const balances = grants.map((grant) => {
    const { used, remaining, runsOutOn } = calcBalance(grant, useOf(grant), today, freedOf(grant));
    return {
      ...toGrantFields(grant),
      used: wideToJsonNumber(used),
      remaining: toJsonNumber(remaining),
      runs_out_on: runsOutOn,
    };
  });
  return { grants: balances, costs, burnDown };
}

/** What the grants that have ended paid, on each of the last days, of the costs that another grant covers. */
function openFreed(
  ended: readonly CreditGrant[],
  { useOf, costs, today }: { useOf: (grant: CreditGrant) => GrantUse; costs: readonly DailyGross[]; today: Day },
): (grant: CreditGrant) => GrantUse['byDay'] {
  const first = firstBurnDay(today);
  const recent = costs.filter(({ day }) => day >= first);
  const paidBy = Map.groupBy(
    ended.flatMap((grant) =>
      [...useOf(grant).byDay].flatMap(([day, paid]) =>
        day < first ? [] : [{ provider: grant.provider.toLowerCase(), day, paid }],
      ),
    ),
    ({ provider }) => provider,
  );
  return (grant) => {
    const freed = new Map<Day, WideMoney>();
    const paid = paidBy.get(grant.provider.toLowerCase()) ?? [];
    for (const { day, paid: amount } of paid) freed.set(day, (freed.get(day) ?? 0n) + amount);
    if (grant.models === null || freed.size === 0) return freed;
    // Others may have paid for models that this one does not cover.
    const covering = openCovering([grant]);
    const left = new Map<Day, WideMoney>([...freed.keys()].map((day) => [day, -(useOf(grant).byDay.get(day) ?? 0n)]));
    for (const cost of recent) {
      const known = left.get(cost.day);
      if (known !== undefined && covering(cost).size > 0) left.set(cost.day, known + widen(cost.cost));
    }
    for (const [day, amount] of freed) {
      const most = left.get(day) ?? 0n;
      if (most < amount) freed.set(day, most > 0n ? most : 0n);
    }
    return freed;
  };
}

/** A grant, with the API's field names. */
export const toGrantFields = (grant: CreditGrant) => ({
  id: grant.id,
  name: grant.name,
  provider: grant.provider,
  models: grant.models && [...grant.models],
  amount: toJsonNumber(grant.amount),
  starts_on: grant.startsOn,
  expires_on: grant.expiresOn,
  priority: grant.priority,
  created_at: toTime(grant.createdAt),
});
