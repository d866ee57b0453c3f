import type { Clause } from '../../clickhouse/clause.ts';
import { allMeasures, measuresOf, neverSeen, partsOf, runHash, sumOfParts, sumsOfRuns } from './cells.ts';
import {
  type CellDimension,
  type CellTable,
  cellTables,
  dimensionsOf,
  type Grain,
  grainNames,
  isRunGrain,
  tablesOf,
} from './grains.ts';

/** A grouping of the calls of a day. The cells of its grains are sums of its rows. */
interface Level {
  readonly grains: readonly Grain[];
  readonly dimensions: readonly CellDimension[];
  readonly hasRuns: boolean;
}

/**
 * SQL for the cells of all grains of a table: `grain`, `day` and the columns of the table, empty where the grain lacks
 * them. It says for each grain what `selectCells` says, with one reading of the calls and a quarter of the text: each
 * call is counted in every level, and each row of a level in the cells of its grains. `GROUPING SETS` would say the
 * same, but ClickHouse does not support `grouping` over Distributed tables.
 */
export function selectGrains(table: CellTable, where: Clause): string {
  const grains = grainNames.filter((grain) => tablesOf(grain).includes(table));
  const levels = levelsOf(grains);
  const dimensions = cellTables[table];

  const ofLevels = (is: (level: Level) => boolean) => `level IN [${numbersOf(levels, is).join(', ')}]`;
  const levelKeys = dimensions.map(
    (name) => `if(${ofLevels((level) => level.dimensions.includes(name))}, ${name}, '') AS part_${name}`,
  );
  const runKey = `if(${ofLevels(({ hasRuns }) => hasRuns)}, ${runHash}, toFixedString('', 16)) AS run_hash`;

  const ofGrains = (is: (grain: Grain) => boolean) => `grain IN ${listOf(grains.filter(is))}`;
  const cellKeys = dimensions.map(
    (name) => `if(${ofGrains((grain) => dimensionsOf(grain).includes(name))}, part_${name}, '') AS ${name}`,
  );
  const sums = allMeasures.map((measure) => {
    const isHeld = (grain: Grain) => measuresOf(grain, table).includes(measure);
    const sum = sumOfParts(measure);
    return `${grains.every(isHeld) ? sum : `if(${ofGrains(isHeld)}, ${sum}, ${neverSeen})`} AS ${measure}`;
  });
  const runs = sumsOfRuns('crossing', `part_feature != '' AND ${ofGrains(isRunGrain)}`);

  return `
    SELECT ${['grain', 'day', ...cellKeys, ...sums, ...runs].join(', ')}
    FROM (
      SELECT level, day, ${[...levelKeys, runKey, ...partsOf(allMeasures)].join(', ')}
      FROM calls FINAL ARRAY JOIN [${[...levels.keys()].join(', ')}] AS level
      WHERE ${where.sql}
      GROUP BY level, day, ${dimensions.map((name) => `part_${name}`).join(', ')}, run_hash
    )
    ARRAY JOIN [${levels.map((level) => listOf(level.grains)).join(', ')}][level + 1] AS grain
    GROUP BY grain, day, ${dimensions.join(', ')}`;
}

/**
 * Grains that differ in the feature alone have one level, by feature if one of them needs it; cells with runs are sums
 * over feature runs.
 */
function levelsOf(grains: readonly Grain[]): readonly Level[] {
  const others = (grain: Grain) => dimensionsOf(grain).filter((name) => name !== 'feature');
  const alike = Map.groupBy(grains, (grain) => [...others(grain), isRunGrain(grain)].join());
  return Array.from(alike.values(), (ofLevel) => ({
    grains: ofLevel,
    dimensions: [
      ...new Set(
        ofLevel.flatMap((grain) => [...dimensionsOf(grain), ...(isRunGrain(grain) ? ['feature' as const] : [])]),
      ),
    ],
    hasRuns: ofLevel.some(isRunGrain),
  }));
}

const numbersOf = <T>(list: readonly T[], is: (one: T) => boolean): number[] =>
  list.flatMap((one, number) => (is(one) ? [number] : []));

const listOf = (grains: readonly Grain[]): string => `[${grains.map((grain) => `'${grain}'`).join(', ')}]`;
