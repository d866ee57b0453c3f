import type { Parameters } from '../../clickhouse/row-reader.ts';

/** SQL with the values of its placeholders. */
export interface Statement {
  readonly sql: string;
  readonly parameters: Parameters;
}

/** One call as its events say, before it is costed. */
export interface MergedCall {
  readonly project: string;
  readonly event_id: string;
  /** 0, or higher when an id was used again (D4.2). */
  readonly ordinal: number;
  /** Milliseconds since 1970, as the other times. */
  readonly first_received_at: string;
  readonly time: string;
  readonly outcome_times: readonly string[];
  readonly tags: Record<string, string>;
  readonly fields: Record<string, string>;
  readonly failed: boolean;
  /** Token counts in the order of `usageBuckets`; none when no event reports usage. */
  readonly usage: readonly number[];
  readonly cost: string | null;
}

/** What is merged: the events of some ids that were received in a span of time, in milliseconds since 1970. */
export interface MergeSelection {
  /** A SELECT of (project, event_id). */
  readonly ids: Statement;
  readonly sinceMs: number;
  readonly untilMs?: number | undefined;
  /** Whether each call is to name its events: a `MergedCallWithEvents`. */
  readonly withEvents?: boolean;
}

/** A merged call with the places of its events in the log, in the order of receipt. */
export interface MergedCallWithEvents extends MergedCall {
  readonly event_writers: readonly string[];
  readonly event_seqs: readonly string[];
}

/**
 * Merges all events of some ids into calls: D4.1 and D4.2 in SQL.
 *
 * - `received` are the events of an id in the order of receipt; `starts` are the places in it at which calls begin: the
 *   first outcome, and every outcome without timestamp that comes more than 48 hours after the start before it.
 * - An outcome belongs to the latest call that had begun when it was received. A `.before` belongs to the first call that
 *   it can: the one whose 48 hours were not over when it was received.
 * - Fields and tags merge in the order (phase, receipt), later over earlier; usage and cost are taken whole from the last
 *   event in that order that tells them.
 */
export function mergeEvents({ ids, sinceMs, untilMs, withEvents = false }: MergeSelection): Statement {
  const until = untilMs === undefined ? '' : " AND received_at <= fromUnixTimestamp64Milli({lookAhead:Int64}, 'UTC')";
  const places = withEvents
    ? ', arrayMap(e -> e.writer, events_of_call) AS event_writers, arrayMap(e -> e.seq, events_of_call) AS event_seqs'
    : '';
  return {
    sql: `
      SELECT
        project,
        event_id,
        toUInt16(number - 1) AS ordinal,
        toUnixTimestamp64Milli(first_outcome.received_at) AS first_received_at,
        toUnixTimestamp64Milli(first_outcome.event_time) AS time,
        outcome_times,
        arrayFold((merged, e) -> mapUpdate(merged, e.tags), ranked, CAST(map(), 'Map(String, String)')) AS tags,
        arrayFold((merged, e) -> mapUpdate(merged, e.fields), ranked, CAST(map(), 'Map(String, String)')) AS fields,
        ranked[-1].phase = 2 OR arrayExists(e -> e.phase = 3 AND mapContains(e.fields, 'error_type'), ranked) AS failed,
        CAST(arrayLast(e -> notEmpty(e.usage), ranked).usage, 'Array(UInt32)') AS usage,
        arrayLast(e -> isNotNull(e.cost), ranked).cost AS cost${places}
      FROM (
        SELECT
          project, event_id, outcome_times, number, events_of_call,
          arrayFirst(e -> e.phase >= 2, events_of_call) AS first_outcome,
          arraySort(e -> (e.phase, e.received_at, e.writer, e.seq), events_of_call) AS ranked
        FROM (
          SELECT
            project, event_id, outcome_times, number,
            arrayFilter(
              (e, place) -> number = if(
                e.phase >= 2,
                arrayLastIndex(start -> start.place <= place, starts),
                arrayFirstIndex(start -> e.received_at <= start.received_at + INTERVAL 48 HOUR, starts)
              ),
              received, arrayEnumerate(received)
            ) AS events_of_call
          FROM (
            SELECT
              project, event_id, received,
              arrayDistinct(arrayMap(e -> toUnixTimestamp64Milli(e.event_time), arrayFilter(e -> e.phase >= 2, received))) AS outcome_times,
              arrayFold(
                (starts, e, place) -> if(
                  e.phase >= 2 AND (empty(starts) OR (NOT e.has_timestamp AND e.received_at > starts[-1].received_at + INTERVAL 48 HOUR)),
                  arrayPushBack(starts, CAST((place, e.received_at), 'Tuple(place UInt32, received_at DateTime64(3, \\'UTC\\'))')),
                  starts
                ),
                received, arrayEnumerate(received), CAST([], 'Array(Tuple(place UInt32, received_at DateTime64(3, \\'UTC\\')))')
              ) AS starts
            FROM (
              SELECT project, event_id, arraySort(e -> (e.received_at, e.writer, e.seq), groupArray(CAST(
                (received_at, toString(writer), seq, toInt8(phase), event_time, has_timestamp, CAST(tags, 'Map(String, String)'), CAST(fields, 'Map(String, String)'), usage, cost),
                'Tuple(received_at DateTime64(3, \\'UTC\\'), writer String, seq UInt64, phase Int8, event_time DateTime64(3, \\'UTC\\'), has_timestamp Bool, tags Map(String, String), fields Map(String, String), usage Array(UInt64), cost Nullable(Decimal(38, 12)))'
              ))) AS received
              FROM events
              WHERE (project, event_id) IN (${ids.sql}) AND phase != 'custom' AND received_at >= fromUnixTimestamp64Milli({lookBack:Int64}, 'UTC')${until}
              GROUP BY project, event_id
            )
          )
          ARRAY JOIN arrayEnumerate(starts) AS number
        )
      )`,
    parameters: {
      ...ids.parameters,
      lookBack: sinceMs,
      ...(untilMs !== undefined && { lookAhead: untilMs }),
    },
  };
}
