import { formatMoney } from '../../lib/money.ts';
import { type CellSource, wholeRows } from '../../reports/asking/cells.ts';
import type { CostBasis } from '../../reports/asking/cost-basis.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import type { Parameter } from '../../storage/analytic/row-reader.ts';
import { calcLeastPassed, isWindow } from './budget.ts';
import type { BudgetFilter, BudgetGroup, PlannedBudget } from './plan.ts';

/** A row: a value, and its sum in each budget of the group as decimal text, `sum_0` and so on. */
export interface SumsRecord {
  readonly value?: string;
  /** The newest version of the calls. Cells have none. */
  readonly version?: string;
  /** The beginning of a slot, in milliseconds since 1970. */
  readonly slot?: string;
  readonly [sum: `sum_${number}`]: string;
}

/** Which values of an `each` to return, and at most how many. */
export interface RowsWanted {
  /** `all` with costs; `passed`: past a threshold of a budget; `largest`: the largest sums of the first budget. */
  readonly which: 'all' | 'passed' | 'largest';
  readonly most: number;
}

export interface SumsSelection {
  readonly group: Pick<BudgetGroup, 'each' | 'planned'>;
  readonly table: CellSource;
  readonly basis: CostBasis;
  readonly rows: RowsWanted;
  /** Whether to return the newest version of the calls of each value. */
  readonly withVersion?: boolean;
}

/** How many slots may always be read: a day has 1,500 at most. */
export const leastSlots = 2_000;

/** The filters that all rows of a group must pass: those of its budget, if there is only one. */
export const filtersOfAll = ({ planned }: Pick<BudgetGroup, 'planned'>): readonly BudgetFilter[] =>
  planned.length === 1 ? planned.flatMap(({ filters }) => filters) : [];

/** The costs that count in each budget of a group, by the value of their `each`; values without costs are left out. */
export function selectSums({ group, table, basis, rows, withVersion = false }: SumsSelection): Clause {
  const { columns, parameters } = sumsOf(group, basis);
  if (withVersion) columns.push(newestVersion);
  const { each } = group;
  const end = each ? `AND cells.${each} != '' ${endOfValues(group.planned, rows, parameters)}` : '';
  return {
    sql: `SELECT ${[...(each ? [`cells.${each} AS value`] : []), ...columns].join(', ')}
      FROM ${table.from} ${basis.join}
      WHERE (${table.where.sql}) ${end}
      ${wholeRows}`,
    parameters: joinParameters(table.where.parameters, basis.parameters, parameters),
  };
}

const newestVersion = 'max(cells.version) AS version';

/**
 * As `selectSums`, but only of values that have calls of this version or a newer one, also when their cost is 0. The
 * value `''` has the sums of all values together. The table must hold calls.
 */
export function selectChangedSums({ group, table, basis, rows }: SumsSelection, since: number): Clause {
  const { columns, parameters } = sumsOf(group, basis);
  columns.push(newestVersion);
  const { each = 'customer' } = group;
  const select = (value: string) =>
    `SELECT ${[`${value} AS value`, ...columns].join(', ')}
      FROM ${table.from} ${basis.join}
      WHERE (${table.where.sql}) AND cells.${each} != ''`;
  return {
    sql: `${select(`cells.${each}`)} AND cells.${each} IN (
        SELECT cells.${each} FROM calls AS cells WHERE (${table.where.sql}) AND version >= {since:UInt64}
      )
      GROUP BY value
      LIMIT {limit:UInt32}
      UNION ALL
      ${select("''")}
      ${wholeRows}`,
    parameters: joinParameters(table.where.parameters, basis.parameters, parameters, {
      since,
      limit: rows.most + 1,
    }),
  };
}

