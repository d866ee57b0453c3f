import type { Clause } from '../../storage/analytic/clause.ts';
import type { EventKey, LoggedEvent } from './merge.ts';

export type Select = <Row>(statement: Clause) => Promise<Row[]>;

/** The columns of a `LoggedEvent`. Its integers are below 2^53, so doubles hold them exactly. */
export const loggedEvent = `project AS projectId, event_id AS eventId, writer, toFloat64(events.seq) AS seq,
  toFloat64(toUnixTimestamp64Milli(received_at)) AS receivedAtMs, toFloat64(toUnixTimestamp64Milli(event_time)) AS timeMs,
  has_timestamp AS hasTimestamp, toInt8(events.phase) AS phase, tags, fields, CAST(usage, 'Array(UInt32)') AS usage, units, cost`;

/** The most that a statement returns, in the engine's memory. Beyond that it fails, and fewer events are read. */
export const withinBytes = `SETTINGS max_result_bytes = ${96 * 1_048_576}`;

/** The next events of one id that calls are made from, in the order of receipt. */
export function selectEventsInOrder(
  { projectId, eventId }: EventKey,
  after: Pick<LoggedEvent, 'receivedAtMs' | 'writer' | 'seq'> | undefined,
  mostEvents: number,
): Clause {
  const later = `AND received_at >= fromUnixTimestamp64Milli({after_ms:Int64}, 'UTC')
        AND (toUnixTimestamp64Milli(received_at), toString(writer), events.seq) > ({after_ms:Int64}, {after_writer:String}, {after_seq:UInt64})`;
  return {
    sql: `SELECT ${loggedEvent} FROM events
      WHERE project = {project:String} AND event_id = {event_id:UUID} AND events.phase != 'custom' ${after ? later : ''}
      ORDER BY received_at, events.writer, events.seq LIMIT {most:UInt32} ${withinBytes}`,
    parameters: {
      ...{ project: projectId, event_id: eventId, most: mostEvents },
      ...(after && { after_ms: after.receivedAtMs, after_writer: after.writer, after_seq: after.seq }),
    },
  };
}

/** Events of these ids, received in a span of time, in milliseconds since 1970. */
export interface IdsInSpan {
  /** A SELECT of (project, event_id). */
  readonly ids: Clause;
  readonly sinceMs: number;
  readonly untilMs?: number | undefined;
}

/** The `LoggedEvent`s of these ids that calls are made from. */
export function selectEventsOfIds({ ids, sinceMs, untilMs }: IdsInSpan): Clause {
  const until = untilMs === undefined ? '' : "AND received_at <= fromUnixTimestamp64Milli({lookAhead:Int64}, 'UTC')";
  return {
    sql: `SELECT ${loggedEvent} FROM events
      WHERE (project, event_id) IN (${ids.sql}) AND events.phase != 'custom'
        AND received_at >= fromUnixTimestamp64Milli({lookBack:Int64}, 'UTC') ${until} ${withinBytes}`,
    parameters: { ...ids.parameters, lookBack: sinceMs, ...(untilMs !== undefined && { lookAhead: untilMs }) },
  };
}

/** A SELECT of (project, event_id), bound as one JSON text: a list takes the engine three times as long. */
export function selectIds(keys: readonly EventKey[]): Clause {
  const byProject = Map.groupBy(keys, ({ projectId }) => projectId);
  const ids = Array.from(byProject, ([projectId, ofProject]) => [projectId, ofProject.map(({ eventId }) => eventId)]);
  return {
    sql: `SELECT of_project.1, arrayJoin(of_project.2)
      FROM (SELECT arrayJoin(JSONExtract({ids:String}, 'Array(Tuple(String, Array(UUID)))')) AS of_project)`,
    parameters: { ids: JSON.stringify(ids) },
  };
}

/** A known id, and when its first event was received, in milliseconds since 1970. */
export interface KnownId extends EventKey {
  readonly firstReceivedAtMs: number;
}

/** The `KnownId`s, of other projects too: a condition for each column takes half the time of one for both. */
export function selectKnown(keys: readonly EventKey[]): Clause {
  return {
    sql: `SELECT project AS projectId, event_id AS eventId,
        toFloat64(toUnixTimestamp64Milli(min(first_received_at))) AS firstReceivedAtMs
      FROM event_ids WHERE project IN {projects:Array(String)} AND event_id IN (${uuidsIn('ids')})
      GROUP BY project, event_id ${withinBytes}`,
    parameters: {
      projects: [...new Set(keys.map(({ projectId }) => projectId))],
      ids: JSON.stringify(keys.map(({ eventId }) => eventId)),
    },
  };
}

/** A SELECT of the UUIDs in a parameter, as a JSON list. */
export const uuidsIn = (parameter: string): string =>
  `SELECT arrayJoin(JSONExtract({${parameter}:String}, 'Array(UUID)'))`;
