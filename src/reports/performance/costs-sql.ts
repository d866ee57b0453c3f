import type { Period } from '../../lib/days.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import type { CellSource } from '../asking/cells.ts';
import type { CostBasis } from '../asking/cost-basis.ts';
import type { PeriodRecord } from '../asking/page.ts';
import { afterPosition, periodOfCall, type RowWindow } from '../asking/period-sql.ts';

/** The cost of a row as the store returns it, as decimal text, and the costs of the requested features. */
export interface CostRecord extends PeriodRecord {
  readonly cost: string;
  readonly by_feature: readonly (readonly [feature: string, cost: string])[];
}

export interface CostSelection {
  readonly table: CellSource;
  /** Restricts users, besides the filters of the table. */
  readonly where: Clause;
  /** All cells that `table` and `where` read. */
  readonly cells: readonly [CellSource, ...CellSource[]];
  readonly basis: CostBasis;
  readonly periods: readonly Period[];
  /** The features whose costs are returned separately. */
  readonly features: readonly string[];
  /** Of a row; undefined if rows are not grouped. */
  readonly value: Clause | undefined;
}

/** The costs of the first rows with calls after a position. */
export function selectCosts(
  { table, where, basis, periods, features, value }: CostSelection,
  { after, limit }: RowWindow,
): Clause {
  const start = afterPosition(after);
  const period = periodOfCall(periods);
  return {
    sql: `
      SELECT period, value, sum(part_cost) AS cost,
        groupArrayIf((part_feature, part_cost), part_feature IN (SELECT arrayJoin({metric_features:Array(String)}))) AS by_feature
      FROM (
        SELECT ${period.sql} AS period, ${value?.sql ?? "''"} AS value,
          ${features.length > 0 ? 'feature' : "''"} AS part_feature, sum(${basis.expression}) AS part_cost
        FROM ${table.from} ${basis.join}
        WHERE (${table.where.sql}) AND (${where.sql})
        GROUP BY period, value, part_feature
      )
      WHERE ${start.sql}
      GROUP BY period, value
      ORDER BY period, value
      LIMIT {limit:UInt32}`,
    parameters: joinParameters(
      table.where.parameters,
      where.parameters,
      basis.parameters,
      start.parameters,
      period.parameters,
      value?.parameters,
      { metric_features: features, limit },
    ),
  };
}
