import type { Parameter } from '../../clickhouse/row-reader.ts';
import { mergeEvents, type Statement } from './merge.ts';
import type { Watermark } from './watermarks.ts';

/** The events of a batch: of each writer, those after its watermark, up to a sequence. */
export interface SliceBound {
  readonly from: Watermark;
  readonly toSeq: number;
}

/** The events of a slice. Sequences commit without gaps and times of receipt rise with them, so the key can be used. */
export function inSlice(bounds: readonly SliceBound[]): Statement {
  const parameters: Record<string, Parameter> = {};
  const conditions = bounds.map(({ from, toSeq }, index) => {
    parameters[`writer${index}`] = from.writer;
    parameters[`after${index}`] = from.seq;
    parameters[`to${index}`] = toSeq;
    parameters[`since${index}`] = from.receivedAt;
    return `(writer = {writer${index}:String} AND seq > {after${index}:UInt64} AND seq <= {to${index}:UInt64} AND received_at >= fromUnixTimestamp64Milli({since${index}:Int64}, 'UTC'))`;
  });
  return { sql: `(${conditions.join(' OR ')})`, parameters };
}

/** What a slice holds of each writer. */
export interface SliceRow {
  readonly writer: string;
  readonly first_seq: string;
  readonly last_seq: string;
  readonly last_received_at: string;
  readonly first_received_at: string;
  readonly events: string;
  readonly first_event_time: string;
}

export function selectSlice(bounds: readonly SliceBound[]): Statement {
  const slice = inSlice(bounds);
  return {
    sql: `SELECT writer, min(seq) AS first_seq, max(seq) AS last_seq, toUnixTimestamp64Milli(max(received_at)) AS last_received_at,
        toUnixTimestamp64Milli(min(received_at)) AS first_received_at, count() AS events,
        toUnixTimestamp64Milli(min(event_time)) AS first_event_time
      FROM events WHERE ${slice.sql} GROUP BY writer`,
    parameters: slice.parameters,
  };
}

/** Notes the ids of a slice, so that later events of theirs know how far to look back. */
export function insertEventIds(bounds: readonly SliceBound[]): Statement {
  const slice = inSlice(bounds);
  return {
    sql: `INSERT INTO event_ids
      SELECT project, event_id, min(received_at), max(received_at)
      FROM events WHERE ${slice.sql} AND phase != 'custom' GROUP BY project, event_id`,
    parameters: slice.parameters,
  };
}

const idsOfSlice = (slice: Statement) =>
  `SELECT project, event_id FROM events WHERE ${slice.sql} AND phase != 'custom'`;

/** A step of the look-back: the ids that were first heard of at or after `sinceMs`, and before `beforeMs`. */
export interface LookBackStep {
  readonly sinceMs: number;
  readonly beforeMs: number;
}

/** How many ids of the slice were first heard of in each of the steps given, and when the oldest of them was. */
export interface LookBackRow {
  readonly step: number;
  readonly since: string;
}

export function selectLookBack(bounds: readonly SliceBound[], steps: readonly LookBackStep[]): Statement {
  const slice = inSlice(bounds);
  return {
    sql: `SELECT toUInt32(arrayFirstIndex(since -> first >= fromUnixTimestamp64Milli(since, 'UTC'), {steps:Array(Int64)}) - 1) AS step,
        toUnixTimestamp64Milli(min(first)) AS since
      FROM (
        SELECT min(first_received_at) AS first FROM event_ids
        WHERE (project, event_id) IN (${idsOfSlice(slice)}) GROUP BY project, event_id
      ) GROUP BY step ORDER BY step`,
    parameters: { ...slice.parameters, steps: steps.map(({ sinceMs }) => sinceMs) },
  };
}

/** Merges all events of the ids of a slice, or of those that a step of the look-back has. */
export function selectMergedCalls(
  bounds: readonly SliceBound[],
  step: LookBackStep | undefined,
  sinceMs: number,
): Statement {
  const slice = inSlice(bounds);
  if (!step) return mergeEvents({ ids: { sql: idsOfSlice(slice), parameters: slice.parameters }, sinceMs });
  return mergeEvents({
    ids: {
      sql: `SELECT project, event_id FROM event_ids WHERE (project, event_id) IN (${idsOfSlice(slice)})
       GROUP BY project, event_id
       HAVING min(first_received_at) >= fromUnixTimestamp64Milli({stepSince:Int64}, 'UTC')
          AND min(first_received_at) < fromUnixTimestamp64Milli({stepBefore:Int64}, 'UTC')`,
      parameters: { ...slice.parameters, stepSince: step.sinceMs, stepBefore: step.beforeMs },
    },
    sinceMs,
  });
}
