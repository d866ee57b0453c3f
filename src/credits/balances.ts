import { type Generations, readGenerations } from '../calls/generations.ts';
import type { ControlStore } from '../control/control-store.ts';
import type { Clock } from '../lib/clock.ts';
import { type Day, dayOf } from '../lib/days.ts';
import { toJsonNumber, wideToJsonNumber } from '../lib/money.ts';
import { toTime } from '../lib/times.ts';
import { calcBalance } from './balance.ts';
import { calcEarliestStart, type DailyGross } from './burn-down.ts';
import { burnDownInTurns } from './burn-down-in-turns.ts';
import { type CreditGrant, readGrants } from './grants.ts';

export interface BalanceSources {
  readonly control: ControlStore;
  readonly clock: Clock;
  /** The cost of the whole project on these days, both inclusive, by day, provider and model. */
  readonly readDailyGross: (
    projectId: string,
    options: { readonly period: { readonly dateFrom: Day; readonly dateTo: Day }; readonly generations: Generations },
  ) => Promise<DailyGross[]>;
}

/** The grants of a project with their used and remaining amounts, with the API's field names. */
export const readBalances = async (sources: BalanceSources, projectId: string) =>
  (await readCredits(sources, projectId)).grants;

/** The balances of a project's grants, and what the grants covered of each cost from the start of the first one on. */
export async function readCredits({ control, clock, readDailyGross }: BalanceSources, projectId: string) {
  const [grants, generations] = await Promise.all([
    readGrants(control, projectId),
    readGenerations(control, projectId),
  ]);
  const today = dayOf(generations.timezone, clock());
  const dateFrom = calcEarliestStart(grants);
  const costs =
    dateFrom === undefined || dateFrom > today
      ? []
      : await readDailyGross(projectId, { period: { dateFrom, dateTo: today }, generations });
  const burnDown = await burnDownInTurns(grants, costs);
  const balances = grants.map((grant) => {
    const use = burnDown.uses.get(grant.id) ?? { total: 0n, byDay: new Map<Day, bigint>() };
    const { used, remaining, runsOutOn } = calcBalance(grant, use, today);
    return {
      ...toGrantFields(grant),
      used: wideToJsonNumber(used),
      remaining: toJsonNumber(remaining),
      runs_out_on: runsOutOn,
    };
  });
  return { grants: balances, costs, burnDown };
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
