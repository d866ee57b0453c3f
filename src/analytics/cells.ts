import { type Generations, isFrozen } from '../calls/generations.ts';
import { callsOf } from '../calls/in-force.ts';
import { requireCalls } from '../calls/retention/require-calls.ts';
import {
  columnsOfRuns,
  type Measure,
  measuresOf,
  type RunsWanted,
  selectCells,
  selectCrossingOfFrozen,
} from '../calls/rollups/cells.ts';
import {
  type CellDimension,
  type CellTable,
  dimensionsOf,
  type Grain,
  grainNames,
  isRunGrain,
  tablesOf,
} from '../calls/rollups/grains.ts';
import { type Clause, setOf } from '../clickhouse/clause.ts';
import { type Day, toDayNumber } from '../lib/days.ts';
import { joinPeriods, type Period } from './periods.ts';
import { type CellRow, type CostCell, columnsOfCell, toCostCell } from './sealed-cells.ts';
import type { AnalyticsSources } from './sources.ts';
import { all, type ValuesFilter } from './where.ts';

/** The days of a project that a question reads, and the generations and seals in force on them. */
export interface CellScope {
  readonly projectId: string;
  readonly period: Period;
  readonly generations: Generations;
}

/**
 * The narrowest grain with these dimensions, and with feature runs where they are needed; undefined if there is none.
 */
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
  /** None unless given. */
  readonly runs?: RunsWanted;
  /** Filters by the grain's dimensions. */
  readonly filters: readonly ValuesFilter[];
}

/** The most customers that are read from `customer_cells`; more are found faster among all cells of the days. */
const maxCustomersAlone = 500;

/** The table that the cells of a grain are read from: `customer_cells` for a few customers. */
function resolveTable(grain: Grain, measures: readonly Measure[], filters: readonly ValuesFilter[]): CellTable {
  const isOfFew = filters.some(({ dimension, count }) => dimension === 'customer' && count <= maxCustomersAlone);
  const tables = tablesOf(grain).filter((table) => {
    const held = new Set(measuresOf(grain, table));
    return measures.every((measure) => held.has(measure));
  });
  const table = tables.find((name) => isOfFew === (name === 'customer_cells')) ?? tables[0];
  if (!table) throw new Error(`No cells of ${grain} hold ${measures.join(', ')}`);
  return table;
}

/**
 * Rows to read: `FROM ${from} WHERE ${where.sql}`; the table has the alias `cells`. A subquery costs the engine a
 * millisecond to plan, so there is none where one table has all rows.
 */
export interface CellRows {
  readonly from: string;
  readonly where: Clause;
  /** Whether they are of sealed days alone: then they never change. */
  readonly isSettled: boolean;
}

/**
 * The cells of a grain: the stored cells of sealed days, and cells added up from the calls of the other days. Frozen
 * days have further cells for the costs of crossing runs, so several cells may have the same values.
 */
export function readCells(scope: CellScope, { grain, measures, runs = 'none', filters }: CellsWanted): CellRows {
  const { sealed, frozen, open } = splitDays(scope);
  const table = resolveTable(grain, measures, filters);
  const stored = all([{ sql: `grain = '${grain}'`, parameters: {} }, onSealedDays(scope, sealed, 'seals'), ...filters]);
  const others: Clause[] = [];
  if (runs === 'crossing' && frozen.length > 0) {
    const where = all([onSealedDays(scope, frozen, 'frozen_seals'), ...filters]);
    others.push(selectCrossingOfFrozen({ grain, measures, where }));
  }
  if (open.length > 0 || sealed.length === 0) others.push(selectOpen(scope, open, { grain, measures, runs, filters }));
  if (others.length === 0) return { from: `${table} AS cells`, where: stored, isSettled: true };
  const columns = ['day', ...dimensionsOf(grain), ...measures, ...columnsOfRuns(runs)].join(', ');
  const parts = others.map(({ sql, parameters }) => ({ sql: `(${sql})`, parameters }));
  if (sealed.length > 0) parts.push({ sql: `${table} WHERE ${stored.sql}`, parameters: stored.parameters });
  return {
    from: `(${parts.map(({ sql }) => `SELECT ${columns} FROM ${sql}`).join(' UNION ALL ')}) AS cells`,
    where: {
      sql: '1',
      parameters: Object.assign(
        { base_generation: scope.generations.base },
        ...parts.map(({ parameters }) => parameters),
      ),
    },
    isSettled: false,
  };
}

/** Cells added up from the calls of these days. */
const selectOpen = (
  scope: CellScope,
  open: readonly Day[],
  { grain, measures, runs, filters }: Required<CellsWanted>,
) => selectCells({ grain, measures, runs, where: all([onOpenDays(scope, open), ...filters]) });

/** A question about costs and runs of a narrow grain with at most one dimension. */
export interface CostCellsWanted {
  readonly grain: Grain;
  readonly runs: Exclude<RunsWanted, 'none'>;
  /** Filters by the grain's dimension. */
  readonly filters: readonly ValuesFilter[];
}

/**
 * The narrow cells of a scope: those of sealed days from memory, without the filters, and those added up from the calls
 * of the other days. Undefined where the store should add them up: where they are many, or cells don't have all of
 * them.
 * @throws Problem as the store's `select` does
 */
