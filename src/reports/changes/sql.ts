import { type Measure, sumOfCells } from '../../rollups/rollups/cells.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import { usageColumns } from '../../storage/analytic/usage-columns.ts';
import { type CellSource, readingWhole } from '../asking/cells.ts';
import type { CostBasis } from '../asking/cost-basis.ts';
import type { UnitCounts } from '../asking/usage-fields.ts';

/** The owner by which calls are grouped: a customer or a feature. */
export const owners = ['customer', 'feature'] as const;
export type Owner = (typeof owners)[number];

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

export interface GroupSelection {
  /** For each owner: cells with it, the provider and the model, and with `groupMeasures`. */
  readonly cells: Readonly<Record<Owner, CellSource>>;
  readonly basis: CostBasis;
}

/**
 * The groups of a range: each customer with each of its models, and the same for features. One statement reads both,
 * because calls can arrive between two statements: then customers and features would add up to different costs.
 */
export function selectGroups({ cells, basis }: GroupSelection): Clause {
  const sums = ['calls', 'errors', 'units'].map((measure) => `${sumOfCells(measure)} AS sum_${measure}`);
  const parts = owners.map(
    (owner) => `
        SELECT '${owner}' AS owner_kind, ${owner} AS owner, provider AS group_provider,
          model AS group_model, ${sums.join(', ')}, sum(${basis.expression}) AS sum_cost,
          [${usageColumns.map((column) => sumOfCells(column)).join(', ')}] AS tokens
        FROM ${cells[owner].from} ${basis.join}
        WHERE ${cells[owner].where.sql}
        GROUP BY owner, group_provider, group_model`,
  );
  return {
    sql: `
      SELECT * FROM (${parts.join(' UNION ALL ')}
      )
      ${readingWhole}`,
    parameters: joinParameters(...owners.map((owner) => cells[owner].where.parameters), basis.parameters),
  };
}
