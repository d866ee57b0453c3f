import { type Generations, isFrozen } from '../../calls/generations.ts';
import { callsOf } from '../../calls/in-force.ts';
import { requireCalls } from '../../calls/require-calls.ts';
import { type Day, type Period, toDayNumber } from '../../lib/days.ts';
import type { Dimension } from '../../lib/dimensions.ts';
import {
  type CellTag,
  columnsOfRuns,
  crossingColumn,
  type Measure,
  measuresOf,
  type RunsWanted,
  selectCells,
  selectCrossingOfFrozen,
} from '../../rollups/rollups/cells.ts';
import {
  type CellDimension,
  dimensionsOf,
  type Grain,
  grainNames,
  isOfTags,
  isRunGrain,
  tablesOf,
} from '../../rollups/rollups/grains.ts';
import { type Clause, joinParameters, setOf } from '../../storage/analytic/clause.ts';
import type { CellTable } from '../../storage/analytic/tables/rollups.ts';
import type { RowsRead } from './answer-cache.ts';
import { type CellRow, type CostCell, columnsOfCell, maxRead, toCostCell } from './cell-cache.ts';
import type { AnswerSources } from './sources.ts';
import { all, type ValuesFilter } from './where.ts';

/** The days of a project that a query reads, and the generations in force. */
export interface CellScope {
  readonly projectId: string;
  readonly period: Period;
  readonly generations: Generations;
}

/** The narrowest grain that has these dimensions and, with `withRuns`, feature runs; undefined if there is none. */
export function resolveGrain(
  dimensions: ReadonlySet<CellDimension>,
  { withRuns }: { withRuns: boolean },
): Grain | undefined {
  return grainNames
    .filter((grain) => !withRuns || isRunGrain(grain))
    .filter((grain) => [...dimensions].every((dimension) => dimensionsOf(grain).includes(dimension)))
    .sort((a, b) => dimensionsOf(a).length - dimensionsOf(b).length)[0];
}

export interface CellsWanted {
  readonly grain: Grain;
  readonly measures: readonly Measure[];
  /** Default: `none`. */
  readonly runs?: RunsWanted;
  /** Filters by the grain's dimensions. */
  readonly filters: readonly AnyFilter[];
  /** The tag of a grain by one. */
  readonly tag?: CellTag | undefined;
}

/** A filter by runs is never among those of cells, which its type does not say. */
type AnyFilter = ValuesFilter<CellDimension | 'run'>;

/** For at most this many customers, `customer_cells` is read faster than all cells of the days. */
const maxCustomersAlone = 500;

/** The table to read a grain's cells from. It is the one ordered by customer if a filter selects few customers. */
function resolveTable(grain: Grain, measures: readonly Measure[], filters: readonly AnyFilter[]): CellTable {
  const isOfFew = filters.some(({ dimension, count }) => dimension === 'customer' && count <= maxCustomersAlone);
  const tables = tablesOf(grain).filter((table) => {
    const held = new Set(measuresOf(grain, table));
    return measures.every((measure) => held.has(measure));
  });
  const table = tables.find((name) => isOfFew === (name === 'customer_cells')) ?? tables[0];
  if (!table) throw new Error(`No cells of ${grain} hold ${measures.join(', ')}`);
  return table;
}

/** Read by `FROM ${from} WHERE ${where.sql}`, alias `cells`. A table is no subquery: to plan one takes 1 ms. */
export interface CellSource {
  readonly from: string;
  readonly where: Clause;
  readonly rows: RowsRead;
}

/**
 * The cells of a grain: stored cells of sealed days, and cells computed from the calls of open days. Frozen days add
 * extra cells for the costs of crossing runs, so several cells can have the same dimension values.
 */
export function readCells(scope: CellScope, { grain, measures, runs = 'none', filters, tag }: CellsWanted): CellSource {
  const { sealed, frozen, open } = splitDays(scope);
  const table = resolveTable(grain, measures, filters);
  const stored = all([...ofGrain(grain, tag), onSealedDays(scope, sealed, 'seals'), ...filters]);
  const others: Clause[] = [];
  if (runs === 'crossing' && frozen.length > 0) {
    const where = all([onSealedDays(scope, frozen, 'frozen_seals'), ...filters]);
    others.push(selectCrossingOfFrozen({ grain, measures, where, tag: tag?.value }));
  }
  if (open.length > 0) others.push(selectOpen(scope, open, { grain, measures, runs, filters, tag }));
  if (others.length === 0) return { from: `${table} AS cells`, where: stored, rows: resolveRowsRead(scope) };
  const columns = ['day', ...dimensionsOf(grain), ...measures, ...columnsOfRuns(runs)].join(', ');
  const parts = others.map(({ sql, parameters }) => ({ sql: `(${sql})`, parameters }));
  if (sealed.length > 0) parts.push({ sql: `${table} WHERE ${stored.sql}`, parameters: stored.parameters });
  return {
    from: `(${parts.map(({ sql }) => `SELECT ${columns} FROM ${sql}`).join(' UNION ALL ')}) AS cells`,
    where: {
      sql: '1',
      parameters: joinParameters(
        { base_generation: scope.generations.base },
        ...parts.map(({ parameters }) => parameters),
      ),
    },
    rows: 'changing',
  };
}

