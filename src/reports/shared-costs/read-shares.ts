import { beyondRetention } from '../../calls/require-calls.ts';
import { type Period, toDay, toDayNumber } from '../../lib/days.ts';
import { inTurns, stepsInTurns } from '../../lib/in-turns.ts';
import type { Money } from '../../lib/money.ts';
import type { Problem } from '../../lib/problem.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { CellSource } from '../asking/cells.ts';
import { valueOfCells } from '../asking/group.ts';
import { joinRecords, type PagePlan, type PlacedRecord } from '../asking/page.ts';
import { joinPeriods } from '../asking/periods.ts';
import type { AnswerSources } from '../asking/sources.ts';
import type { AsOf } from '../facts/as-of.ts';
import { type SharedCost, spellScope } from '../facts/shared-costs.ts';
import { byMonth, calcPools, type Pool } from './pools.ts';
import { chooseSharers, type DaysPart, splitDays, type ToldApart } from './sharers.ts';
import { type SharesRow, selectShares } from './sql.ts';

/** What the calls of a row share, exact. */
export interface SharedParts {
  readonly shared: Money;
  /** Of the features that are asked for. */
  readonly byFeature: ReadonlyMap<string, Money>;
}

export type SharesRecord = PlacedRecord & SharedParts;

export interface SharesWanted extends ToldApart {
  readonly plan: Pick<PagePlan, 'periods' | 'limit' | 'afterValue'>;
  /** Of a row; undefined if rows are not grouped. */
  readonly value: Clause | undefined;
  /** The calls that count. */
  readonly where: Clause;
  /** The cells that the conditions read, and whether they read calls. */
  readonly cells?: readonly CellSource[];
  readonly readsCalls?: boolean;
  /** The features whose shares are needed by themselves. */
  readonly features?: readonly string[];
}

/**
 * What rows get of the shared costs of their days, in order, and at least one more than the page holds if there are
 * more. @throws Problem `beyond_retention` where the calls of frozen days are needed
 */
export async function readShares(
  { answerCache }: Pick<AnswerSources, 'answerCache'>,
  asOf: AsOf,
  wanted: SharesWanted,
): Promise<SharesRecord[]> {
  const days = joinPeriods(wanted.plan.periods);
  if (!days) return [];
  const entries = await asOf.facts.readSharedCosts(days);
  const pools = await stepsInTurns(calcPools(entries, days));
  // A total needs no calls: it has the amounts of all its days, even if their calls are deleted.
  if (wanted.dimensions?.size === 0) return joinRecords(wanted.plan, await sumPools(pools, wanted.plan.periods), addUp);
  const rows: SharesRow[] = [];
  const months = Map.groupBy(
    pools.flatMap((pool) => byMonth(pool).map((ofMonth) => ({ pool, ofMonth }))),
    ({ ofMonth: [first] }) => toDay(first?.day ?? 0).slice(0, 7),
  );
  for (const [month, ofMonths] of [...months].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (isFull(wanted.plan, rows, month)) break;
    for (const { pool, ofMonth } of ofMonths) {
      for (const part of splitDays(asOf, ofMonth)) {
        const sharers = await chooseSharers(answerCache, asOf, pool, part, wanted);
        if (!sharers) throw untoldShares(asOf, entries, pool, part);
        const statement = selectShares({
          ...wanted,
          value: wanted.tag && sharers.of === 'cells' ? valueOfCells : wanted.value,
          sharers,
          allocateBy: pool.allocateBy,
          days: part.days,
          features: wanted.features ?? [],
        });
        const rowsRead = part.of === 'open' || wanted.readsCalls ? 'changing' : 'settled';
        const read = [{ rows: rowsRead }, ...(wanted.cells ?? [])] as const;
        rows.push(...(await answerCache.select<SharesRow>(statement, read)));
      }
    }
  }
  return joinRecords(wanted.plan, rows, addUp);
}

/** Whether the periods before a month alone have more rows than a page: then no later month is read. */
function isFull({ periods, limit }: SharesWanted['plan'], rows: readonly SharesRow[], month: string): boolean {
  const over = new Set(periods.flatMap(({ dateFrom, dateTo }) => (dateTo < month ? [toDayNumber(dateFrom)] : [])));
  return new Set(rows.flatMap((row) => (over.has(row.period) ? [`${row.period} ${row.value}`] : []))).size > limit;
}

/** The amounts of all days of pools, by period. */
async function sumPools(pools: readonly Pool[], periods: readonly Period[]): Promise<SharesRow[]> {
  const amounts = new Map<number, Money>();
  await inTurns(pools, ({ days }) => {
    for (const { day, amount } of days) amounts.set(day, (amounts.get(day) ?? 0n) + amount);
  });
  return periods.map(({ dateFrom, dateTo }) => {
    const [period, last] = [toDayNumber(dateFrom), toDayNumber(dateTo)];
    let shared = 0n;
    for (let day = period; day <= last; day += 1) shared += amounts.get(day) ?? 0n;
    return { period, shared: String(shared), by_feature: [] };
  });
}

function addUp(parts: readonly SharesRow[]): SharedParts {
  const byFeature = new Map<string, Money>();
  let shared = 0n;
  for (const part of parts) {
    shared += BigInt(part.shared);
    for (const [feature, amount] of part.by_feature) {
      byFeature.set(feature, (byFeature.get(feature) ?? 0n) + BigInt(amount));
    }
  }
  return { shared, byFeature };
}

/** Names the entries whose shares only deleted calls could tell, and what else to ask. */
function untoldShares(
  { generations: { frozenBefore = '' } }: AsOf,
  entries: readonly SharedCost[],
  pool: Pool,
  { days }: DaysPart,
): Problem {
  const [first, last] = [toDay(days[0]?.day ?? 0), toDay(days.at(-1)?.day ?? 0)];
  const names = entries
    .filter((entry) => entry.allocateBy === pool.allocateBy && spellScope(entry.scope) === spellScope(pool.scope))
    .filter(({ dateFrom, dateTo }) => dateFrom <= last && dateTo >= first)
    .map(({ externalId }) => externalId);
  const others = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return beyondRetention(
    frozenBefore,
    `They cannot tell who has which share of ${names.slice(0, mostNamed).join(', ')}${others}: ask from ${frozenBefore} on, ` +
      'by a customer, model, feature or tag alone that the project names as a dimension, or without include_shared.',
  );
}

/** The most entries that a refusal names. */
const mostNamed = 5;
