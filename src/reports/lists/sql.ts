import type { Dimension } from '../../lib/dimensions.ts';
import type { Measure } from '../../rollups/rollups/cells.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import type { CellSource } from '../asking/cells.ts';
import { all } from '../asking/where.ts';

/** A value that calls have; times are in milliseconds since 1970. */
export interface SeenRecord {
  readonly name: string;
  readonly first_seen: string;
  readonly last_seen: string;
  readonly calls: string;
}

export interface SeenSelection {
  /** The cells of the dimension, with `seenMeasures`. */
  readonly cells: CellSource;
  readonly dimension: Dimension;
  readonly search: string;
  readonly after: string | undefined;
  readonly most: number;
}

export const seenMeasures: readonly Measure[] = ['calls', 'first_time', 'last_time'];

/** The values of a dimension that calls have, in order. */
export function selectSeen({ cells, dimension: column, search, after, most }: SeenSelection) {
  const conditions = all([
    ...(after === undefined ? [] : [{ sql: `${column} > {after:String}`, parameters: { after } }]),
    ...(search === '' ? [] : [contains(column, search)]),
  ]);
  return {
    sql: `
      SELECT ${column} AS name, toUnixTimestamp64Milli(min(first_time)) AS first_seen,
        toUnixTimestamp64Milli(max(last_time)) AS last_seen, sum(cells.calls) AS calls
      FROM ${cells.from}
      WHERE (${cells.where.sql}) AND (${conditions.sql})
      GROUP BY name
      ORDER BY name
      LIMIT {most:UInt32}`,
    parameters: joinParameters(cells.where.parameters, conditions.parameters, { most }),
  };
}

/** The names that contain a text. ClickHouse compares these too, so that lower case is the same for all names. */
export function selectMatching(names: readonly string[], search: string): Clause {
  const match = contains('name', search);
  return {
    sql: `SELECT name FROM (SELECT arrayJoin({names:Array(String)}) AS name) WHERE ${match.sql}`,
    parameters: joinParameters(match.parameters, { names }),
  };
}

const contains = (column: string, search: string): Clause => ({
  sql: `position(${inLowerCase(column)}, ${inLowerCase('{search:String}')}) > 0`,
  parameters: { search },
});

/** Unicode lower case, with one sigma: `ΟΔΟΣ` must be found in `ΟΔΟΣΑ`. */
const inLowerCase = (text: string): string => `replaceAll(lowerUTF8(${text}), 'ς', 'σ')`;
