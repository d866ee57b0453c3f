import { shareOrder } from '../../lib/dimensions.ts';
import { bucketNames, outputBuckets } from '../../lib/usage-buckets.ts';
import { sumOfCalls } from '../../rollups/rollups/cells.ts';
import type { CellDimension } from '../../rollups/rollups/grains.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import type { Parameter } from '../../storage/analytic/row-reader.ts';
import { usageColumns } from '../../storage/analytic/tables/usage-columns.ts';
import type { CellSource } from '../asking/cells.ts';
import type { PagePlan, PlacedRecord } from '../asking/page.ts';
import { afterCursor, keyOfRows } from '../asking/period-sql.ts';
import { oneOf, type ValuesFilter } from '../asking/where.ts';
import type { AllocationBasis, SharedScope } from '../facts/shared-costs.ts';
import type { PoolDay } from './pools.ts';

/** The columns of tokens that a model has put out. */
const outputColumns = outputBuckets.map((bucket) => `${bucketNames[bucket]}_tokens`);

/** The measures of cells that add up to a weight. */
export const measuresOf: Readonly<Record<AllocationBasis, readonly string[]>> = {
  cost: ['cost'],
  calls: ['calls'],
  tokens: usageColumns,
  output_tokens: outputColumns,
  elapsed: ['elapsed_sum'],
};

/** SQL for a weight as a whole number: costs in picodollars, times in nanoseconds. Over cells, or over groups of calls. */
function weightOf(weight: AllocationBasis, measured: (measure: string) => string): string {
  const sum = measuresOf[weight].map((measure) => `toInt128(${measured(measure)})`).join(' + ');
  return weight === 'cost' ? `toInt128(toDecimal256(${measured('cost')}, 12) * 1000000000000)` : sum;
}

/** The filters of a scope by dimension, which cells have too. */
export const filtersOfScope = ({ providers, models, features }: SharedScope): ValuesFilter[] => [
  ...(providers ? [oneOf('provider', providers, 'scope_providers')] : []),
  ...(models ? [oneOf('model', models, 'scope_models')] : []),
  ...(features ? [oneOf('feature', features, 'scope_features')] : []),
];

/**
 * The filters of a scope by tag over cells of it. Undefined if these cannot tell: they are by one tag, and their value
 * "" has also the calls without it.
 */
export function tagFiltersOfScope({ tags = [] }: SharedScope): ValuesFilter<'tag'>[] | undefined {
  const [only] = tags;
  if (!only) return [];
  const [, values] = only;
  return tags.length > 1 || values.includes('') ? undefined : [oneOf('tag', values, 'scope_tag')];
}

/** Rows that share: cells or calls, added up by these dimensions, in their order; each call by itself without any. */
export interface Sharers {
  readonly source: CellSource;
  readonly of: 'cells' | 'calls';
  readonly by: readonly CellDimension[] | undefined;
}

export interface SharesSelection {
  readonly sharers: Sharers;
  readonly allocateBy: AllocationBasis;
  readonly days: readonly PoolDay[];
  /** Which of them count for the answer. The others share all the same. */
  readonly where: Clause;
  readonly plan: Pick<PagePlan, 'periods' | 'limit' | 'afterValue'>;
  readonly value: Clause | undefined;
  /** The features whose shares are returned separately. */
  readonly features: readonly string[];
}

/** A row as the store returns it: whole picodollars as text. */
export interface SharesRow extends PlacedRecord {
  readonly shared: string;
  readonly by_feature: readonly (readonly [feature: string, shared: string])[];
}

/**
 * The shares of rows (docs/decisions/0049). The sharers of a day are in a fixed order; the first of them together get
 * ⌊amount × their weight / whole weight⌋, so one gets the difference of two such numbers, and any sharers add up to
 * whole picodollars, all of them to the amount. Where none has a weight, each call weighs the same. A further row for
 * each day has its amount, and keeps it where there are no calls: it is of no customer, feature or model.
 */
