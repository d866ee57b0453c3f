import { type Generations, isFrozen } from '../calls/generations.ts';
import { callsOf } from '../calls/in-force.ts';
import { requireCalls } from '../calls/retention/require-calls.ts';
import { type Measure, ofCrossingRuns, runColumns, selectCells, selectPieces } from '../calls/rollups/cells.ts';
import { type CellDimension, dimensionsOf, type Grain, grainNames, isRunGrain } from '../calls/rollups/grains.ts';
import type { Clause } from '../clickhouse/clause.ts';
import { type Day, toDayNumber } from '../lib/days.ts';
import type { Period } from './periods.ts';
import { all } from './where.ts';

/** The days of a project that a question reads, and what counts of them. */
export interface CellScope {
  readonly projectId: string;
  readonly period: Period;
  readonly generations: Generations;
}

/** The narrowest grain that has these dimensions, and feature runs where they are asked for; undefined if there is none. */
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
  readonly withRuns?: boolean;
  /** Filters by the grain's dimensions. */
  readonly filters: readonly Clause[];
}

/** The cells of a grain as a subquery: those stored of sealed days, and those that the calls of the other days make. */
export function readCells(scope: CellScope, { grain, measures, withRuns = false, filters }: CellsWanted): Clause {
  const columns = ['day', ...dimensionsOf(grain), ...measures, ...(withRuns ? runColumns : [])].join(', ');
  const { sealed, open } = splitDays(scope);
  const parts: Clause[] = [];
  if (sealed.length > 0) {
    const where = all([onSealedDays(scope, sealed), ...filters]);
    parts.push({
      sql: `SELECT ${columns} FROM cells WHERE grain = '${grain}' AND ${where.sql}`,
      parameters: where.parameters,
    });
  }
  if (open.length > 0 || parts.length === 0) {
    const where = all([onOpenDays(scope, open), ...filters]);
    const { sql, parameters } = selectCells({ grain, measures, withRuns, where });
    parts.push({ sql: `SELECT ${columns} FROM (${sql})`, parameters });
  }
  return unite(parts);
}

/** The pieces of crossing runs as a subquery, of frozen days, of other sealed days, and of those that are not sealed. */
export function readPieces(scope: CellScope, filters: readonly Clause[]): Clause {
  const columns = 'day, run_hash, customer, feature, provider, model, cost';
  const { sealed: everySeal, open, frozen } = splitDays(scope);
  const isFrozenSeal = new Set(frozen);
  const sealed = everySeal.filter((seal) => !isFrozenSeal.has(seal));
  const parts: Clause[] = [];
  if (frozen.length > 0) {
    const where = all([onSealedDays(scope, frozen, 'frozen_seals'), ofCrossingRuns, ...filters]);
    parts.push({
      sql: `SELECT ${columns} FROM frozen_pieces WHERE ${where.sql}`,
      parameters: { ...where.parameters, base_generation: scope.generations.base },
    });
  }
  if (sealed.length > 0) {
    // The cells of a statement have all seals: the same name would be taken for the same values.
    const where = all([onSealedDays(scope, sealed, 'piece_seals'), ...filters]);
    parts.push({ sql: `SELECT ${columns} FROM crossing_pieces WHERE ${where.sql}`, parameters: where.parameters });
  }
  if (open.length > 0 || parts.length === 0) {
    const where = all([onOpenDays(scope, open), ...filters]);
    const { sql, parameters } = selectPieces(where);
    parts.push({
      sql: `SELECT ${columns} FROM (${sql})`,
      parameters: { ...parameters, base_generation: scope.generations.base },
    });
  }
  return unite(parts);
}

const unite = (parts: readonly Clause[]): Clause => ({
  sql: parts.map(({ sql }) => sql).join(' UNION ALL '),
  parameters: Object.assign({}, ...parts.map(({ parameters }) => parameters)),
});

/** The days of the period that have calls: the seals of those whose rollup counts, and those that are read from the calls. */
function splitDays({ period, generations }: CellScope): { sealed: number[]; frozen: number[]; open: Day[] } {
  const isInPeriod = (day: Day) => day >= period.dateFrom && day <= period.dateTo;
  const sealed = [...generations.seals].filter(([day]) => isInPeriod(day));
  return {
    sealed: sealed.map(([, seal]) => seal),
    frozen: sealed.flatMap(([day, seal]) => (isFrozen(generations, day) ? [seal] : [])),
    open: generations.openDays.filter(isInPeriod).sort(),
  };
}

function onSealedDays({ projectId, period }: CellScope, seals: readonly number[], name = 'seals'): Clause {
  return {
    sql: `project = {project:String} AND day >= {sealed_from:Date} AND day <= {sealed_to:Date}
      AND seal IN (SELECT arrayJoin({${name}:Array(UInt64)}))`,
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
    // No day has calls: the query must still have its columns.
    return all([callsOf(projectId, { dateFrom: period.dateFrom, dateTo: period.dateFrom }, generations), none]);
  }
  const span = callsOf(projectId, { dateFrom: first, dateTo: last }, generations);
  return {
    sql: `${span.sql} AND toUInt16(day) IN (SELECT arrayJoin({open_days:Array(UInt16)}))`,
    parameters: { ...span.parameters, open_days: days.map(toDayNumber) },
  };
}

const none: Clause = { sql: '0', parameters: {} };

/** A table to sum up costs of: `FROM ${from} … WHERE ${where.sql}`, with the columns `day`, `cost` and the dimensions asked for. */
export interface CostTable {
  readonly from: string;
  readonly where: Clause;
}

/**
 * The cells of the narrowest grain that has these dimensions, or the calls themselves where there is none.
 * @throws Problem `beyond_retention` where there is none and the calls are deleted
 */
export function readCostTable(
  scope: CellScope,
  { dimensions, filters }: { readonly dimensions: Iterable<CellDimension>; readonly filters: readonly Clause[] },
): CostTable {
  const grain = resolveGrain(new Set(dimensions), { withRuns: false });
  if (!grain) {
    requireCalls(scope.generations, scope.period);
    return { from: 'calls FINAL', where: all([callsOf(scope.projectId, scope.period, scope.generations), ...filters]) };
  }
  const cells = readCells(scope, { grain, measures: ['cost'], filters });
  return { from: `(${cells.sql}) AS cells`, where: { sql: '1', parameters: cells.parameters } };
}

/** The dimensions that a net cost needs beside those of its rows. */
export const dimensionsOfBasis = (basis: { readonly join: string }): readonly CellDimension[] =>
  basis.join === '' ? [] : ['provider', 'model'];
