import type { Clause } from '../../clickhouse/clause.ts';
import { usageColumns } from '../../clickhouse/schema.ts';
import { type CellTable, dimensionsOf, type Grain, isRunGrain } from './grains.ts';

/** How many of the units that times are summed up in make a millisecond. */
export const nanosecondsPerMillisecond = 1_000_000;

/**
 * The time of a call, which may be any number: above 10^18 ms, some thirty million years, it counts as that. Times are
 * summed up as whole nanoseconds, because a sum of doubles depends on the order in which parts are merged.
 */
const elapsedMs = 'least(ifNull(elapsed_ms, 0), 1e18)';

/** What is added up: over the calls of a cell, and over cells. */
const measures: ReadonlyMap<string, { readonly ofCalls: string; readonly ofCells: 'sum' | 'min' | 'max' }> = new Map([
  ['calls', { ofCalls: 'count()', ofCells: 'sum' }],
  ['errors', { ofCalls: 'countIf(failed)', ofCells: 'sum' }],
  ['unpriced_calls', { ofCalls: "countIf(unpriced_reason != '')", ofCells: 'sum' }],
  ['cost', { ofCalls: 'sum(cost)', ofCells: 'sum' }],
  ['elapsed_sum', { ofCalls: `sum(toInt128(round(${elapsedMs} * ${nanosecondsPerMillisecond})))`, ofCells: 'sum' }],
  ['elapsed_max', { ofCalls: `max(${elapsedMs})`, ofCells: 'max' }],
  ['first_time', { ofCalls: 'min(time)', ofCells: 'min' }],
  ['last_time', { ofCalls: 'max(time)', ofCells: 'max' }],
  ...usageColumns.map((column) => [column, { ofCalls: `sum(${column})`, ofCells: 'sum' }] as const),
]);

/** A column of `cells` that is made of calls; one of the keys above. */
export type Measure = string;

/** Every measure, in the order in which cells are written. */
export const allMeasures: readonly Measure[] = [...measures.keys()];

/** When values were first and last seen: only cells of a single dimension hold it. */
const seenMeasures: ReadonlySet<Measure> = new Set(['first_time', 'last_time']);

/** What the cells of a grain hold in a table. */
export const measuresOf = (grain: Grain, table: CellTable): readonly Measure[] =>
  table !== 'customer_cells' && dimensionsOf(grain).length <= 1
    ? allMeasures
    : allMeasures.filter((measure) => !seenMeasures.has(measure));

/** The columns of a cell that are made of feature runs, in the order in which cells are written. */
export const runColumns = ['run_cost', 'runs', 'max_run_cost'] as const;

/**
 * What the feature runs of a cell that have other days or customers cost in it, each once, as `(feature_run, cost)`: what
 * sums of runs over several cells need beside the columns above. Frozen days have it in `frozen_pieces`.
 */
export const crossingColumn = 'crossing';
export const noneCrossing = "CAST([], 'Array(Tuple(FixedString(16), Decimal(38, 12)))')";

const definitionOf = (measure: Measure) => {
  const found = measures.get(measure);
  if (!found) throw new Error(`There is no measure ${measure}`);
  return found;
};

/** What changes nothing when it is added to cells. */
export function neutralOf(measure: Measure): string {
  const isTime = measure.endsWith('_time');
  if (!isTime) return '0';
  return definitionOf(measure).ofCells === 'min' ? "toDateTime64('2299-12-31', 3, 'UTC')" : "toDateTime64(0, 3, 'UTC')";
}

/** A measure over several cells, in a column of that name or another. */
export const sumOfCells = (measure: Measure, column: string = measure): string =>
  `${definitionOf(measure).ofCells}(${column})`;

export interface CellSelection {
  readonly grain: Grain;
  readonly measures: readonly Measure[];
  readonly runs: RunsWanted;
  /** The calls that are added up. */
  readonly where: Clause;
}

/** Whether the run columns are asked for too, and whether with what crossing runs cost. */
export type RunsWanted = 'none' | 'plain' | 'crossing';

