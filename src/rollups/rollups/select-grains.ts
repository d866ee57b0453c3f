import type { Clause } from '../../storage/analytic/clause.ts';
import { type CellKey, type CellTable, cellTables } from '../../storage/analytic/tables/rollups.ts';
import {
  crossingColumn,
  type Measure,
  measuresIn,
  measuresOf,
  noneCrossing,
  partsOf,
  runColumns,
  runHash,
  sumOfCalls,
  sumOfParts,
  sumsOfRuns,
  valueIfNotHeld,
} from './cells.ts';
import { dimensionsOf, type Grain, grainNames, isRunGrain, tablesOf } from './grains.ts';

/**
 * SQL for the cells of all grains of a table: `grain`, `day` and the columns of the table, which are empty if the grain
 * lacks them. For each grain, the result is that of `selectCells`. But this SQL reads the calls only twice, once for
 * the grains with runs and once for the others: it repeats every call for each grain.
 */
export function selectGrains(table: CellTable, where: Clause): string {
  const grains = grainNames.filter((grain) => tablesOf(grain).includes(table));
  const [withRuns, others] = [grains.filter(isRunGrain), grains.filter((grain) => !isRunGrain(grain))];
  return `${selectWithRuns(table, withRuns, where)} UNION ALL ${selectOthers(table, others, where)}`;
}

/** Repeats every call for each grain, and in the table of tags for each of them: it needs the parameter `named_tags`. */
function eachGrain(table: CellTable, grains: readonly Grain[]): string {
  if (table !== 'tag_cells') return `ARRAY JOIN ${listOf(grains)} AS grain`;
  return `ARRAY JOIN arrayFlatten(arrayMap(name -> arrayMap(one -> (one, name), ${listOf(grains)}), {named_tags:Array(String)})) AS repeated`;
}

function selectWithRuns(table: CellTable, grains: readonly Grain[], where: Clause): string {
  const keys = cellTables[table];
  const held = measuresIn(table).filter((measure) => grains.some((grain) => isHeld(measure, grain, table)));
  return `
    SELECT grain, day, ${keys.map((name) => `cell_${name} AS ${name}`).join(', ')},
      ${[...sums(table, grains, sumOfParts), ...sumsOfRuns('crossing')].join(', ')}
    FROM (
      SELECT ${[...cellKeys(table, grains), ...partsOf(held)].join(', ')}, feature AS part_feature, ${runHash} AS run_hash
      FROM calls FINAL ${eachGrain(table, grains)}
      WHERE ${where.sql}
      GROUP BY grain, day, ${keys.map((name) => `cell_${name}`).join(', ')}, part_feature, run_hash
    )
    GROUP BY grain, day, ${keys.map((name) => `cell_${name}`).join(', ')}`;
}

/** The columns are in the order of those above, because a UNION matches columns by position. */
function selectOthers(table: CellTable, grains: readonly Grain[], where: Clause): string {
  const noRuns = [...runColumns.map((name) => `0 AS ${name}`), `${noneCrossing} AS ${crossingColumn}`];
  return `
    SELECT ${[...cellKeys(table, grains), ...sums(table, grains, sumOfCalls), ...noRuns].join(', ')}
    FROM calls FINAL ${eachGrain(table, grains)}
    WHERE ${where.sql}
    GROUP BY grain, day, ${cellTables[table].map((name) => `cell_${name}`).join(', ')}`;
}

/** The dimensions of a cell of the grain; '' for those that it lacks. */
const cellKeys = (table: CellTable, grains: readonly Grain[]): string[] => [
  table === 'tag_cells' ? 'repeated.1 AS grain' : 'grain',
  'day',
  ...cellTables[table].map((name) => `${cellKey(name, grains)} AS cell_${name}`),
];

function cellKey(name: CellKey, grains: readonly Grain[]): string {
  // The tags that can be named repeat no column, so the text of each is stored whole (calls/costing/call-tags.ts).
  if (name === 'tag_key') return 'repeated.2';
  const column = name === 'tag' ? 'tags[repeated.2]' : name;
  return whereSome(grains, (grain) => dimensionsOf(grain).includes(name), column, "''");
}

/** The measures of a cell of the grain. Those that the grain lacks are empty. */
const sums = (table: CellTable, grains: readonly Grain[], sumOf: (measure: Measure) => string): string[] =>
  measuresIn(table).map((measure) => {
    const holds = (grain: Grain) => isHeld(measure, grain, table);
    return `${whereSome(grains, holds, sumOf(measure), valueIfNotHeld(measure))} AS ${measure}`;
  });

const isHeld = (measure: Measure, grain: Grain, table: CellTable): boolean =>
  measuresOf(grain, table).includes(measure);

/** One value for some of the grains, and another for the others. */
function whereSome(grains: readonly Grain[], is: (grain: Grain) => boolean, value: string, other: string): string {
  const some = grains.filter(is);
  if (some.length === grains.length) return value;
  return some.length === 0 ? other : `if(grain IN ${listOf(some)}, ${value}, ${other})`;
}

const listOf = (grains: readonly Grain[]): string => `[${grains.map((grain) => `'${grain}'`).join(', ')}]`;
