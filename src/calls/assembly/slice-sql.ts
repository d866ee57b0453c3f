import type { Clause } from '../../storage/analytic/clause.ts';
import type { Parameter } from '../../storage/analytic/row-reader.ts';
import { loggedEvent, withinBytes } from '../merging/sql.ts';
import type { Watermark } from './watermarks.ts';

/** The events of one writer in a batch: those after its watermark, up to `toSeq`. */
export interface SliceBound {
  readonly from: Watermark;
  readonly toSeq: number;
}

/** Times of receipt rise with sequences, so the watermark's own time lets the query use the table's key. */
function inSlice(bounds: readonly SliceBound[]): Clause {
  const parameters: Record<string, Parameter> = {};
  const conditions = bounds.map(({ from, toSeq }, index) => {
    parameters[`writer${index}`] = from.writer;
    parameters[`after${index}`] = from.seq;
    parameters[`to${index}`] = toSeq;
    parameters[`since${index}`] = from.receivedAt;
    return `(writer = {writer${index}:String} AND events.seq > {after${index}:UInt64} AND events.seq <= {to${index}:UInt64} AND received_at >= fromUnixTimestamp64Milli({since${index}:Int64}, 'UTC'))`;
  });
  return { sql: `(${conditions.join(' OR ')})`, parameters };
}

/** The events of one writer in a slice. */
export interface SliceRow {
  readonly writer: string;
  readonly first_seq: string;
  readonly last_seq: string;
  readonly first_received_at: string;
  readonly last_received_at: string;
  readonly events: string;
}

/** Counts the events of a slice by writer, and finds their first and last: `SliceRow`s. */
export function selectSlice(bounds: readonly SliceBound[]): Clause {
  const slice = inSlice(bounds);
  return {
    sql: `SELECT writer, min(seq) AS first_seq, max(seq) AS last_seq,
        toUnixTimestamp64Milli(min(received_at)) AS first_received_at,
        toUnixTimestamp64Milli(max(received_at)) AS last_received_at, count() AS events
      FROM events WHERE ${slice.sql} GROUP BY writer`,
    parameters: slice.parameters,
  };
}

/** All `LoggedEvent`s of a slice, custom ones too, but without those of the given projects. */
export function selectEventsOfSlice(bounds: readonly SliceBound[], without: readonly string[]): Clause {
  const slice = inSlice(bounds);
  const others = without.length > 0 ? 'AND project NOT IN {without:Array(String)}' : '';
  return {
    sql: `SELECT ${loggedEvent} FROM events WHERE ${slice.sql} ${others} ${withinBytes}`,
    parameters: { ...slice.parameters, ...(without.length > 0 && { without }) },
  };
}

/** The projects with events in a slice, without the given ones, and how many bytes calls are made from, the most first. */
export function selectSizes(bounds: readonly SliceBound[], without: readonly string[]): Clause {
  const slice = inSlice(bounds);
  return {
    sql: `SELECT project AS projectId, toFloat64(sum(byteSize(tags, fields))) AS bytes FROM events
      WHERE ${slice.sql} AND project NOT IN {without:Array(String)}
      GROUP BY project ORDER BY bytes DESC, project`,
    parameters: { ...slice.parameters, without },
  };
}

/** The first events of one project in a slice, in the order of receipt: its ids alone, or all that calls are made from. */
export function selectEventsApart(
  projectId: string,
  bounds: readonly SliceBound[],
  { maxEvents, onlyIds = false }: { readonly maxEvents: number; readonly onlyIds?: boolean },
): Clause {
  const slice = inSlice(bounds);
  return {
    sql: `SELECT ${onlyIds ? 'event_id AS eventId' : loggedEvent} FROM events
      WHERE project = {project:String} AND ${slice.sql}
      ORDER BY received_at, writer, events.seq LIMIT {maxEvents:UInt32} ${withinBytes}`,
    parameters: { ...slice.parameters, project: projectId, maxEvents },
  };
}
