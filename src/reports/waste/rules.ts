import { bucketNames, inputBuckets } from '../../lib/usage-buckets.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { usageColumns } from '../../storage/analytic/tables/usage-columns.ts';
import { cacheLifetimeMs, leastCacheableTokens, type WasteCause } from './causes.ts';

/** The SQL that finds the calls of a cause. Amounts are in 1e-18 USD. */
interface WasteRule {
  /** Whether the call belongs to the cause, unless it belongs to an earlier one. */
  readonly holds: string;
  readonly amount: string;
}

const columnOf = (bucket: keyof typeof bucketNames): string => `${bucketNames[bucket]}_tokens`;

/** The cost of a call in 1e-18 USD. */
const cost = "(toInt128(cost * toDecimal128('1000000000000', 0)) * 1000000)";

/** The value for the size of a prompt; 0 or an empty list without values. */
const bySize = (values: string, bounds: string, prompt: string): string =>
  `${values}[arrayCount(bound -> bound < toInt64(${prompt}), ${bounds})]`;

const wholePrompt = `(${inputBuckets.map(columnOf).join(' + ')})`;
/** The text part of a prompt, which caches hold. */
const textPrompt = `(${[columnOf('input'), columnOf('cacheRead'), columnOf('cacheWrite'), columnOf('cacheWrite1h')].join(' + ')})`;
const cachedTokens = (['cacheRead', 'cacheWrite', 'cacheWrite1h', 'cacheReadAudio', 'cacheReadImage'] as const).map(
  columnOf,
);

const cacheable = `toInt128(${columnOf('input')}) * ${bySize('savings', 'saving_bounds', wholePrompt)}`;

/** A call is charged for each of its tokens, and once for itself. */
const used = `[${[...usageColumns, '1'].join(', ')}]`;
const otherPrices = bySize('alternative_rates', 'alternative_bounds', wholePrompt);
const otherCost = `arraySum((count, price) -> toInt128(count) * price, arrayResize(${used}, length(${otherPrices})), ${otherPrices})`;
const isComparable = `notEmpty(alternative_rates) AND empty(mapKeys(units)) AND ${usageColumns.join(' + ')} > 0
  AND arrayAll((count, price) -> count = 0 OR price >= 0, arrayResize(${used}, length(${otherPrices})), ${otherPrices})`;

const andOneBefore = 'ROWS BETWEEN 1 PRECEDING AND CURRENT ROW';

/** The ids of calls that retry a failed call. Few calls fail, so only runs with failed calls are sorted. */
const selectRetried = (calls: Clause): string => `
  SELECT event_id, ordinal FROM (
    SELECT event_id, ordinal, failed,
      lagInFrame(toUInt8(failed), 1, 0) OVER (
        PARTITION BY run, feature, model ORDER BY time, toString(event_id), ordinal ${andOneBefore}
      ) AS is_after_failed
    FROM calls FINAL
    WHERE ${calls.sql} AND sipHash128(run, feature, model) IN (
      SELECT sipHash128(run, feature, model) FROM calls FINAL WHERE ${calls.sql} AND failed
    )
  )
  WHERE is_after_failed AND NOT failed`;

/**
 * The ids of calls that used no cache soon after a prompt of the same size. Answers from a gateway's own cache are left
 * out, because they call no provider. Calls at the same time may be in any order, so they are sorted by id, which is
 * faster than by the id's text.
 */
const selectUncached = (calls: Clause): string => `
  SELECT event_id, ordinal FROM (
    SELECT event_id, ordinal, ${cachedTokens.join(' + ')} AS cached, toUnixTimestamp64Milli(time) AS ms,
      lagInFrame(toUnixTimestamp64Milli(time), 1, -${cacheLifetimeMs}) OVER (
        PARTITION BY provider, model, feature, roundToExp2(${textPrompt}) ORDER BY time, event_id, ordinal ${andOneBefore}
      ) AS before_ms
    FROM calls FINAL
    WHERE ${calls.sql} AND ${textPrompt} >= ${leastCacheableTokens} AND cost_source != 'gateway_cache'
  )
  WHERE cached = 0 AND ms - before_ms <= ${cacheLifetimeMs}`;

/** For `calls` joined with the rates of their models. Rules search these calls for earlier ones too. */
export const wasteRules: Readonly<Record<WasteCause, (calls: Clause) => WasteRule>> = {
  failed: () => ({ holds: 'failed', amount: cost }),
  retried: (calls) => ({ holds: `(event_id, ordinal) IN (${selectRetried(calls)})`, amount: cost }),
  aborted: () => ({ holds: 'aborted', amount: cost }),
  uncached_input: (calls) => ({
    holds: `${cacheable} > 0 AND cost > 0 AND (event_id, ordinal) IN (${selectUncached(calls)})`,
    amount: `least(${cost}, ${cacheable})`,
  }),
  dearer_model: () => ({
    holds: `${isComparable} AND ${cost} > ${otherCost}`,
    amount: `${cost} - ${otherCost}`,
  }),
};
