import { type CellSource, wholeRows } from '../../../reports/asking/cells.ts';
import type { UnitCounts } from '../../../reports/asking/usage-fields.ts';
import { type Measure, sumOfCells } from '../../../rollups/rollups/cells.ts';
import { type Clause, joinParameters } from '../../../storage/analytic/clause.ts';
import { usageColumns } from '../../../storage/analytic/tables/usage-columns.ts';

/** Calls with one model, as the store returns them: money and whole numbers as text. */
export interface UsageRow {
  readonly is_moved: number;
  readonly used_day: number;
  readonly provider_day: number;
  readonly used_provider: string;
  readonly used_model: string;
  readonly sum_calls: string;
  readonly sum_unpriced: string;
  readonly sum_cost: string;
  /** In the order of `usageColumns`. */
  readonly tokens: readonly string[];
  readonly sum_units: UnitCounts;
}

/** The measures of a usage row, as column names of cells. */
export const reconciledMeasures: readonly Measure[] = ['calls', 'unpriced_calls', 'cost', ...usageColumns, 'units'];

const key = 'used_day, provider_day, used_provider, used_model';

/**
 * The usage and cost of calls by day, provider and model, and again only for calls on another day at the provider. One
 * statement reads both, because calls can arrive between two statements: then more calls could be on another day than
 * there are calls.
 */
export function selectUsage(cells: CellSource, moved: Clause | undefined): Clause {
  const ofCells = `
        SELECT 0 AS is_moved, toUInt32(toUInt16(day)) AS used_day, used_day AS provider_day,
          provider AS used_provider, model AS used_model, ${sumOfCells('calls')} AS sum_calls,
          ${sumOfCells('unpriced_calls')} AS sum_unpriced, ${sumOfCells('cost')} AS sum_cost,
          [${usageColumns.map((column) => sumOfCells(column)).join(', ')}] AS tokens, ${sumOfCells('units')} AS sum_units
        FROM ${cells.from}
        WHERE ${cells.where.sql}
        GROUP BY ${key}`;
  if (!moved) return { sql: `${ofCells} ${wholeRows}`, parameters: cells.where.parameters };
  return {
    sql: `
      SELECT * FROM (${ofCells}
        UNION ALL
        SELECT 1 AS is_moved, toUInt32(toUInt16(day)) AS used_day, toUInt32(toUInt16(toDate(time, 'UTC'))) AS provider_day,
          provider AS used_provider, model AS used_model, count() AS sum_calls,
          countIf(unpriced_reason != '') AS sum_unpriced, sum(cost) AS sum_cost,
          [${usageColumns.map((column) => `sum(${column})`).join(', ')}] AS tokens, sumMap(units) AS sum_units
        FROM calls FINAL
        WHERE ${moved.sql} AND toDate(time, 'UTC') != day
        GROUP BY ${key}
      )`,
    parameters: joinParameters(cells.where.parameters, moved.parameters),
  };
}

/** The tokens of calls without a price, by day, provider and model. */
export interface UnpricedRow {
  readonly used_day: number;
  readonly used_provider: string;
  readonly used_model: string;
  readonly unpriced_tokens: string;
}

export const selectUnpriced = (calls: Clause): Clause => ({
  sql: `
      SELECT toUInt32(toUInt16(day)) AS used_day, provider AS used_provider, model AS used_model,
        sum(${usageColumns.join(' + ')}) AS unpriced_tokens
      FROM calls FINAL
      WHERE ${calls.sql} AND unpriced_reason != ''
      GROUP BY used_day, used_provider, used_model`,
  parameters: calls.parameters,
});
