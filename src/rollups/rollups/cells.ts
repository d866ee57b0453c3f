import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import { attributed, type CellTable, hasSeen, pieceDimensions } from '../../storage/analytic/tables/rollups.ts';
import { usageColumns } from '../../storage/analytic/tables/usage-columns.ts';
import { dimensionsOf, type Grain, isOfTags, isRunGrain } from './grains.ts';

/** Elapsed times are summed in nanoseconds. */
export const nanosecondsPerMillisecond = 1_000_000;

/**
 * The elapsed time of a call, in milliseconds. Clients may send any number; numbers above 10^18, some thirty million
 * years, count as 10^18. Times are summed as whole nanoseconds, because a sum of doubles depends on the order in which
 * parts are merged.
 */
const elapsedMs = 'least(ifNull(elapsed_ms, 0), 1e18)';

/** How each measure is aggregated: over calls and over cells. */
const measures: ReadonlyMap<string, { readonly ofCalls: string; readonly ofCells: 'sum' | 'min' | 'max' | 'sumMap' }> =
  new Map([
    ['calls', { ofCalls: 'count()', ofCells: 'sum' }],
    ['errors', { ofCalls: 'countIf(failed)', ofCells: 'sum' }],
    ['unpriced_calls', { ofCalls: "countIf(unpriced_reason != '')", ofCells: 'sum' }],
    ['cost', { ofCalls: 'sum(cost)', ofCells: 'sum' }],
    ['elapsed_sum', { ofCalls: `sum(toInt128(round(${elapsedMs} * ${nanosecondsPerMillisecond})))`, ofCells: 'sum' }],
    ['elapsed_max', { ofCalls: `max(${elapsedMs})`, ofCells: 'max' }],
    ['first_time', { ofCalls: 'min(time)', ofCells: 'min' }],
    ['last_time', { ofCalls: 'max(time)', ofCells: 'max' }],
    ...usageColumns.map((column) => [column, { ofCalls: `sum(${column})`, ofCells: 'sum' }] as const),
    ['partly_priced_calls', { ofCalls: 'countIf(notEmpty(partly_priced))', ofCells: 'sum' }],
    ['units', { ofCalls: 'sumMap(units)', ofCells: 'sumMap' }],
    ...attributed.map(
      (name) => [`${name}_attributed_cost`, { ofCalls: `sumIf(calls.cost, ${name} != '')`, ofCells: 'sum' }] as const,
    ),
    [
      'unpriced_reasons',
      { ofCalls: "sumMapIf(map(toString(unpriced_reason), toUInt64(1)), unpriced_reason != '')", ofCells: 'sumMap' },
    ],
    [
      'partly_priced_names',
      {
        ofCalls:
          'sumMapIf(mapFromArrays(partly_priced, arrayWithConstant(length(partly_priced), toUInt64(1))), notEmpty(partly_priced))',
        ofCells: 'sumMap',
      },
    ],
  ]);

/** A column of `cells` that is aggregated from calls: one of the keys above. */
export type Measure = string;

/** The times of the first and last call; only cells with at most one dimension hold them. */
const seenMeasures: ReadonlySet<Measure> = new Set(['first_time', 'last_time']);

/**
 * What only coverage reads, in cells by provider and model alone, and not of frozen days: calls without a price by
 * reason and name, and the costs of calls with a customer, feature and user.
 */
const coverageMeasures: ReadonlySet<Measure> = new Set([
  ...attributed.map((name) => `${name}_attributed_cost`),
  'unpriced_reasons',
  'partly_priced_names',
]);

/** The measures that are columns of a table, in the order in which cells are written. */
export const measuresIn = (table: CellTable): readonly Measure[] =>
  [...measures.keys()].filter(
    (measure) =>
      (hasSeen(table) || !seenMeasures.has(measure)) && (table === 'narrow_cells' || !coverageMeasures.has(measure)),
  );

/** The measures of a table's cells that outlast their calls. */
export const measuresOfFrozen = (table: CellTable): readonly Measure[] =>
  measuresIn(table).filter((measure) => !coverageMeasures.has(measure));

/** The measures that the cells of a grain hold in a table. */
export const measuresOf = (grain: Grain, table: CellTable): readonly Measure[] =>
  measuresIn(table).filter(
    (measure) =>
      (dimensionsOf(grain).length <= 1 || !seenMeasures.has(measure)) &&
      (grain === 'price' || !coverageMeasures.has(measure)),
  );