/** As `selectSums`, also by slot of this length: its beginning, in milliseconds since 1970. The table must hold calls. */
export function selectSlotSums({ group, table, basis, rows }: SumsSelection, slotMs: number): Clause {
  const { columns, parameters } = sumsOf(group, basis);
  const { each } = group;
  const time = 'toUnixTimestamp64Milli(cells.time)';
  return {
    sql: `SELECT ${[...(each ? [`cells.${each} AS value`] : []), ...columns].join(', ')},
        ${time} - positiveModulo(${time}, {slot_ms:UInt32}) AS slot
      FROM ${table.from} ${basis.join}
      WHERE (${table.where.sql}) ${each ? `AND cells.${each} != ''` : ''}
      GROUP BY ${each ? 'value, ' : ''}slot
      HAVING ${columns.map((_, index) => `sum_${index} != 0`).join(' OR ')}
      ORDER BY slot
      LIMIT {limit:UInt32}`,
    parameters: joinParameters(table.where.parameters, basis.parameters, parameters, {
      slot_ms: slotMs,
      limit: Math.max(rows.most, leastSlots) + 1,
    }),
  };
}

/** The costs that count in each budget of a group, by day: rows with `day` instead of `value`. */
export function selectDailySums({ group, table, basis }: Omit<SumsSelection, 'rows'>): Clause {
  const { columns, parameters } = sumsOf(group, basis);
  return {
    sql: `SELECT day, ${columns.join(', ')}
      FROM ${table.from} ${basis.join}
      WHERE ${table.where.sql}
      GROUP BY day
      ${wholeRows}`,
    parameters: joinParameters(table.where.parameters, basis.parameters, parameters),
  };
}

/** A column for the sum of each budget. */
function sumsOf({ planned }: SumsSelection['group'], basis: CostBasis) {
  const parameters: Record<string, Parameter> = {};
  const columns = planned.map(({ span, filters }, index) => {
    const counts = whereCounted({ span, filters: planned.length === 1 ? [] : filters }, index, parameters);
    return `sumIf(${basis.expression}, ${counts}) AS sum_${index}`;
  });
  return { columns, parameters };
}

/** One row more than wanted shows that there are too many. */
function endOfValues(
  planned: readonly PlannedBudget[],
  { which, most }: RowsWanted,
  parameters: Record<string, Parameter>,
): string {
  const having = planned.map(({ budget }, index) => {
    // A window's first day is read apart, so that only all of its sums tell what has passed.
    if (which !== 'passed' || isWindow(budget.period)) return `sum_${index} != 0`;
    parameters[`least_${index}`] = formatMoney(calcLeastPassed(budget));
    return `sum_${index} >= toDecimal128({least_${index}:String}, 12)`;
  });
  parameters.limit = which === 'largest' ? most : most + 1;
  return `GROUP BY value
      HAVING ${having.join(' OR ')}
      ${which === 'largest' ? 'ORDER BY sum_0 DESC, value' : ''}
      LIMIT {limit:UInt32}`;
}

/** The condition for the rows that count in a budget. Its parameters are renamed, because budgets share a statement. */
function whereCounted(
  { span, filters }: Pick<PlannedBudget, 'span' | 'filters'>,
  index: number,
  parameters: Record<string, Parameter>,
): string {
  const name = (given: string) => `budget_${index}_${given}`;
  parameters[name('from')] = span.dateFrom;
  parameters[name('to')] = span.dateTo;
  const conditions = filters.map((filter) => rename(filter, name, parameters));
  for (const [edge, comparison] of [
    ['fromMs', '>='],
    ['toMs', '<'],
  ] as const) {
    const timeMs = span.times?.[edge];
    if (timeMs === undefined) continue;
    parameters[name(edge)] = timeMs;
    conditions.push(`time ${comparison} fromUnixTimestamp64Milli({${name(edge)}:Int64}, 'UTC')`);
  }
  return [`day >= {${name('from')}:Date}`, `day <= {${name('to')}:Date}`, ...conditions].join(' AND ');
}

function rename(
  { sql, parameters: given }: BudgetFilter,
  name: (given: string) => string,
  parameters: Record<string, Parameter>,
): string {
  return Object.entries(given).reduce((text, [key, value]) => {
    parameters[name(key)] = value;
    return text.replaceAll(`{${key}:`, `{${name(key)}:`);
  }, sql);
}