export async function readCostCells(
  scope: CellScope,
  { grain, runs, filters }: CostCellsWanted,
  { store, sealedCells }: Pick<AnalyticsSources, 'store' | 'sealedCells'>,
): Promise<readonly CostCell[] | undefined> {
  const { sealed, frozen, open } = splitDays(scope);
  const isWhole = runs === 'plain' || frozen.length === 0;
  if (!isWhole || !isReadAtOnce(grain, scope)) return undefined;
  const { projectId } = scope;
  const whereSeals = (seals: readonly number[]) =>
    all([{ sql: `grain = '${grain}'`, parameters: {} }, onSealedDays(scope, seals, 'seals')]);
  const ofSealed = await sealedCells.read({ projectId, grain, seals: sealed, whereSeals });
  if (!ofSealed || open.length === 0) return ofSealed;
  const ofCalls = selectOpen(scope, open, { grain, measures: ['cost'], runs, filters });
  const rows = await store.select<CellRow>(
    `SELECT ${columnsOfCell(grain, { withCrossing: runs === 'crossing' })} FROM (${ofCalls.sql})`,
    { ...ofCalls.parameters, base_generation: scope.generations.base },
  );
  return [...ofSealed, ...rows.map(toCostCell)];
}

/**
 * Ends a statement that reads cells. Such a statement uses nearly every column, so reading the filtered columns first
 * costs more than it saves (16 instead of 11 ms for 50 customers of 5,000).
 */
export const readingWhole = 'SETTINGS optimize_move_to_prewhere = 0';

/**
 * Whether a grain has so few rows in a range that one statement reads all periods: a further statement would cost more
 * than the rows.
 */
export function isReadAtOnce(grain: Grain, scope: CellScope): boolean {
  return isNarrow(grain) && splitDays(scope).open.length <= maxOpenDaysAtOnce;
}

const isNarrow = (grain: Grain): boolean => tablesOf(grain)[0] === 'narrow_cells';

/**
 * How many of the first periods are read by a statement of their own: those whose days are all sealed or have no calls,
 * as their rows never change. 0 where there are so few rows that another statement costs more than they do.
 */
export function countSettled(grain: Grain, periods: readonly Period[], { openDays }: Generations): number {
  if (isNarrow(grain)) return 0;
  const range = joinPeriods(periods);
  const open = openDays.filter((day) => range && day >= range.dateFrom && day <= range.dateTo);
  const first = periods.findIndex(({ dateFrom, dateTo }) => open.some((day) => day >= dateFrom && day <= dateTo));
  return first < 0 ? periods.length : first;
}

/** The most days read from calls: today, and one that was over a moment ago. */
const maxOpenDaysAtOnce = 2;

/**
 * The days of the period that have calls: the seals of the days whose rollup counts, the seals of those that are
 * frozen, and the days that are read from the calls.
 */
function splitDays({ period, generations }: CellScope): { sealed: number[]; frozen: number[]; open: Day[] } {
  const isInPeriod = (day: Day) => day >= period.dateFrom && day <= period.dateTo;
  const sealed = [...generations.seals].filter(([day]) => isInPeriod(day));
  return {
    sealed: sealed.map(([, seal]) => seal),
    frozen: sealed.flatMap(([day, seal]) => (isFrozen(generations, day) ? [seal] : [])),
    open: generations.openDays.filter(isInPeriod).sort(),
  };
}

function onSealedDays({ projectId, period }: CellScope, seals: readonly number[], name: string): Clause {
  return {
    sql: `project = {project:String} AND day >= {sealed_from:Date} AND day <= {sealed_to:Date}
      AND seal IN ${setOf(name, 'UInt64', seals)}`,
    parameters: { project: projectId, sealed_from: period.dateFrom, sealed_to: period.dateTo, [name]: seals },
  };
}

/** The rows of `frozen_readings` that count on the days of a scope; undefined when none of its days is frozen. */
export function onFrozenDays(scope: CellScope): Clause | undefined {
  const { frozen } = splitDays(scope);
  return frozen.length === 0 ? undefined : onSealedDays(scope, frozen, 'frozen_seals');
}

function onOpenDays({ projectId, generations, period }: CellScope, days: readonly Day[]): Clause {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) {
    // No day has calls, but the query needs its columns.
    return all([callsOf(projectId, { dateFrom: period.dateFrom, dateTo: period.dateFrom }, generations), none]);
  }
  const span = callsOf(projectId, { dateFrom: first, dateTo: last }, generations);
  return {
    sql: `${span.sql} AND toUInt16(day) IN ${setOf('open_days', 'UInt16', days)}`,
    parameters: { ...span.parameters, open_days: days.map(toDayNumber) },
  };
}

const none: Clause = { sql: '0', parameters: {} };

/**
 * The cells of the narrowest grain with these dimensions, or the calls where there is none; with `cost`.
 * @throws Problem `beyond_retention` where there is none and the calls are deleted
 */
export function readCostTable(
  scope: CellScope,
  { dimensions, filters }: { readonly dimensions: Iterable<CellDimension>; readonly filters: readonly ValuesFilter[] },
): CellRows {
  const grain = resolveGrain(new Set(dimensions), { withRuns: false });
  if (!grain) {
    requireCalls(scope.generations, scope.period);
    return {
      from: 'calls AS cells FINAL',
      where: all([callsOf(scope.projectId, scope.period, scope.generations), ...filters]),
      isSettled: false,
    };
  }
  return readCells(scope, { grain, measures: ['cost'], filters });
}

/** The dimensions that a net cost needs besides those of its rows. */
export const dimensionsOfBasis = (basis: { readonly join: string }): readonly CellDimension[] =>
  basis.join === '' ? [] : ['provider', 'model'];
