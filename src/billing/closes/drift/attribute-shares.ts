import { type Day, type Period, toDay } from '../../../lib/days.ts';
import { stepsInTurns } from '../../../lib/in-turns.ts';
import { type WideMoney, widen } from '../../../lib/money.ts';
import { listPeriods } from '../../../reports/asking/periods.ts';
import type { AnswerSources } from '../../../reports/asking/sources.ts';
import type { AsOf } from '../../../reports/facts/as-of.ts';
import { spellScope } from '../../../reports/facts/shared-costs.ts';
import { readAll } from '../../../reports/plans/read-all.ts';
import { calcPools, type Pool } from '../../../reports/shared-costs/pools.ts';
import { readShares } from '../../../reports/shared-costs/read-shares.ts';
import type { Sides } from './changed-days.ts';
import type { DriftPart } from './drift-part.ts';

/** The shared costs of a period on both sides. */
export interface SharedOfSides {
  /** The days on which customers may share otherwise: other amounts, or other calls that share one. */
  readonly days: ReadonlySet<Day>;
  /** What is shared now, less what was. */
  readonly total: WideMoney;
}

export async function readSharedOfSides(
  { pinned, current }: Sides<AsOf>,
  period: Period,
  changed: readonly Day[],
): Promise<SharedOfSides> {
  const poolsOf = async ({ facts }: AsOf) => await stepsInTurns(calcPools(await facts.readSharedCosts(period), period));
  const [before, now] = [await poolsOf(pinned), await poolsOf(current)];
  const [amountsBefore, amountsNow] = [spellDays(before), spellDays(now)];
  const days = [...new Set([...amountsBefore.keys(), ...amountsNow.keys()])];
  const calls = new Set(changed);
  return {
    days: new Set(days.filter((day) => calls.has(day) || amountsBefore.get(day) !== amountsNow.get(day))),
    total: sumOf(now) - sumOf(before),
  };
}

/** What is shared on each day, by whom and by what weight, as a text; equal days give equal texts. */
function spellDays(pools: readonly Pool[]): Map<Day, string> {
  const amounts = pools.flatMap(({ allocateBy, scope, days }) =>
    days.map(({ day, amount }) => ({ day: toDay(day), spelled: `${allocateBy} ${spellScope(scope)} ${amount}` })),
  );
  return new Map(
    [...Map.groupBy(amounts, ({ day }) => day)].map(([day, ofDay]) => [
      day,
      ofDay
        .map(({ spelled }) => spelled)
        .sort()
        .join('\n'),
    ]),
  );
}

const sumOf = (pools: readonly Pool[]): WideMoney =>
  widen(pools.flatMap(({ days }) => days).reduce((sum, { amount }) => sum + amount, 0n));

/** What customers share now, less what they shared, on days in order: for any reason, as with credits. */
export async function readShareParts(
  sources: Pick<AnswerSources, 'answerCache'>,
  { pinned, current }: Sides<AsOf>,
  days: readonly Day[],
): Promise<DriftPart[]> {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return [];
  const range = { dateFrom: first, dateTo: last };
  const asked = new Set(days);
  const periods = listPeriods(range, 'day').filter(({ dateFrom }) => asked.has(dateFrom));
  const plan = { identity: 'drift', limit: 0, range, periods, afterValue: undefined };
  const parts: DriftPart[] = [];
  for (const [side, sign] of [[pinned, -1n] as const, [current, 1n] as const]) {
    const pages = readAll(plan, (part) =>
      readShares(sources, side, {
        plan: part,
        value: { sql: 'customer', parameters: {} },
        where: { sql: '1', parameters: {} },
        dimensions: new Set(['customer']),
      }),
    );
    for await (const page of pages) {
      for (const { period, value: customer = '', shared } of page) {
        const amount = sign * widen(shared);
        parts.push({ day: toDay(period), customer, cause: 'shared_costs', of: 'shared_cost', amount });
      }
    }
  }
  return parts;
}
