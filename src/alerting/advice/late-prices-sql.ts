import { callsOf } from '../../calls/in-force.ts';
import type { Day } from '../../lib/days.ts';
import { bucketNames, inputBuckets } from '../../lib/usage-buckets.ts';
import { type CellScope, resolveRowsRead, splitDays } from '../../reports/asking/cells.ts';
import type { UnitCounts } from '../../reports/asking/usage-fields.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import { usageColumns } from '../../storage/analytic/tables/usage-columns.ts';

/** Alike calls that an older price list priced, or did not: whole numbers and counts as text. */
export interface OlderPricedGroup {
  readonly on_day: Day;
  /** Seconds since 1970: the half hour of the first of them. All are of one UTC day and, where prices have hours, of one half hour. */
  readonly since: number;
  readonly provider: string;
  readonly model: string;
  readonly all_terms: Readonly<Record<string, string>>;
  readonly price_book: string;
  readonly sum_calls: string;
  readonly sum_unpriced: string;
  /** In the order of `usageColumns`. */
  readonly tokens: readonly string[];
  readonly sum_units: UnitCounts;
}

export interface OlderPricedWanted extends CellScope {
  /** The id of the newest price book. */
  readonly book: string;
  /** Numbers of prompt tokens above which prices may change. */
  readonly bounds: readonly number[];
  /** Models whose prices depend on the hour. */
  readonly hourly: readonly string[];
}

/** The most groups: those of most calls. */
export const mostGroups = 10_000;
const input = inputBuckets.map((bucket) => `${bucketNames[bucket]}_tokens`).join(' + ');

/**
 * Sums of calls that another price book than the newest priced, grouped so that one price holds for all calls of a
 * group: by day, name, terms, kinds of tokens and units, size of the prompt, and time.
 */
export function selectOlderPriced({ book, bounds, hourly, ...scope }: OlderPricedWanted) {
  const calls = callsOf(scope.projectId, scope.period, scope.generations);
  const statement: Clause = {
    sql: `
      SELECT toString(day) AS on_day, toUInt32(min(slot)) AS since, provider, model, all_terms, price_book,
        count() AS sum_calls, countIf(cost_source = 'unpriced') AS sum_unpriced,
        [${usageColumns.map((column) => `sum(${column})`).join(', ')}] AS tokens, sumMap(units) AS sum_units
      FROM (
        SELECT *, mapSort(terms) AS all_terms,
          toUnixTimestamp(toStartOfInterval(time, INTERVAL 30 MINUTE)) AS slot,
          if(model IN {hourly:Array(String)}, slot, toUnixTimestamp(toStartOfDay(time, 'UTC'))) AS span,
          arrayCount(bound -> ${input} > bound, {bounds:Array(UInt64)}) AS size
        FROM calls FINAL
        WHERE ${calls.sql} AND price_book != {book:String}
          AND cost_source IN ('catalogue', 'override', 'further_list', 'unpriced')
          AND unpriced_reason NOT IN ('unknown_usage', 'usage_not_reported', 'invalid_usage')
      )
      GROUP BY day, span, provider, model, all_terms, price_book, size, cost_source = 'unpriced',
        [${usageColumns.map((column) => `${column} > 0`).join(', ')}], arraySort(mapKeys(units))
      ORDER BY count() DESC, on_day, since
      LIMIT ${mostGroups}`,
    parameters: joinParameters(calls.parameters, { book, bounds, hourly, seals: splitDays(scope).sealed }),
  };
  return { statement, cells: { rows: resolveRowsRead(scope) } };
}