export function selectShares(selection: SharesSelection): Clause {
  const { sharers, allocateBy, days, where, plan, value, features } = selection;
  const key = keyOfRows(plan, value);
  const after = afterCursor(plan);
  const rows = selectSharers(sharers, allocateBy);
  const order = sharers.by ?? [...shareOrder, ...idsOfCall];
  const columns = sharers.by ?? [...columnsOfCall, ...idsOfCall];
  const none = [...columns.map((column) => noneOf[column] ?? "''"), 'toUInt64(0)', 'toInt128(0)'];
  const sumOfDay = (column: string) => `sum(${column}) OVER (PARTITION BY day)`;
  const sumUpTo = (column: string) =>
    `sum(${column}) OVER (PARTITION BY day ORDER BY ${['is_amount', ...order].join(', ')} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`;
  const upTo = (weight: string) => `intDiv(toInt256(day_amount) * toInt256(${weight}), toInt256(whole))`;
  const named = [key.names, 'part_feature', 'is_asked', 'amount', 'is_amount', 'day_amount', 'day_calls'].join(', ');
  return {
    sql: `
      SELECT ${key.names}, sum(part) AS shared,
        groupArrayIf((part_feature, toString(part)), has({shared_features:Array(String)}, part_feature)) AS by_feature
      FROM (
        SELECT ${key.names}, part_feature,
          sum(if(day_calls = 0, toInt256(amount), ${upTo('reached')} - ${upTo('reached - own')})) AS part
        FROM (
          SELECT ${named}, if(day_weight = 0, toInt128(calls), weight) AS own,
            if(day_weight = 0, toInt128(calls_reached), weight_reached) AS reached,
            greatest(if(day_weight = 0, toInt128(day_calls), day_weight), 1) AS whole
          FROM (
            SELECT *, ${sumOfDay('amount')} AS day_amount, ${sumOfDay('calls')} AS day_calls,
              ${sumOfDay('weight')} AS day_weight, ${sumUpTo('calls')} AS calls_reached, ${sumUpTo('weight')} AS weight_reached
            FROM (
              SELECT ${['day', ...order].join(', ')}, ${key.select}, ${features.length > 0 ? 'feature' : "''"} AS part_feature,
                (${where.sql}) AS is_asked, calls, weight, amount, is_amount
              FROM (
                SELECT ${['day', ...columns].join(', ')}, calls, weight, toInt128(0) AS amount, 0 AS is_amount FROM (${rows.sql})
                UNION ALL
                SELECT toDate(entry.1), ${none.join(', ')}, toInt128(entry.2), 1
                FROM (SELECT arrayJoin(arrayZip({shared_days:Array(UInt16)}, {shared_amounts:Array(String)})) AS entry)
              )
            )
          )
        )
        WHERE is_asked AND (is_amount = 0 OR day_calls = 0)
        GROUP BY ${key.names}, part_feature
      )
      WHERE ${after.sql}
      ${key.end}`,
    parameters: joinParameters(rows.parameters, where.parameters, after.parameters, key.parameters, {
      shared_features: features,
      shared_days: days.map(({ day }) => day),
      shared_amounts: days.map(({ amount }) => String(amount)),
    }),
  };
}

/** The days on which calls share, as numbers of days since 1970. */
export function selectDaysWithCalls(source: CellSource, days: readonly PoolDay[]): Clause {
  return {
    sql: `SELECT DISTINCT toUInt16(day) AS called FROM ${source.from}
      WHERE (${source.where.sql}) AND toUInt16(day) IN {shared_days:Array(UInt16)}`,
    parameters: joinParameters(source.where.parameters, { shared_days: days.map(({ day }) => day) }),
  };
}

/** The calls that share, with the weight of each row. */
function selectSharers({ of, by, source }: Sharers, allocateBy: AllocationBasis): Clause {
  const own = prefixed(source.where);
  const from = prefixed({ sql: source.from, parameters: {} }).sql;
  const read = `FROM ${from} WHERE (${own.sql}) AND toUInt16(day) IN {shared_days:Array(UInt16)}`;
  if (!by) {
    const columns = [...columnsOfCall, ...idsOfCall].join(', ');
    return {
      sql: `SELECT day, ${columns}, toUInt64(1) AS calls, ${weightOf(allocateBy, ofOneCall)} AS weight ${read}`,
      parameters: own.parameters,
    };
  }
  const sumOf = of === 'cells' ? (measure: string) => `sum(cells.${measure})` : sumOfCalls;
  const key = ['day', ...by].join(', ');
  return {
    sql: `SELECT ${key}, toUInt64(${sumOf('calls')}) AS calls, ${weightOf(allocateBy, sumOf)} AS weight ${read} GROUP BY ${key}`,
    parameters: own.parameters,
  };
}

const idsOfCall = ['event_id', 'ordinal'];
const columnsOfCall = [...shareOrder, 'run', 'tags'];

/** SQL for what a row without a call has in a column. */
const noneOf: Readonly<Record<string, string>> = {
  tags: "CAST(map(), 'Map(LowCardinality(String), String)')",
  event_id: "toUUID('00000000-0000-0000-0000-000000000000')",
  ordinal: 'toUInt16(0)',
};

/** A measure of one call: that of a group of it alone. */
const ofOneCall = (measure: string): string =>
  measure === 'calls' ? '1' : sumOfCalls(measure).replace(/^sum\((.*)\)$/s, '$1');

/** A clause whose parameters have names of their own: those of a question may name other days. */
function prefixed({ sql, parameters }: Clause): Clause {
  const renamed = Object.entries(parameters).map(([name, value]): [string, Parameter] => [`sharers_${name}`, value]);
  return { sql: sql.replaceAll(/\{(\w+):/g, '{sharers_$1:'), parameters: Object.fromEntries(renamed) };
}