const ofGrain = (grain: Grain, tag: CellTag | undefined): readonly Clause[] => [
  { sql: `grain = '${grain}'`, parameters: {} },
  ...(tag && isOfTags(grain) ? [{ sql: 'tag_key = {cell_tag:String}', parameters: { cell_tag: tag.key } }] : []),
];

export const selectOpen = (
  scope: CellScope,
  open: readonly Day[],
  { grain, measures, runs, filters, tag }: Required<Omit<CellsWanted, 'tag'>> & Pick<CellsWanted, 'tag'>,
) => selectCells({ grain, measures, runs, where: all([onOpenDays(scope, open), ...filters]), tag: tag?.value });

/** A query for costs and feature runs of a narrow grain with at most one dimension, or of the grain of a tag. */
export interface CostCellsWanted {
  readonly grain: Grain;
  readonly runs: Exclude<RunsWanted, 'none'>;
  /** Filters by the grain's dimension. */
  readonly filters: readonly ValuesFilter[];
  readonly tag?: CellTag | undefined;
}

/**
 * The cells of a scope: sealed days' from memory, unfiltered, and open days' from calls. Undefined if the store
 * should add them up: too many cells or open days, or frozen days without their crossing runs. @throws Problem
 */
export async function readCostCells(
  scope: CellScope,
  { grain, runs, filters, tag }: CostCellsWanted,
  { store, cellCache }: Pick<AnswerSources, 'store' | 'cellCache'>,
): Promise<readonly CostCell[] | undefined> {
  const { sealed, frozen, open } = splitDays(scope);
  const isWhole = runs === 'plain' || frozen.length === 0;
  const isHeld = (isNarrow(grain) || grain === 'tag') && open.length <= maxOpenDaysAtOnce;
  if (!isWhole || !isHeld) return undefined;
  const { projectId } = scope;
  const whereSeals = (seals: readonly number[]) => all([...ofGrain(grain, tag), onSealedDays(scope, seals, 'seals')]);
  const ofSealed = await cellCache.read({ projectId, grain, tagKey: tag?.key, seals: sealed, whereSeals });
  if (!ofSealed || open.length === 0) return ofSealed;
  const ofCalls = selectOpen(scope, open, { grain, measures: ['cost'], runs, filters, tag });
  const crossingSql = runs === 'crossing' ? `arraySlice(${crossingColumn}, 1, ${maxRead})` : undefined;
  const rows = await store.select<CellRow>(
    `SELECT ${columnsOfCell(grain, crossingSql)} FROM (${ofCalls.sql}) LIMIT ${maxRead + 1}`,
    { ...ofCalls.parameters, base_generation: scope.generations.base },
  );
  if (rows.reduce((size, { crossing_runs: crossing = [] }) => size + 1 + crossing.length, 0) > maxRead)
    return undefined;
  return [...ofSealed, ...rows.map(toCostCell)];
}

/** Statements of cells need nearly every column: to filter by some first takes 16 ms instead of 11 ms. */
export const wholeRows = 'SETTINGS optimize_move_to_prewhere = 0';

/** Whether one statement reads the whole range: narrow grains have so few rows that a second costs more. */
export function isReadAtOnce(grain: Grain, scope: CellScope): boolean {
  return isNarrow(grain) && splitDays(scope).open.length <= maxOpenDaysAtOnce;
}

export const isNarrow = (grain: Grain): boolean => tablesOf(grain)[0] === 'narrow_cells';

/** The most open days in a range that one statement reads: today, and a day that has just ended. */
const maxOpenDaysAtOnce = 2;

/** The days of the period that have calls: the seals of all sealed days, of the frozen ones, and the open days. */
export function splitDays({ period, generations }: CellScope): { sealed: number[]; frozen: number[]; open: Day[] } {
  const sealed = [...generations.seals].filter(([day]) => isIn(period, day));
  return {
    sealed: sealed.map(([, seal]) => seal),
    frozen: sealed.flatMap(([day, seal]) => (isFrozen(generations, day) ? [seal] : [])),
    open: generations.openDays.filter((day) => isIn(period, day)).sort(),
  };
}

const isIn = ({ dateFrom, dateTo }: Period, day: Day): boolean => day >= dateFrom && day <= dateTo;

/**
 * Scopes to read by a statement each, whose rows add up: sealed and open days, so that the first can be cached. Not for
 * calls, whose statements read all days.
 */
export function splitScope(scope: CellScope): readonly CellScope[] {
  const { generations } = scope;
  const { sealed, open } = splitDays(scope);
  if (sealed.length === 0 || open.length === 0) return [scope];
  return [
    { ...scope, generations: { ...generations, openDays: [] } },
    { ...scope, generations: { ...generations, seals: new Map() } },
  ];
}

/** The same for a grain. Narrow cells are so few that a second statement costs more than it saves. */
export const splitScopeOf = (grain: Grain, scope: CellScope): readonly CellScope[] =>
  isNarrow(grain) ? [scope] : splitScope(scope);