/** The columns of a cell that are aggregated from feature runs, in the order in which cells are written. */
export const runColumns = ['run_cost', 'runs', 'max_run_cost'] as const;

/** `(feature_run, cost in the cell)` of runs with other days or customers; of frozen days in `frozen_pieces`. */
export const crossingColumn = 'crossing';
export const noneCrossing = "CAST([], 'Array(Tuple(FixedString(16), Decimal(38, 12)))')";

const definitionOf = (measure: Measure) => {
  const found = measures.get(measure);
  if (!found) throw new Error(`There is no measure ${measure}`);
  return found;
};

const neverSeen = "fromUnixTimestamp64Milli(0, 'UTC')";

/** SQL for the value of a measure that changes no sum when it is added to cells. */
export function neutralOf(measure: Measure): string {
  const { ofCells } = definitionOf(measure);
  if (ofCells === 'sumMap') return `CAST(map(), 'Map(String, ${measure === 'units' ? 'Decimal(38, 12)' : 'UInt64'})')`;
  if (!seenMeasures.has(measure)) return '0';
  return ofCells === 'min' ? "toDateTime64('2299-12-31', 3, 'UTC')" : neverSeen;
}

/** SQL for the value of a measure in a cell that does not hold it. */
export const valueIfNotHeld = (measure: Measure): string =>
  seenMeasures.has(measure) ? neverSeen : neutralOf(measure);

/** SQL that aggregates a measure over several cells. `column` is the measure's own by default. */
export const sumOfCells = (measure: Measure, column: string = measure): string =>
  `${definitionOf(measure).ofCells}(${column})`;

/** A tag of calls: its key, and its value over calls. */
export interface CellTag {
  readonly key: string;
  readonly value: Clause;
}

export interface CellSelection {
  readonly grain: Grain;
  readonly measures: readonly Measure[];
  readonly runs: RunsWanted;
  /** The condition for the calls to aggregate. */
  readonly where: Clause;
  /** The tag of a grain by one, over calls. */
  readonly tag?: Clause | undefined;
}

/** The dimensions of a grain as SELECT expressions over calls, or over what else has its dimensions. */
const selectKey = (grain: Grain, tag: Clause | undefined): string => {
  if (isOfTags(grain) && !tag) throw new Error(`The grain ${grain} needs a tag`);
  return ['day', ...dimensionsOf(grain).map((name) => (name === 'tag' ? `${tag?.sql} AS tag` : name))].join(', ');
};

/** Which run columns to select: none, the plain ones, or also the crossing runs. */
export type RunsWanted = 'none' | 'plain' | 'crossing';

export const columnsOfRuns = (runs: RunsWanted): readonly string[] => {
  if (runs === 'none') return [];
  return runs === 'plain' ? runColumns : [...runColumns, crossingColumn];
};

/**
 * Selects the cells of a grain from the calls, for the rollups of sealed days and for answers about other days. One
 * definition keeps both equal. With crossing runs the query needs the parameters `project` and `base_generation`.
 * @throws Error when `runs` are selected for a grain that holds none
 */
export function selectCells({ grain, measures: asked, runs, where, tag }: CellSelection): Clause {
  const key = ['day', ...dimensionsOf(grain)].join(', ');
  const selected = selectKey(grain, tag);
  const parameters = joinParameters(where.parameters, isOfTags(grain) ? tag?.parameters : undefined);
  if (runs === 'none') {
    const columns = asked.map((measure) => `${definitionOf(measure).ofCalls} AS ${measure}`);
    return {
      sql: `SELECT ${[selected, ...columns].join(', ')} FROM calls FINAL WHERE ${where.sql} GROUP BY ${key}`,
      parameters,
    };
  }
  if (!isRunGrain(grain)) throw new Error(`The grain ${grain} holds no runs`);
  const columns = asked.map((measure) => `${sumOfParts(measure)} AS ${measure}`);
  return {
    sql: `
      SELECT ${[key, ...columns, ...sumsOfRuns(runs)].join(', ')}
      FROM (
        SELECT ${[selected, ...partsOf(['cost', ...asked])].join(', ')}, feature AS part_feature, ${runHash} AS run_hash
        FROM calls FINAL
        WHERE ${where.sql}
        GROUP BY ${key}, part_feature, run_hash
      )
      GROUP BY ${key}`,
    parameters,
  };
}

