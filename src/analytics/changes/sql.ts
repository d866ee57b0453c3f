import { type Measure, sumOfCells } from '../../calls/rollups/cells.ts';
import type { Clause } from '../../clickhouse/clause.ts';
import { usageColumns } from '../../clickhouse/table-columns.ts';
import { type CellSource, readingWhole } from '../cells.ts';
import type { CostBasis } from '../cost-basis.ts';
import type { UnitCounts } from '../units.ts';
import { dimensionColumns } from '../where.ts';

/** Whose calls are grouped: those of a customer or of a feature. */
export type Owner = 'customer' | 'feature';

/** The calls of an owner with one model, as the store returns them: money and whole numbers as text. */
export interface GroupRecord {
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

/** The measures of groups, as column names of cells. */
export const groupMeasures: readonly Measure[] = ['calls', 'errors', 'cost', ...usageColumns, 'units'];

export interface GroupSelection {
  readonly owner: Owner;
  /** Cells with the owner, the provider and the model, and with `groupMeasures`. */
  readonly cells: CellSource;
  readonly basis: CostBasis;
}

/** The groups of a range: every owner with each of its models. */
export function selectGroups({ owner, cells, basis }: GroupSelection): Clause {
  const sums = ['calls', 'errors', 'units'].map((measure) => `${sumOfCells(measure)} AS sum_${measure}`);
  return {
    sql: `
      SELECT ${dimensionColumns[owner]} AS owner, provider AS group_provider, model AS group_model,
        ${sums.join(', ')}, sum(${basis.expression}) AS sum_cost,
        [${usageColumns.map((column) => sumOfCells(column)).join(', ')}] AS tokens
      FROM ${cells.from} ${basis.join}
      WHERE ${cells.where.sql}
      GROUP BY owner, group_provider, group_model
      ${readingWhole}`,
    parameters: { ...cells.where.parameters, ...basis.parameters },
  };
}
