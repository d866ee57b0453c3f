import { type Measure, sumOfCells } from '../../rollups/rollups/cells.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import { usageColumns } from '../../storage/analytic/usage-columns.ts';
import { type CellSource, readingWhole } from '../asking/cells.ts';
import type { CostBasis } from '../asking/cost-basis.ts';
import type { PagePlan, PlacedRecord } from '../asking/page.ts';
import { afterCursor, keyOfRows } from '../asking/period-sql.ts';
import type { UnitCounts } from '../asking/units.ts';

/** A charge as the store returns it: money and whole numbers as text. */
export interface ChargeRecord extends PlacedRecord {
  /** A JSON array: provider, model, customer, and the category of the charge. */
  readonly value: string;
  readonly sum_calls: string;
  readonly gross: string;
  readonly net: string;
  /** In the order of `usageColumns`. */
  readonly tokens: readonly string[];
  readonly sum_units: UnitCounts;
}

/** The measures of charges, as column names of cells. */
export const chargeMeasures: readonly Measure[] = ['calls', 'cost', ...usageColumns, 'units'];

export interface ChargesSelection {
  /** Cells with customer, provider and model, and with `chargeMeasures`. */
  readonly cells: CellSource;
  /** Net of free credits. */
  readonly basis: CostBasis;
  readonly plan: PagePlan;
}

/**
 * The charges for each day, provider, model and customer: one for its usage and, if free credits cover a part of it,
 * another one for that part.
 */
export function selectCharges({ cells, basis, plan }: ChargesSelection): Clause {
  const after = afterCursor(plan);
  const key = keyOfRows(plan, undefined);
  const group = 'group_provider, group_model, group_customer';
  return {
    sql: `
      SELECT period, toJSONString([group_provider, group_model, group_customer, category]) AS value,
        sum_calls, gross, net, tokens, sum_units
      FROM (
        SELECT ${key.select}, toString(provider) AS group_provider, toString(model) AS group_model,
          toString(customer) AS group_customer, sum(cost) AS gross, sum(${basis.expression}) AS net,
          ${['calls', 'units'].map((measure) => `${sumOfCells(measure)} AS sum_${measure}`).join(', ')},
          [${usageColumns.map((column) => sumOfCells(column)).join(', ')}] AS tokens
        FROM ${cells.from} ${basis.join}
        WHERE ${cells.where.sql}
        GROUP BY period, ${group}
      )
      ARRAY JOIN if(net < gross, ['credit', 'usage'], ['usage']) AS category
      WHERE ${after.sql}
      ORDER BY period, value LIMIT {limit:UInt32}
      ${readingWhole}`,
    parameters: joinParameters(cells.where.parameters, basis.parameters, after.parameters, key.parameters, {
      limit: plan.limit + 1,
    }),
  };
}
