import type { Generations } from '../calls/generations.ts';
import { callsOf } from '../calls/in-force.ts';
import { type Measure, measuresOf, runColumns, selectCells, selectPieces } from '../calls/rollups/cells.ts';
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
import type { Period } from './periods.ts';
import { all, type ValuesFilter } from './where.ts';

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
  readonly filters: readonly ValuesFilter[];
}

/** The most customers that are looked for one by one; more are found faster among all cells of the days. */
const maxCustomersAlone = 500;

/** Where the cells of a grain are read from: by customer, where a few customers are asked for. */
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

/** The cells of a grain as a subquery: those stored of sealed days, and those that the calls of the other days make. */
export function readCells(scope: CellScope, { grain, measures, withRuns = false, filters }: CellsWanted): Clause {
  const columns = ['day', ...dimensionsOf(grain), ...measures, ...(withRuns ? runColumns : [])].join(', ');
  const { sealed, open } = splitDays(scope);
  const parts: Clause[] = [];
  if (sealed.length > 0) {
    const where = all([onSealedDays(scope, sealed), ...filters]);
    parts.push({
      sql: `SELECT ${columns} FROM ${resolveTable(grain, measures, filters)} WHERE grain = '${grain}' AND ${where.sql}`,
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

/** The pieces of crossing runs as a subquery, of sealed days and of the others. */
export function readPieces(scope: CellScope, filters: readonly ValuesFilter[]): Clause {
  const columns = 'day, run_hash, customer, feature, provider, model, cost';
  const { sealed, open } = splitDays(scope);
  const parts: Clause[] = [];
  if (sealed.length > 0) {
    const where = all([onSealedDays(scope, sealed), ...filters]);
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

/** The days of the period that have calls: those whose rollup counts, and those that are read from the calls. */
function splitDays({ period, generations }: CellScope): { sealed: number[]; open: Day[] } {
  const isInPeriod = (day: Day) => day >= period.dateFrom && day <= period.dateTo;
  return {
    sealed: [...generations.seals].flatMap(([day, seal]) => (isInPeriod(day) ? [seal] : [])),
    open: generations.openDays.filter(isInPeriod).sort(),
  };
}

function onSealedDays({ projectId, period }: CellScope, seals: readonly number[]): Clause {
  return {
    sql: `project = {project:String} AND day >= {sealed_from:Date} AND day <= {sealed_to:Date}
      AND seal IN ${setOf('seals', 'UInt64', seals)}`,
    parameters: { project: projectId, sealed_from: period.dateFrom, sealed_to: period.dateTo, seals },
  };
}

function onOpenDays({ projectId, generations, period }: CellScope, days: readonly Day[]): Clause {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) {
    // No day has calls: the query must still have its columns.
    return all([callsOf(projectId, { dateFrom: period.dateFrom, dateTo: period.dateFrom }, generations), none]);
  }
  const span = callsOf(projectId, { dateFrom: first, dateTo: last }, generations);
  return {
    sql: `${span.sql} AND toUInt16(day) IN ${setOf('open_days', 'UInt16', days)}`,
    parameters: { ...span.parameters, open_days: days.map(toDayNumber) },
  };
}

const none: Clause = { sql: '0', parameters: {} };

/** A table to sum up costs of: `FROM ${from} … WHERE ${where.sql}`, with the columns `day`, `cost` and the dimensions asked for. */
export interface CostTable {
  readonly from: string;
  readonly where: Clause;
}

/** The cells of the narrowest grain that has these dimensions, or the calls themselves where there is none. */
export function readCostTable(
  scope: CellScope,
  { dimensions, filters }: { readonly dimensions: Iterable<CellDimension>; readonly filters: readonly ValuesFilter[] },
): CostTable {
  const grain = resolveGrain(new Set(dimensions), { withRuns: false });
  if (!grain) {
    return { from: 'calls FINAL', where: all([callsOf(scope.projectId, scope.period, scope.generations), ...filters]) };
  }
  const cells = readCells(scope, { grain, measures: ['cost'], filters });
  return { from: `(${cells.sql}) AS cells`, where: { sql: '1', parameters: cells.parameters } };
}

/** The dimensions that a net cost needs beside those of its rows. */
export const dimensionsOfBasis = (basis: { readonly join: string }): readonly CellDimension[] =>
  basis.join === '' ? [] : ['provider', 'model'];