/** The hash of a run, by which queries group. */
export const runHash = 'sipHash128(run)';

/** SQL that aggregates a measure over calls. */
export const sumOfCalls = (measure: Measure): string => definitionOf(measure).ofCalls;

/** The columns of partial sums between calls and cells: each measure of some calls of a cell. */
export const partsOf = (measures: readonly Measure[]): readonly string[] =>
  [...new Set(measures)].map((measure) => `${definitionOf(measure).ofCalls} AS part_${measure}`);

/** SQL that aggregates a measure over partial sums. */
export const sumOfParts = (measure: Measure): string => sumOfCells(measure, `part_${measure}`);

/** The run columns (D6.7), of rows with the gross cost of a run and feature. No feature, no feature run. */
export const sumRuns = ({ feature, cost }: { readonly feature: string; readonly cost: string }): readonly string[] => [
  `sumIf(${cost}, ${feature} != '') AS run_cost`,
  `countIf(${feature} != '') AS runs`,
  `maxIf(${cost}, ${feature} != '') AS max_run_cost`,
];

/** The run columns of a cell, from rows with `part_feature`, `run_hash` and `part_cost`. */
export function sumsOfRuns(runs: Exclude<RunsWanted, 'none'>): readonly string[] {
  const plain = sumRuns({ feature: 'part_feature', cost: 'part_cost' });
  if (runs === 'plain') return plain;
  const areOfCell = `part_feature != '' AND ${areCrossing}`;
  return [...plain, `groupArrayIf((${featureRun}, part_cost), ${areOfCell}) AS ${crossingColumn}`];
}

/** The identity of a feature run (D6.7). */
export const featureRun = 'sipHash128(run_hash, part_feature)';

/** The condition for runs with several days or customers. */
export const areCrossing = `run_hash IN (
          SELECT run_hash FROM crossing_runs
          WHERE project = {project:String} AND base_generation = {base_generation:UInt64}
        )`;

/** Cells of frozen days with the crossing column, which stored ones lack: a run may begin to cross later. */
export function selectCrossingOfFrozen({ grain, measures: asked, where, tag }: Omit<CellSelection, 'runs'>): Clause {
  const key = ['day', ...dimensionsOf(grain)].join(', ');
  const neutral = [
    ...asked.map((measure) => `${neutralOf(measure)} AS ${measure}`),
    ...runColumns.map((column) => `0 AS ${column}`),
  ];
  return {
    sql: `
      SELECT ${key}, ${neutral.join(', ')}, groupArray((feature_run, part_cost)) AS ${crossingColumn}
      FROM (
        SELECT ${selectKey(grain, tag)}, feature AS part_feature, ${featureRun} AS feature_run, sum(cost) AS part_cost
        FROM frozen_pieces
        WHERE ${where.sql} AND ${areCrossing}
        GROUP BY ${key}, part_feature, run_hash
      )
      GROUP BY ${key}`,
    parameters: joinParameters(where.parameters, isOfTags(grain) ? tag?.parameters : undefined),
  };
}

/** The condition for calls that are their own run (D4.4). */
export const isUnnamedRun = "run = toString(event_id) OR startsWith(run, concat(toString(event_id), '#'))";

/** Costs of named runs, crossing or not, by the tags that are named as dimensions too. Unnamed ones get no further calls: their name is their call's id. */
export const selectPiecesOfNamedRuns = (where: Clause, tags: readonly string[]): Clause => ({
  sql: `SELECT day, run_hash, ${pieceDimensions.join(', ')}, CAST((named, values), 'Map(String, String)') AS tags,
        sum(part_cost) AS cost
      FROM (
        SELECT day, ${runHash} AS run_hash, ${pieceDimensions.join(', ')},
          {named_tags:Array(String)} AS named, arrayMap(name -> calls.tags[name], named) AS values, cost AS part_cost
        FROM calls FINAL
        WHERE ${where.sql} AND feature != '' AND NOT (${isUnnamedRun})
      )
      GROUP BY day, run_hash, ${pieceDimensions.join(', ')}, named, values`,
  parameters: { ...where.parameters, named_tags: tags },
});
