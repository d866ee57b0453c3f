import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import type { Parameters } from '../../storage/analytic/row-reader.ts';
import type { CellSource } from '../asking/cells.ts';
import type { CostBasis } from '../asking/cost-basis.ts';
import type { PagePlan, PlacedRecord } from '../asking/page.ts';
import { afterCursor, periodOfCall } from '../asking/period-sql.ts';
import { oneOf } from '../asking/where.ts';

export interface CostSelection {
  readonly table: CellSource;
  readonly basis: CostBasis;
  readonly plan: PagePlan;
}

/** The cost of a row as the store returns it: decimal text. */
export interface CostRow extends PlacedRecord {
  readonly cost_text: string;
}

/** The cost of the customers that are kept in a period, and those of them that have revenue. */
export interface KeptCost extends CostRow {
  readonly kept: readonly string[];
}

const parametersOf = ({ table, basis, plan }: CostSelection): Parameters =>
  joinParameters(table.where.parameters, basis.parameters, periodOfCall(plan.periods).parameters);

export const selectCosts = (selection: CostSelection): Clause => ({
  sql: `
    SELECT ${periodOfCall(selection.plan.periods).sql} AS period, sum(${selection.basis.expression}) AS cost_text
    FROM ${selection.table.from} ${selection.basis.join}
    WHERE ${selection.table.where.sql}
    GROUP BY period`,
  parameters: parametersOf(selection),
});

/** Keeps a customer in a period if one of its calls there has one of the features. Then all its calls count (D8.5). */
function havingUsed(features: readonly string[] | undefined): Clause {
  if (!features) return { sql: '1', parameters: {} };
  const used = oneOf('feature', features, 'used_features');
  return { sql: `countIf(${used.sql}) > 0`, parameters: used.parameters };
}

/** Costs by period and customer after the cursor, one more than the page holds. */
export function selectCostsByCustomer(selection: CostSelection, usedFeatures: readonly string[] | undefined): Clause {
  const after = afterCursor(selection.plan);
  const kept = havingUsed(usedFeatures);
  return {
    sql: `
      SELECT ${periodOfCall(selection.plan.periods).sql} AS period, customer AS value, sum(${selection.basis.expression}) AS cost_text
      FROM ${selection.table.from} ${selection.basis.join}
      WHERE (${selection.table.where.sql}) AND (${after.sql})
      GROUP BY period, value
      HAVING ${kept.sql}
      ORDER BY period, value
      LIMIT {limit:UInt32}`,
    parameters: joinParameters(parametersOf(selection), after.parameters, kept.parameters, {
      limit: selection.plan.limit + 1,
    }),
  };
}

/** Costs by period of the customers that are kept in it, and those of `payers` that are kept. */
export function selectKeptCosts(
  selection: CostSelection,
  usedFeatures: readonly string[],
  payers: readonly string[],
): Clause {
  const kept = havingUsed(usedFeatures);
  const paying = oneOf('customer', payers, 'payers');
  return {
    sql: `
      SELECT period, sum(part) AS cost_text, groupArrayIf(customer, ${paying.sql}) AS kept
      FROM (
        SELECT ${periodOfCall(selection.plan.periods).sql} AS period, customer, sum(${selection.basis.expression}) AS part
        FROM ${selection.table.from} ${selection.basis.join}
        WHERE ${selection.table.where.sql}
        GROUP BY period, customer
        HAVING ${kept.sql}
      )
      GROUP BY period`,
    parameters: joinParameters(parametersOf(selection), kept.parameters, paying.parameters),
  };
}
