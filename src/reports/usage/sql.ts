import { type Measure, neutralOf, sumOfCalls, sumOfCells } from '../../rollups/rollups/cells.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import { usageColumns } from '../../storage/analytic/tables/usage-columns.ts';
import { type CellSource, wholeRows } from '../asking/cells.ts';
import type { PagePlan, PlacedRecord } from '../asking/page.ts';
import { afterCursor, keyOfRows } from '../asking/period-sql.ts';
import type { UnitCounts } from '../asking/usage-fields.ts';

/** A row as the store returns it: whole numbers as text. */
export interface UsageRecord extends PlacedRecord {
  readonly sum_calls: string;
  readonly sum_errors: string;
  readonly sum_unpriced_calls: string;
  readonly sum_partly_priced_calls: string;
  /** In the order of `usageColumns`. */
  readonly tokens: readonly string[];
  readonly sum_units: UnitCounts;
  /** In nanoseconds. */
  readonly sum_elapsed_sum: string;
  readonly sum_elapsed_max: number;
}

export const usageMeasures: readonly Measure[] = [
  'calls',
  'errors',
  'unpriced_calls',
  'partly_priced_calls',
  'elapsed_sum',
  'elapsed_max',
  ...usageColumns,
  'units',
];

/** Measures that few projects have all of, and whose sum over a project tells whether any call has them. */
export const countable: readonly Measure[] = [...usageColumns, 'units'];

export interface UsageSelection {
  /** Cells of a grain that fits the question, or the selected calls. */
  readonly source: CellSource;
  readonly of: 'cells' | 'calls';
  readonly plan: PagePlan;
  /** Of a row; undefined if rows are not grouped. */
  readonly value: Clause | undefined;
  /** Measures that need not be read, because they are 0 everywhere. */
  readonly unused: ReadonlySet<Measure>;
}

/** Calls, errors, tokens, units and times by period and value. */
export function selectUsage({ source, of, plan, value, unused }: UsageSelection) {
  const sumOf = (measure: Measure) =>
    unused.has(measure) ? neutralOf(measure) : of === 'cells' ? sumOfCells(measure) : sumOfCalls(measure);
  const after = afterCursor(plan);
  const key = keyOfRows(plan, value);
  return {
    sql: `
      SELECT ${key.select},
        ${usageMeasures.map((measure) => `${sumOf(measure)} AS sum_${measure}`).join(', ')},
        [${usageColumns.map((column) => `sum_${column}`).join(', ')}] AS tokens
      FROM ${source.from}
      WHERE (${source.where.sql}) AND (${after.sql})
      ${key.end}
      ${wholeRows}`,
    parameters: joinParameters(source.where.parameters, after.parameters, key.parameters),
  };
}
