import { type Day, toDayNumber } from '../../lib/days.ts';
import type { TaggedDimension } from '../../lib/dimensions.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import {
  type CellKey,
  type CellTable,
  cellTableNames,
  cellTables,
  pieceDimensions,
} from '../../storage/analytic/tables/rollups.ts';
import { type Measure, measuresOfFrozen, neutralOf, runColumns, sumOfCells } from '../rollups/cells.ts';
import type { Grain } from '../rollups/grains.ts';
import { sealColumn } from '../rollups/seal-numbers.ts';

/** Days of a project and their valid seals. They are copied under new seals. */
export interface SealedDays {
  readonly projectId: string;
  readonly days: readonly { readonly day: Day; readonly seal: number }[];
  /** The version from which the new seals are computed. */
  readonly version: number;
}

/** The name to remove. Its costs stay under the empty name. */
export interface ErasedName {
  readonly dimension: TaggedDimension;
  readonly name: string;
}

type Store = Pick<AnalyticStore, 'commandOnce'>;

/** The condition for the rows of these seals. */
function underSeals({ projectId, days, version }: SealedDays): Clause {
  const numbers = days.map(({ day }) => toDayNumber(day));
  return {
    sql: `project = {project:String} AND toUInt16(day) >= {first_day:UInt16} AND toUInt16(day) <= {last_day:UInt16}
      AND seal IN (SELECT arrayJoin({seals:Array(UInt64)}))`,
    parameters: {
      project: projectId,
      first_day: Math.min(...numbers),
      last_day: Math.max(...numbers),
      seals: days.map(({ seal }) => seal),
      seal_version: version,
    },
  };
}

/** Copies the cells of days. The days must be in one month, so that each INSERT is all or nothing. */
export async function copyCells(store: Store, copied: SealedDays, erased?: ErasedName): Promise<void> {
  const where = underSeals(copied);
  // Keep the order of the tables: clean-up looks for unused seals in the first one.
  for (const table of cellTableNames) {
    const dimensions: readonly CellKey[] = cellTables[table];
    const isNamed = erased !== undefined && dimensions.includes(erased.dimension);
    const columns = ['grain', 'day', ...dimensions, ...measuresOfFrozen(table), ...runColumns];
    const rows = isNamed ? withoutNameIn(table, erased, where.sql) : `SELECT * FROM ${table} WHERE ${where.sql}`;
    await store.commandOnce(
      `INSERT INTO ${table} (project, seal, ${columns.join(', ')})
        SELECT {project:String}, ${sealColumn}, ${columns.join(', ')} FROM (${rows})`,
      { ...where.parameters, ...(erased && { erased: erased.name }) },
    );
  }
}

/** SQL for the cells of a table, with those of the erased name merged into those of the empty name. */
function withoutNameIn(table: CellTable, erased: ErasedName, underSeals: string): string {
  const dimensions: readonly CellKey[] = cellTables[table];
  const measures = measuresOfFrozen(table);
  const keep = (name: CellKey) => (name === erased.dimension ? withoutName(name) : name);
  const parts = [
    `SELECT toString(grain) AS kept_grain, day AS kept_day,
      ${dimensions.map((name) => `toString(${keep(name)}) AS kept_${name}`).join(', ')},
      ${measures.map((measure) => `${measure} AS part_${measure}`).join(', ')},
      run_cost AS part_run_cost, toInt64(runs) AS part_runs, max_run_cost AS part_max_run_cost
    FROM ${table} WHERE ${underSeals}`,
    ...(erased.dimension === 'customer' ? mergedRuns(table, measures, underSeals) : []),
  ];
  return `SELECT kept_grain AS grain, kept_day AS day, ${dimensions.map((name) => `kept_${name} AS ${name}`).join(', ')},
      ${measures.map((measure) => `${sumOfCells(measure, `part_${measure}`)} AS ${measure}`).join(', ')},
      sum(part_run_cost) AS run_cost, toUInt64(sum(part_runs)) AS runs, max(part_max_run_cost) AS max_run_cost
    FROM (${parts.join(' UNION ALL ')})
    GROUP BY kept_grain, kept_day, ${dimensions.map((name) => `kept_${name}`).join(', ')}`;
}

/**
 * Corrections for feature runs that the erased customer shared with the empty name. Such a run counts once in each of
 * the two cells, but must count only once in the merged cell. There its cost may be a new maximum.
 */
function mergedRuns(table: CellTable, measures: readonly Measure[], underSeals: string): string[] {
  const dimensions: readonly CellKey[] = cellTables[table];
  const shared = (
    by: string,
    names: string,
    joined: string,
  ) => `SELECT day, feature, ${by} sum(cost) AS run_total FROM frozen_pieces ${joined}
    WHERE ${underSeals} AND customer IN ('', {erased:String})
    GROUP BY day, run_hash, ${names} feature HAVING uniqExact(customer) = 2`;
  const correct = (grain: Grain, from: string, ofKey: (name: CellKey) => string) =>
    `SELECT '${grain}', day, ${dimensions.map(ofKey).join(', ')},
      ${measures.map(neutralOf).join(', ')}, toDecimal128(0, 12), toInt64(-1), run_total
    FROM (${from})`;
  if (table === 'tag_cells') {
    const keys = `(SELECT groupUniqArray(tag_key) FROM tag_cells WHERE ${underSeals})`;
    const ofTag = shared(
      'toString(name) AS tag_key, tags[name] AS tag,',
      'tag_key, tag,',
      `ARRAY JOIN ${keys} AS name`,
    );
    return [correct('tag_customer', ofTag, (name) => (name === 'tag_key' || name === 'tag' ? name : "''"))];
  }
  return (['customer', 'customer_feature'] as const).map((grain) =>
    correct(grain, shared('', '', ''), (name) =>
      grain === 'customer_feature' && name === 'feature' ? 'toString(feature)' : "''",
    ),
  );
}

/** Copies the costs of named runs on days. */
export async function copyPieces(store: Store, copied: SealedDays, erased: ErasedName): Promise<void> {
  const where = underSeals(copied);
  const kept = pieceDimensions.map((name) => (name === erased.dimension ? withoutName(name) : name));
  await store.commandOnce(
    `INSERT INTO frozen_pieces (project, day, seal, run_hash, ${pieceDimensions.join(', ')}, tags, cost)
      SELECT project, day, ${sealColumn}, run_hash, ${kept.join(', ')}, tags, cost
      FROM frozen_pieces WHERE ${where.sql}`,
    { ...where.parameters, erased: erased.name },
  );
}

/** Copies the readings of custom events on days. */
export async function copyReadings(store: Store, copied: SealedDays, erased: ErasedName): Promise<void> {
  const where = underSeals(copied);
  const user = erased.dimension === 'user' ? withoutName('user') : 'user';
  await store.commandOnce(
    `INSERT INTO frozen_readings (project, day, seal, reading, user, fed, sum, rest, hashes)
      SELECT project, day, ${sealColumn}, reading, ${user}, fed, sum, rest, hashes
      FROM frozen_readings WHERE ${where.sql}`,
    { ...where.parameters, erased: erased.name },
  );
}

const withoutName = (column: string): string => `if(${column} = {erased:String}, '', ${column})`;
