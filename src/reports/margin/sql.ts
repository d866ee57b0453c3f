import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import type { Parameters } from '../../storage/analytic/row-reader.ts';
import type { CellSource } from '../asking/cells.ts';
import type { CostBasis } from '../asking/cost-basis.ts';
import type { PagePlan, PlacedRecord } from '../asking/page.ts';
import { afterCursor, keyOfRows, periodOfCall } from '../asking/period-sql.ts';
import { oneOf } from '../asking/where.ts';

export interface CostSelection {
  readonly table: CellSource;
  readonly basis: CostBasis;
  readonly plan: PagePlan;
  /** Of a row; undefined if rows are not grouped. */
  readonly value: Clause | undefined;
}

/** The cost of a row as the store returns it: decimal text. */
export interface CostRow extends PlacedRecord {
  readonly cost_text: string;
}

/** The cost of the customers that are kept in a period, and those of them that have revenue. */
export interface KeptCost extends CostRow {
  readonly kept: readonly string[];
}

const parametersOf = ({ table, basis, plan, value }: CostSelection): Parameters =>
  joinParameters(
    table.where.parameters,
    basis.parameters,
    periodOfCall(plan.periods).parameters,
    value?.parameters ?? {},
  );

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

/** Costs by period and value after the cursor, one more than the page holds. */
export function selectGroupedCosts(selection: CostSelection, usedFeatures?: readonly string[]): Clause {
  const after = afterCursor(selection.plan);
  const kept = havingUsed(usedFeatures);
  const key = keyOfRows(selection.plan, selection.value);
  return {
    sql: `
      SELECT ${key.select}, sum(${selection.basis.expression}) AS cost_text
      FROM ${selection.table.from} ${selection.basis.join}
      WHERE (${selection.table.where.sql}) AND (${after.sql})
      GROUP BY ${key.names}
      HAVING ${kept.sql}
      ORDER BY ${key.names}
      LIMIT {limit:UInt32}`,
    parameters: joinParameters(parametersOf(selection), after.parameters, key.parameters, kept.parameters),
  };
}

/** Costs by period, and by value if rows are grouped, of the customers kept in it, and those of `payers` that are. */
export function selectKeptCosts(
  selection: CostSelection,
  usedFeatures: readonly string[],
  payers: readonly string[],
): Clause {
  const kept = havingUsed(usedFeatures);
  const paying = oneOf('customer', payers, 'payers');
  const after = afterCursor(selection.plan);
  const key = keyOfRows(selection.plan, selection.value);
  return {
    sql: `
      SELECT ${key.names}, sum(part) AS cost_text, groupArrayIf(customer, ${paying.sql}) AS kept
      FROM (
        SELECT ${key.select}, customer, sum(${selection.basis.expression}) AS part
        FROM ${selection.table.from} ${selection.basis.join}
        WHERE (${selection.table.where.sql}) AND (${after.sql})
        GROUP BY ${key.names}, customer
        HAVING ${kept.sql}
      )
      ${key.end}`,
    parameters: joinParameters(
      parametersOf(selection),
      after.parameters,
      key.parameters,
      kept.parameters,
      paying.parameters,
    ),
  };
}