export const readsDay =
  ({ period, generations }: CellScope): ((day: Day) => boolean) =>
  (day) =>
    isIn(period, day) && (generations.seals.has(day) || generations.openDays.includes(day));

export function resolveRowsRead(scope: CellScope): RowsRead {
  const { sealed, open } = splitDays(scope);
  if (open.length > 0) return 'changing';
  return sealed.length > 0 ? 'settled' : 'none';
}

/** What is known of rows made from calls: their statement names no seals, so they may change. */
export const resolveRowsOfCalls = (scope: CellScope): RowsRead =>
  resolveRowsRead(scope) === 'none' ? 'none' : 'changing';

/** Cells of a grain, computed from the calls of a scope that `where` selects. */
export function cellsOfCalls(
  scope: CellScope,
  { grain, measures, where }: Pick<CellsWanted, 'grain' | 'measures'> & { readonly where: Clause },
): CellSource {
  const { sql, parameters } = selectCells({ grain, measures, runs: 'none', where });
  return { from: `(${sql}) AS cells`, where: { sql: '1', parameters }, rows: resolveRowsOfCalls(scope) };
}

/**
 * Selects rows of seals. It names the span of the scope's sealed days and not that of the range asked for, so that
 * questions about the same days have the same statement, whose rows are cached.
 */
export function onSealedDays(
  { projectId, period, generations }: CellScope,
  seals: readonly number[],
  name: string,
): Clause {
  const days = [...generations.seals.keys()].filter((day) => isIn(period, day)).sort();
  const [from, to] = [`${name}_from`, `${name}_to`];
  return {
    sql: `project = {project:String} AND day >= {${from}:Date} AND day <= {${to}:Date}
      AND seal IN ${setOf(name, 'UInt64', seals)}`,
    parameters: {
      project: projectId,
      [from]: days[0] ?? period.dateFrom,
      [to]: days.at(-1) ?? period.dateTo,
      [name]: seals,
    },
  };
}

/** The rows of `frozen_readings` in force where a scope's events are not read; undefined when there are none. */
export function onFrozenDays(scope: CellScope): Clause | undefined {
  const { generations } = scope;
  const { pinned } = generations;
  const ofReadings = pinned ? { ...scope, generations: { ...generations, seals: pinned.readings } } : scope;
  const { sealed, frozen } = splitDays(ofReadings);
  const seals = pinned ? sealed : frozen;
  return seals.length === 0 ? undefined : onSealedDays(ofReadings, seals, 'frozen_seals');
}

/** The prefix of the parameters for open days, because a statement can also read calls of its whole period. */
const openPrefix = 'open_';

export function onOpenDays({ projectId, generations, period }: CellScope, days: readonly Day[]): Clause {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) {
    // No day is open: select no row, but keep the columns of the query.
    return all([
      callsOf(projectId, { dateFrom: period.dateFrom, dateTo: period.dateFrom }, generations, openPrefix),
      none,
    ]);
  }
  const span = callsOf(projectId, { dateFrom: first, dateTo: last }, generations, openPrefix);
  return {
    sql: `${span.sql} AND toUInt16(day) IN ${setOf('open_days', 'UInt16', days)}`,
    parameters: { ...span.parameters, open_days: days.map(toDayNumber) },
  };
}

const none: Clause = { sql: '0', parameters: {} };

/**
 * Rows with a `cost`: cells of the narrowest grain that has these dimensions, or calls if there is no such grain.
 * @throws Problem `beyond_retention` when calls are needed but deleted
 */
export function readCostTable(
  scope: CellScope,
  { dimensions, filters }: { readonly dimensions: Iterable<Dimension>; readonly filters: readonly AnyFilter[] },
): CellSource {
  const grain = resolveGrain(new Set(dimensions), { withRuns: false });
  if (!grain) return readAllCalls(scope, filters);
  return readCells(scope, { grain, measures: ['cost'], filters });
}

/** Scopes for a `readCostTable` with these dimensions each, to read by a statement each. */
export function splitCostScope(scope: CellScope, dimensions: Iterable<Dimension>): readonly CellScope[] {
  const grain = resolveGrain(new Set(dimensions), { withRuns: false });
  return grain ? splitScopeOf(grain, scope) : [scope];
}

/** The calls of any day of a scope. @throws Problem `beyond_retention` when some are deleted */
export function readAllCalls(scope: CellScope, filters: readonly Clause[]): CellSource {
  requireCalls(scope.generations, scope.period);
  return {
    from: 'calls AS cells FINAL',
    where: all([callsOf(scope.projectId, scope.period, scope.generations), ...filters]),
    rows: resolveRowsOfCalls(scope),
  };
}

/** The calls of the open days of a scope, with a `cost` and every dimension. */
export const readOpenCalls = (scope: CellScope, filters: readonly Clause[]): CellSource => ({
  from: 'calls AS cells FINAL',
  where: all([onOpenDays(scope, splitDays(scope).open), ...filters]),
  rows: 'changing',
});
