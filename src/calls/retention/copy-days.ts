import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import type { Clause } from '../../clickhouse/clause.ts';
import { type Day, toDayNumber } from '../../lib/days.ts';
import { allMeasures, neutralOf, runColumns, sumOfCells } from '../rollups/cells.ts';
import { cellDimensions } from '../rollups/grains.ts';
import { sealColumn } from '../rollups/seal-numbers.ts';

/** Days of a project with the seals that count, to be copied under other seals. */
export interface SealedDays {
  readonly projectId: string;
  readonly days: readonly { readonly day: Day; readonly seal: number }[];
  /** The version that the new seals are made of. */
  readonly version: number;
}

/** Whose name is taken off: what it cost stays, as cost of nobody. */
export interface ErasedName {
  readonly dimension: 'customer' | 'user';
  readonly name: string;
}

type Store = Pick<AnalyticStore, 'commandOnce'>;

/** The rows of the seals. */
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

/** Copies the cells of days; of one month, so that the INSERT is all or nothing. */
export async function copyCells(store: Store, copied: SealedDays, erased?: ErasedName): Promise<void> {
  const where = underSeals(copied);
  const kept = (dimension: string): string => (dimension === erased?.dimension ? withoutName(dimension) : dimension);
  const key = ['grain', 'day', ...cellDimensions.map((dimension) => `kept_${dimension}`)].join(', ');
  const parts = [
    `SELECT toString(grain) AS grain, day, ${cellDimensions.map((name) => `toString(${kept(name)}) AS kept_${name}`).join(', ')},
      ${allMeasures.join(', ')}, run_cost, toInt64(runs) AS runs, max_run_cost
    FROM cells WHERE ${where.sql}`,
    ...(erased?.dimension === 'customer' ? mergedRuns(where.sql) : []),
  ];
  await store.commandOnce(
    `INSERT INTO cells (project, grain, day, seal, ${cellDimensions.join(', ')}, ${allMeasures.join(', ')}, ${runColumns.join(', ')})
      SELECT {project:String}, grain, day, ${sealColumn}, ${cellDimensions.map((name) => `kept_${name}`).join(', ')},
        ${allMeasures.map((measure) => `${sumOfCells(measure)} AS sum_${measure}`).join(', ')},
        sum(run_cost), toUInt64(sum(runs)), max(max_run_cost)
      FROM (${parts.join(' UNION ALL ')})
      GROUP BY ${key}`,
    { ...where.parameters, ...(erased && { erased: erased.name }) },
  );
}

/**
 * A feature run that the erased customer and nobody shared was one in each of their cells, and is one now; what it cost may
 * be more than either of both.
 */
function mergedRuns(underSeals: string): string[] {
  const shared = `SELECT day, feature, sum(cost) AS run_total FROM frozen_pieces
    WHERE ${underSeals} AND customer IN ('', {erased:String})
    GROUP BY day, run_hash, feature HAVING uniqExact(customer) = 2`;
  return (['customer', 'customer_feature'] as const).map(
    (grain) => `SELECT '${grain}' AS grain, day, '' AS kept_customer, '' AS kept_user,
      ${grain === 'customer_feature' ? 'toString(feature)' : "''"} AS kept_feature, '' AS kept_provider, '' AS kept_model,
      ${allMeasures.map((measure) => `${neutralOf(measure)} AS ${measure}`).join(', ')},
      toDecimal128(0, 12) AS run_cost, toInt64(-1) AS runs, run_total AS max_run_cost
    FROM (${shared})`,
  );
}

/** Copies what named runs cost on days. */
export async function copyPieces(store: Store, copied: SealedDays, erased: ErasedName): Promise<void> {
  const where = underSeals(copied);
  const customer = erased.dimension === 'customer' ? withoutName('customer') : 'customer';
  await store.commandOnce(
    `INSERT INTO frozen_pieces (project, day, seal, run_hash, customer, feature, provider, model, cost)
      SELECT project, day, ${sealColumn}, run_hash, ${customer}, feature, provider, model, cost
      FROM frozen_pieces WHERE ${where.sql}`,
    { ...where.parameters, erased: erased.name },
  );
}

/** Copies what is kept of the custom events of days. */
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
