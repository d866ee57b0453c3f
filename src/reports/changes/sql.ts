import type { WatchedDimension } from '../../lib/dimensions.ts';
import { type Measure, sumOfCalls, sumOfCells } from '../../rollups/rollups/cells.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import { usageColumns } from '../../storage/analytic/tables/usage-columns.ts';
import { type CellSource, wholeRows } from '../asking/cells.ts';
import type { CostBasis } from '../asking/cost-basis.ts';
import type { UnitCounts } from '../asking/usage-fields.ts';

/** The owner by which calls are grouped, beside their models: a customer, say, or a value of a tag of the calls. */
export type Owner = Exclude<WatchedDimension, 'model'> | 'tag';

/** The calls of an owner with one model, as the store returns them: money and whole numbers as text. */
export interface GroupRecord {
  readonly owner_kind: Owner;
  readonly owner: string;
  readonly group_provider: string;
  readonly group_model: string;
  readonly sum_calls: string;
  readonly sum_errors: string;
  readonly sum_cost: string;
  /** In the order of `usageColumns`. */
  readonly tokens: readonly string[];
  readonly sum_units: UnitCounts;
}

export const groupMeasures: readonly Measure[] = ['calls', 'errors', 'cost', ...usageColumns, 'units'];

/** The groups of one kind of owner, from cells or from calls. */
export interface OwnedCalls {
  readonly owner: Owner;
  readonly source: CellSource;
  readonly of: 'cells' | 'calls';
  /** SQL for the owner. */
  readonly value: Clause;
}

export interface GroupSelection {
  readonly owned: readonly OwnedCalls[];
  readonly basis: CostBasis;
}

/**
 * The groups of a range: each customer with each of its models, and the same for other owners. One statement reads all,
 * because calls can arrive between two statements: then customers and features would add up to different costs.
 */
export function selectGroups({ owned, basis }: GroupSelection): Clause {
  const parts = owned.map(({ owner, source, of, value }) => {
    const sumOf = of === 'cells' ? (measure: Measure) => sumOfCells(measure) : sumOfCalls;
    const sums = ['calls', 'errors', 'units'].map((measure) => `${sumOf(measure)} AS sum_${measure}`);
    return `
        SELECT '${owner}' AS owner_kind, ${value.sql} AS owner, provider AS group_provider,
          model AS group_model, ${sums.join(', ')}, sum(${basis.expression}) AS sum_cost,
          [${usageColumns.map(sumOf).join(', ')}] AS tokens
        FROM ${source.from} ${basis.join}
        WHERE ${source.where.sql}
        GROUP BY owner, group_provider, group_model`;
  });
  return {
    sql: `
      SELECT * FROM (${parts.join(' UNION ALL ')}
      )
      ${wholeRows}`,
    parameters: joinParameters(
      ...owned.flatMap(({ source, value }) => [source.where.parameters, value.parameters]),
      basis.parameters,
    ),
  };
}
