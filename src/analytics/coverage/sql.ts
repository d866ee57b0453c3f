import { isNoMarker } from '../../calls/wrapper-marker.ts';
import type { Clause } from '../../clickhouse/clause.ts';
import type { Parameters } from '../../clickhouse/row-reader.ts';

/** The most entries in a list of unpriced names. */
const maxListed = 1_000;

/** Counts and costs of calls, as decimal text. */
export interface CallTotals {
  readonly calls: string;
  readonly unpriced_calls: string;
  readonly partly_priced_calls: string;
  readonly cost: string;
  readonly customer_cost: string;
  readonly feature_cost: string;
  readonly user_cost: string;
  /** Model, provider, reason and calls. */
  readonly unpriced: readonly (readonly [model: string, provider: string, reason: string, calls: string])[];
  /** Unit or term, model, provider and calls. */
  readonly partly_priced: readonly (readonly [name: string, model: string, provider: string, calls: string])[];
}

/**
 * One statement reads all totals, so that they agree with each other while calls arrive. In it, each call has a row
 * with an empty name, and another row for each of its units or terms without a price.
 */
export function selectCallTotals(where: Clause): Clause {
  return {
    sql: `
      SELECT sumIf(part_calls, name = '') AS calls, sumIf(part_calls, reason != '') AS unpriced_calls,
        sumIf(part_partly, name = '') AS partly_priced_calls, sumIf(part_cost, name = '') AS cost,
        sumIf(part_customer, name = '') AS customer_cost, sumIf(part_feature, name = '') AS feature_cost,
        sumIf(part_user, name = '') AS user_cost,
        arrayMap(
          part -> (part.2, part.3, part.4, toString(-part.1)),
          groupArraySortedIf(${maxListed})((-toInt64(part_calls), model, provider, reason), reason != '')
        ) AS unpriced,
        arrayMap(
          part -> (part.2, part.3, part.4, toString(-part.1)),
          groupArraySortedIf(${maxListed})((-toInt64(part_calls), name, model, provider), name != '')
        ) AS partly_priced
      FROM (
        SELECT toString(model) AS model, toString(provider) AS provider,
          toString(arrayJoin(arrayConcat([''], partly_priced))) AS name,
          if(name = '', toString(unpriced_reason), '') AS reason,
          count() AS part_calls, countIf(notEmpty(partly_priced)) AS part_partly, sum(calls.cost) AS part_cost, sumIf(calls.cost, customer != '') AS part_customer,
          sumIf(calls.cost, feature != '') AS part_feature, sumIf(calls.cost, user != '') AS part_user
        FROM calls FINAL
        WHERE ${where.sql}
        GROUP BY model, provider, name, reason
      )`,
    parameters: where.parameters,
  };
}

/** A time span in milliseconds since 1970: `fromMs` inclusive, `toMs` exclusive. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

const received = "received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')";
const receivedBefore = "received_at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')";

const stretchParameters = (projectId: string, { fromMs, toMs }: Stretch): Parameters => ({
  project: projectId,
  from: fromMs,
  to: toMs,
});

/**
 * Counts ids with a `.before` received in the span, but with no outcome received later or up to 48 hours earlier. A
 * `.before` that arrives up to 48 hours after an outcome belongs to the same call (D4.2). Markers of wrappers begin no
 * call (D14.3).
 */
export function selectOpenCalls(projectId: string, stretch: Stretch): Clause {
  return {
    sql: `
      SELECT count() AS open_calls
      FROM (
        SELECT maxIf(received_at, phase = 'before' AND ${received} AND ${receivedBefore}) AS begun,
          maxIf(received_at, phase != 'before') AS ended
        FROM events
        WHERE project = {project:String} AND phase != 'custom' AND ${isNoMarker}
          AND received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') - INTERVAL 48 HOUR
        GROUP BY event_id
        HAVING begun >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND ended < begun - INTERVAL 48 HOUR
      )`,
    parameters: stretchParameters(projectId, stretch),
  };
}

/**
 * Fields that could not be used, and for each the number of events in the span (D3.4, D3.10). Readings of the rereads
 * of these generations replace the original ones.
 */
export function selectIgnored(projectId: string, stretch: Stretch, rereads: ReadonlySet<number>): Clause {
  const inSpan = `project = {project:String} AND ${received} AND ${receivedBefore}`;
  const anew = `event_readings WHERE ${inSpan} AND generation IN (SELECT arrayJoin({rereads:Array(UInt64)}))`;
  const events =
    rereads.size === 0
      ? `SELECT ignored FROM events WHERE ${inSpan}`
      : `SELECT ignored FROM events WHERE ${inSpan} AND (writer, seq) NOT IN (SELECT writer, seq FROM ${anew})
        UNION ALL
        SELECT argMax(ignored, version) AS ignored FROM ${anew} GROUP BY writer, seq`;
  return {
    sql: `
      SELECT arrayJoin(arrayDistinct(ignored)) AS field, count() AS events
      FROM (${events})
      GROUP BY field
      ORDER BY events DESC, field`,
    parameters: { ...stretchParameters(projectId, stretch), rereads: [...rereads] },
  };
}

/** Counts events received in the span for days that were already frozen. */
export function selectLate(projectId: string, stretch: Stretch): Clause {
  return {
    sql: `SELECT count() AS events FROM late_events FINAL
      WHERE project = {project:String} AND ${received} AND ${receivedBefore}`,
    parameters: stretchParameters(projectId, stretch),
  };
}