/** The columns of a cell for that. */
export const columnsOfRuns = (runs: RunsWanted): readonly string[] => {
  if (runs === 'none') return [];
  return runs === 'plain' ? runColumns : [...runColumns, crossingColumn];
};

/**
 * The cells of a grain as the calls make them: what is stored of sealed days, and what the other days are read by. One
 * definition of both is what keeps them equal. With crossing runs it needs the parameters `project` and `base_generation`.
 */
export function selectCells({ grain, measures: asked, runs, where }: CellSelection): Clause {
  const key = ['day', ...dimensionsOf(grain)].join(', ');
  if (runs === 'none') {
    const columns = asked.map((measure) => `${definitionOf(measure).ofCalls} AS ${measure}`);
    return {
      sql: `SELECT ${[key, ...columns].join(', ')} FROM calls FINAL WHERE ${where.sql} GROUP BY ${key}`,
      parameters: where.parameters,
    };
  }
  if (!isRunGrain(grain)) throw new Error(`The grain ${grain} holds no runs`);
  const columns = asked.map((measure) => `${definitionOf(measure).ofCells}(part_${measure}) AS ${measure}`);
  const parts = [...new Set(['cost', ...asked])].map(
    (measure) => `${definitionOf(measure).ofCalls} AS part_${measure}`,
  );
  const crossing = `, groupArrayIf((${featureRun}, part_cost), run_feature != '' AND ${areCrossing}) AS ${crossingColumn}`;
  return {
    sql: `
      SELECT ${[key, ...columns].join(', ')}, sumIf(part_cost, run_feature != '') AS run_cost,
        countIf(run_feature != '') AS runs, maxIf(part_cost, run_feature != '') AS max_run_cost
        ${runs === 'crossing' ? crossing : ''}
      FROM (
        SELECT ${[key, ...parts].join(', ')}, feature AS run_feature, sipHash128(run) AS run_hash
        FROM calls FINAL
        WHERE ${where.sql}
        GROUP BY ${key}, run_feature, run_hash
      )
      GROUP BY ${key}`,
    parameters: where.parameters,
  };
}

/** What tells feature runs (D6.7) apart. */
const featureRun = 'sipHash128(run_hash, run_feature)';

/** Only runs that have several days or customers. */
const areCrossing = `run_hash IN (
          SELECT run_hash FROM crossing_runs
          WHERE project = {project:String} AND base_generation = {base_generation:UInt64}
        )`;

/**
 * Cells of frozen days with nothing but that column: the others were made before all of their runs were known to cross.
 * Needs the parameters `project` and `base_generation`.
 */
export function selectCrossingOfFrozen({ grain, measures: asked, where }: Omit<CellSelection, 'runs'>): Clause {
  const key = ['day', ...dimensionsOf(grain)].join(', ');
  const neutral = [
    ...asked.map((measure) => `${neutralOf(measure)} AS ${measure}`),
    ...runColumns.map((column) => `0 AS ${column}`),
  ];
  return {
    sql: `
      SELECT ${key}, ${neutral.join(', ')}, groupArray((feature_run, part_cost)) AS ${crossingColumn}
      FROM (
        SELECT ${key}, feature AS run_feature, ${featureRun} AS feature_run, sum(cost) AS part_cost
        FROM frozen_pieces
        WHERE ${where.sql} AND ${areCrossing}
        GROUP BY ${key}, run_feature, run_hash
      )
      GROUP BY ${key}`,
    parameters: where.parameters,
  };
}

/** Of calls: whether the call is its own run (D4.4). */
export const isUnnamedRun = "run = toString(event_id) OR startsWith(run, concat(toString(event_id), '#'))";

/**
 * What the calls of runs that have a name cost, by day, run and dimension, whether or not the run crosses yet. The others
 * can't come back: the event id of a call is its run.
 */
export const selectPiecesOfNamedRuns = (where: Clause): Clause => ({
  sql: `SELECT day, sipHash128(run) AS run_hash, customer, feature, provider, model, sum(cost) AS cost
      FROM calls FINAL
      WHERE ${where.sql} AND feature != '' AND NOT (${isUnnamedRun})
      GROUP BY day, run_hash, customer, feature, provider, model`,
  parameters: where.parameters,
});
