import { callsOf } from '../../calls/in-force.ts';
import { requireCalls } from '../../calls/require-calls.ts';
import { type Period, toDay, toDayNumber } from '../../lib/days.ts';
import type { Dimension } from '../../lib/dimensions.ts';
import { inTurns, stepsInTurns } from '../../lib/in-turns.ts';
import type { Money } from '../../lib/money.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { type CellScope, type CellSource, readCells, resolveGrain } from '../asking/cells.ts';
import { joinRecords, type PagePlan, type PlacedRecord } from '../asking/page.ts';
import { joinPeriods } from '../asking/periods.ts';
import type { AnalyticsSources } from '../asking/sources.ts';
import { all } from '../asking/where.ts';
import type { AsOf } from '../facts/as-of.ts';
import { byMonth, calcPools, type Pool, type PoolDay } from './pools.ts';
import {
  filtersOfScope,
  measuresOf,
  type Sharers,
  type SharesRow,
  selectShares,
  shareOrder,
  whereTagged,
} from './sql.ts';

/** What the calls of a row share, exact. */
export interface Shares {
  readonly shared: Money;
  /** Of the features that are asked for. */
  readonly byFeature: ReadonlyMap<string, Money>;
}

export type SharesRecord = PlacedRecord & Shares;

export interface SharesWanted {
  readonly plan: Pick<PagePlan, 'periods' | 'limit' | 'afterValue'>;
  /** Of a row; undefined if rows are not grouped. */
  readonly value: Clause | undefined;
  /** The calls that count, by these dimensions; undefined if only the calls themselves can tell. */
  readonly where: Clause;
  readonly dimensions: ReadonlySet<Dimension> | undefined;
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
  { answerCache }: Pick<AnalyticsSources, 'answerCache'>,
  asOf: AsOf,
  wanted: SharesWanted,
): Promise<SharesRecord[]> {
  const days = joinPeriods(wanted.plan.periods);
  if (!days) return [];
  const entries = await asOf.facts.readSharedCosts(days);
  const pools = await stepsInTurns(calcPools(entries, days));
  // A total has all of its days, whoever shares them: also where the calls that could tell are deleted.
  if (wanted.dimensions?.size === 0) return joinRecords(wanted.plan, await sumPools(pools, wanted.plan.periods), addUp);
  const rows: SharesRow[] = [];
  for (const pool of pools) {
    for (const ofMonth of byMonth(pool)) {
      for (const part of splitOpen(asOf, ofMonth)) {
        const sharers = chooseSharers(asOf, pool, part, wanted.dimensions);
        const statement = selectShares({
          ...wanted,
          sharers,
          allocateBy: pool.allocateBy,
          days: part.days,
          features: wanted.features ?? [],
        });
        const rowsRead = part.isOpen || wanted.readsCalls ? 'changing' : 'settled';
        const read = [{ rows: rowsRead }, ...(wanted.cells ?? [])] as const;
        rows.push(...(await answerCache.select<SharesRow>(statement, read)));
      }
    }
  }
  return joinRecords(wanted.plan, rows, addUp);
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

function addUp(parts: readonly SharesRow[]): Shares {
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

export interface DaysPart {
  readonly days: readonly PoolDay[];
  readonly isOpen: boolean;
}

/** Open days, and the others, whose shares stay as they are and can be kept. */
export function splitOpen({ generations: { openDays } }: AsOf, days: readonly PoolDay[]): DaysPart[] {
  const open = new Set(openDays);
  const parts = [true, false].map((isOpen) => ({
    isOpen,
    days: days.filter(({ day }) => open.has(toDay(day)) === isOpen),
  }));
  return parts.filter((part) => part.days.length > 0);
}

/** Which rows share: as few as the dimensions of the question and the scope allow. */
function chooseSharers(
  asOf: AsOf,
  pool: Pool,
  part: DaysPart,
  dimensions: ReadonlySet<Dimension> | undefined,
): Sharers {
  const needed =
    dimensions && new Set([...dimensions, ...filtersOfScope(pool.scope).map(({ dimension }) => dimension)]);
  const by = needed && shareOrder.slice(0, shareOrder.findLastIndex((dimension) => needed.has(dimension)) + 1);
  return { ...chooseSource(asOf, pool, part, by), by };
}

/** Where the calls in scope are read: in cells, if these have all of the dimensions and those of the scope. */
export function chooseSource(
  { project, generations }: AsOf,
  { scope, allocateBy }: Pool,
  { days, isOpen }: DaysPart,
  dimensions: readonly Dimension[] | undefined,
): Pick<Sharers, 'of' | 'source'> {
  const period: Period = { dateFrom: toDay(days[0]?.day ?? 0), dateTo: toDay(days.at(-1)?.day ?? 0) };
  const filters = filtersOfScope(scope);
  const needed = dimensions && new Set([...dimensions, ...filters.map(({ dimension }) => dimension)]);
  const grain = needed && !scope.tags && resolveGrain(needed, { withRuns: false });
  if (grain) {
    const ofPart = isOpen ? { ...generations, seals: new Map() } : { ...generations, openDays: [] };
    const cells: CellScope = { projectId: project.id, period, generations: ofPart };
    const measures = [...new Set(['calls', ...measuresOf[allocateBy]])];
    return { of: 'cells', source: readCells(cells, { grain, measures, filters }) };
  }
  requireCalls(generations, period);
  // The seals say which state of the calls is read: rows are kept by them.
  const seals = { sql: '1', parameters: { seals: days.map(({ day }) => generations.seals.get(toDay(day)) ?? 0) } };
  const where = all([callsOf(project.id, period, generations), ...filters, whereTagged(scope), seals]);
  const from = 'calls AS cells FINAL';
  return { of: 'calls', source: { from, where, rows: isOpen ? 'changing' : 'settled' } };
}
