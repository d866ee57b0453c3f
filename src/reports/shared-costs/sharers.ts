import { isFrozen } from '../../calls/generations.ts';
import { callsOf } from '../../calls/in-force.ts';
import { type Day, toDay } from '../../lib/days.ts';
import { shareOrder } from '../../lib/dimensions.ts';
import type { CellTag } from '../../rollups/rollups/cells.ts';
import { type CellDimension, type Grain, isOfTags } from '../../rollups/rollups/grains.ts';
import type { AnswerCache } from '../asking/answer-cache.ts';
import { type CellScope, readCells, resolveGrain } from '../asking/cells.ts';
import { tagOfCalls } from '../asking/group.ts';
import { findFrozenWithoutTag } from '../asking/tag-seals.ts';
import { all, ofTaggedCalls, type ValuesFilter } from '../asking/where.ts';
import type { AsOf } from '../facts/as-of.ts';
import type { Pool, PoolDay } from './pools.ts';
import { filtersOfScope, measuresOf, type Sharers, tagFiltersOfScope } from './sql.ts';

/** Days that one statement reads. The calls of open days may still change; those of frozen days are deleted. */
export interface DaysPart {
  readonly of: 'open' | 'sealed' | 'frozen';
  readonly days: readonly PoolDay[];
}

/** Open days apart from the others, whose shares stay as they are and can be kept; and frozen days apart from these. */
export function splitDays({ generations }: AsOf, days: readonly PoolDay[]): DaysPart[] {
  const open = new Set(generations.openDays);
  const kindOf = (day: Day) => (isFrozen(generations, day) ? 'frozen' : open.has(day) ? 'open' : 'sealed');
  const byKind = Map.groupBy(days, ({ day }) => kindOf(toDay(day)));
  return (['open', 'sealed', 'frozen'] as const).flatMap((of) => {
    const ofKind = byKind.get(of);
    return ofKind ? [{ of, days: ofKind }] : [];
  });
}

/** What tells the calls of a question apart: undefined if only the calls themselves do. */
export interface ToldApart {
  readonly dimensions: ReadonlySet<CellDimension> | undefined;
  /** The tag among the dimensions. */
  readonly tag?: CellTag | undefined;
}

/**
 * The rows that share on some days: as few as the question and the scope allow. Undefined if only the calls of frozen
 * days could tell.
 */
export async function chooseSharers(
  answerCache: AnswerCache,
  asOf: AsOf,
  pool: Pool,
  part: DaysPart,
  told: ToldApart,
): Promise<Sharers | undefined> {
  const by = told.tag ? undefined : told.dimensions && upToLast(told.dimensions);
  const inOrder = by && chooseCells(pool, by, undefined);
  if (part.of !== 'frozen') {
    // Cells of a tag are not of every seal.
    const cells = inOrder && !isOfTags(inOrder.grain) ? inOrder : undefined;
    return cells ? readSharingCells(asOf, pool, part, cells) : readSharingCalls(asOf, pool, part, by);
  }
  const cells = inOrder ?? chooseCellsOfFrozen(pool, told);
  if (cells && !isOfTags(cells.grain)) return readSharingCells(asOf, pool, part, cells);
  const untold = await findFrozenWithoutTag(answerCache, scopeOf(asOf, part), cells?.key);
  if (untold.size > 0) return undefined;
  return cells ? readSharingCells(asOf, pool, part, cells) : readSharingCalls(asOf, pool, part, by);
}

/** The first dimensions of the order, up to the last of these. */
const upToLast = (dimensions: ReadonlySet<CellDimension>): readonly CellDimension[] =>
  shareOrder.slice(0, shareOrder.findLastIndex((dimension) => dimensions.has(dimension)) + 1);

/** Cells of the calls in a scope, and by which of their dimensions they share, in order. */
interface SharingCells {
  readonly grain: Grain;
  readonly by: readonly CellDimension[];
  readonly filters: readonly ValuesFilter<CellDimension>[];
  /** The key of the tag among their dimensions. */
  readonly key: string | undefined;
}

/** The cells that have these dimensions and those of a scope; undefined if there are none. */
function chooseCells(
  { scope }: Pool,
  by: readonly CellDimension[],
  tag: CellTag | undefined,
): SharingCells | undefined {
  const ofTags = tagFiltersOfScope(scope);
  const keys = new Set([...(scope.tags ?? []).map(([key]) => key), ...(tag ? [tag.key] : [])]);
  if (!ofTags || keys.size > 1) return undefined;
  const filters = [...filtersOfScope(scope), ...ofTags];
  const grain = resolveGrain(new Set([...by, ...filters.map(({ dimension }) => dimension)]), { withRuns: false });
  return grain && { grain, by, filters, key: [...keys][0] };
}

/**
 * Without the calls, cells share by the dimensions of the question, by customer first if they have it: so the shares of
 * customers are as before, and others differ from those of calls in the last digits at most.
 */
function chooseCellsOfFrozen(pool: Pool, { dimensions, tag }: ToldApart): SharingCells | undefined {
  if (!dimensions) return undefined;
  const order: readonly CellDimension[] = [...shareOrder, 'tag'];
  const own = order.filter((dimension) => dimensions.has(dimension));
  return chooseCells(pool, [...new Set(['customer' as const, ...own])], tag) ?? chooseCells(pool, own, tag);
}

/** The days of a part, on which all are sealed, or none. */
function scopeOf({ project, generations }: AsOf, { of, days }: DaysPart): CellScope {
  const period = { dateFrom: toDay(days[0]?.day ?? 0), dateTo: toDay(days.at(-1)?.day ?? 0) };
  const shared = new Set(days.map(({ day }) => toDay(day)));
  const seals = new Map([...generations.seals].filter(([day]) => of !== 'open' && shared.has(day)));
  return {
    projectId: project.id,
    period,
    generations: { ...generations, seals, openDays: of === 'open' ? generations.openDays : [] },
  };
}

function readSharingCells(
  asOf: AsOf,
  { allocateBy }: Pool,
  part: DaysPart,
  { grain, by, filters, key }: SharingCells,
): Sharers {
  const measures = [...new Set(['calls', ...measuresOf[allocateBy]])];
  const tag = key === undefined ? undefined : tagOfCalls(`tag:${key}`);
  return { of: 'cells', by, source: readCells(scopeOf(asOf, part), { grain, measures, filters, tag }) };
}

function readSharingCalls(
  asOf: AsOf,
  { scope }: Pool,
  part: DaysPart,
  by: readonly CellDimension[] | undefined,
): Sharers {
  const { projectId, period } = scopeOf(asOf, part);
  const { generations } = asOf;
  // The seals say which state of the calls is read: rows are kept by them.
  const ofDays = part.days.map(({ day }) => generations.seals.get(toDay(day)) ?? 0);
  const where = all([
    callsOf(projectId, period, generations),
    ...filtersOfScope(scope),
    ofTaggedCalls(new Map(scope.tags), 'scope_tag'),
    { sql: '1', parameters: { seals: ofDays } },
  ]);
  const rows = part.of === 'open' ? 'changing' : 'settled';
  return { of: 'calls', by, source: { from: 'calls AS cells FINAL', where, rows } };
}
