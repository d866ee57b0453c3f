import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { type Gathered, gather } from '../joins/gather.ts';
import { attacher } from '../merging/attach.ts';
import { type StoredCondensed, selectCondensed, toCondensedId } from '../merging/condensed-ids.ts';
import { isBecauseOfEvents } from '../merging/event-faults.ts';
import { type EventKey, groupById, keyOf, type LoggedEvent } from '../merging/merge.ts';
import type { IdInHand } from '../merging/merge-ids.ts';
import { noteIdsOf } from '../merging/open-state.ts';
import { type Select, selectEventsOfIds } from '../merging/sql.ts';

/** A span of times of receipt, in milliseconds since 1970: `after` is exclusive, `to` inclusive. */
export interface LogWindow {
  readonly projectId: string;
  readonly after: number;
  readonly to: number;
}

/** The time limit of one statement, in milliseconds. */
const withinMs = 30_000;
/** In milliseconds: ids whose last event comes this soon after a window are read with it. Most calls take less. */
const soonMs = 10 * 60_000;

const inWindow = ({ projectId, after, to }: LogWindow): Clause => ({
  sql: `project = {project:String} AND phase != 'custom'
    AND received_at > fromUnixTimestamp64Milli({after:Int64}, 'UTC') AND received_at <= fromUnixTimestamp64Milli({to:Int64}, 'UTC')`,
  parameters: { project: projectId, after, to },
});

export interface EventSpan {
  readonly after: number;
  readonly to: number;
  readonly events: number;
}

/** The span and number of the events of these calls, or of all of a project. Undefined without any. */
export async function readSpan(
  store: AnalyticStore,
  projectId: string,
  calls: Clause | undefined,
): Promise<EventSpan | undefined> {
  const known = calls
    ? `SELECT min(first_received_at) AS received_at FROM event_ids
        WHERE project = {project:String} AND event_id IN (SELECT event_id FROM calls FINAL WHERE ${calls.sql}) GROUP BY event_id`
    : "SELECT received_at FROM events WHERE project = {project:String} AND phase != 'custom'";
  const [row] = await store.select<{ first: string; last: string; events: string }>(
    `SELECT toUnixTimestamp64Milli(min(received_at)) AS first, toUnixTimestamp64Milli(max(received_at)) AS last, count() AS events
      FROM (${known})`,
    { ...calls?.parameters, project: projectId },
    withinMs,
  );
  if (!row || Number(row.events) === 0) return undefined;
  const span = { after: Number(row.first) - 1, to: Number(row.last) };
  if (!calls) return { ...span, events: Number(row.events) };
  const within = inWindow({ projectId, ...span });
  const [counted] = await store.select<{ events: string }>(
    `SELECT count() AS events FROM events WHERE ${within.sql}`,
    within.parameters,
    withinMs,
  );
  return { ...span, events: Number(counted?.events ?? 0) };
}

/** The first part of a window with about `maxEvents` events, and their number. Undefined when the window has none. */
export async function readNextWindow(
  store: AnalyticStore,
  window: LogWindow,
  maxEvents: number,
): Promise<(LogWindow & { readonly events: number }) | undefined> {
  const within = inWindow(window);
  const [row] = await store.select<{ last: string; events: string }>(
    `SELECT toUnixTimestamp64Milli(max(received_at)) AS last, count() AS events
      FROM (SELECT received_at FROM events WHERE ${within.sql} ORDER BY received_at LIMIT {maxEvents:UInt32})`,
    { ...within.parameters, maxEvents },
    withinMs,
  );
  if (!row || Number(row.events) === 0) return undefined;
  return { ...window, to: Number(row.last), events: Number(row.events) };
}

/** Records the ids of a window in `event_ids` again, so that a rebuild depends on the log alone. */
export async function noteIds(store: AnalyticStore, window: LogWindow): Promise<void> {
  const within = inWindow(window);
  await store.command(noteIdsOf(within.sql), within.parameters);
}

/** What a window is merged with besides the log. */
export interface WindowSources {
  readonly store: AnalyticStore;
  /** The projects whose events may have later contents. */
  readonly projects: ReadonlySet<string>;
  /** The ids whose events are left out, as keys of maps. */
  readonly setAside: ReadonlySet<string>;
}

/**
 * The calls of ids whose first event is in the window, with all that may report the same requests. Ids with events long
 * after it are read separately, so that the search for the others reads less of the log.
 */
export async function mergeWindow({ store, projects, setAside }: WindowSources, window: LogWindow): Promise<Gathered> {
  const select = <Row>({ sql, parameters }: Clause) => store.select<Row>(sql, parameters, withinMs);
  const attach = attacher(select, projects);
  const inHand = [...(await readIds(select, window)), ...(await readCondensed(select, window))];
  const ids = await attach.toIds(inHand.filter((id) => !setAside.has(keyOf(id))));
  return await gather({ select, attach }, ids, { alsoInside: false });
}

const isCondensed = 'event_id IN (SELECT event_id FROM condensed_ids WHERE project = {project:String})';

/** The events of the ids of a window that are not condensed. */
async function readIds(select: Select, window: LogWindow): Promise<(EventKey & IdInHand)[]> {
  const within = inWindow(window);
  const soon = window.to + soonMs;
  const ids = (isLate: boolean): Clause => ({
    sql: `SELECT project, event_id FROM event_ids
      WHERE project = {project:String} AND event_id IN (SELECT event_id FROM events WHERE ${within.sql}) AND NOT ${isCondensed}
      GROUP BY project, event_id
      HAVING min(first_received_at) > fromUnixTimestamp64Milli({after:Int64}, 'UTC')
        AND max(last_received_at) ${isLate ? '>' : '<='} fromUnixTimestamp64Milli({soon:Int64}, 'UTC')`,
    parameters: { ...within.parameters, soon },
  });
  const readEvents = async (of: Clause, untilMs: number): Promise<(EventKey & IdInHand)[]> => {
    try {
      const events = await select<LoggedEvent>(selectEventsOfIds({ ids: of, sinceMs: window.after, untilMs }));
      return groupById(events).map((ofId) => ({
        projectId: ofId[0].projectId,
        eventId: ofId[0].eventId,
        events: ofId,
      }));
    } catch (error) {
      if (!isBecauseOfEvents(error)) throw error;
      const keys = await select<EventKey>({
        sql: `SELECT project AS projectId, event_id AS eventId FROM (${of.sql}) LIMIT 2`,
        parameters: of.parameters,
      });
      if (keys.length > 1) throw error;
      return keys.map((key) => ({ ...key, events: [] }));
    }
  };
  const late = ids(true);
  const [last] = await select<{ ids: string; last: string }>({
    sql: `SELECT count() AS ids, toUnixTimestamp64Milli(max(last_received_at)) AS last FROM event_ids
      WHERE (project, event_id) IN (${late.sql})`,
    parameters: late.parameters,
  });
  const soonOnes = await readEvents(ids(false), soon);
  return last && Number(last.ids) > 0 ? [...soonOnes, ...(await readEvents(late, Number(last.last)))] : soonOnes;
}

async function readCondensed(select: Select, { projectId, after, to }: LogWindow): Promise<(EventKey & IdInHand)[]> {
  const rows = await select<StoredCondensed>(
    selectCondensed({
      sql: `SELECT project, event_id FROM event_ids WHERE project = {project:String} AND ${isCondensed}
        GROUP BY project, event_id
        HAVING min(first_received_at) > fromUnixTimestamp64Milli({after:Int64}, 'UTC')
          AND min(first_received_at) <= fromUnixTimestamp64Milli({to:Int64}, 'UTC')`,
      parameters: { project: projectId, after, to },
    }),
  );
  return rows.map(toCondensedId).map((condensed) => {
    const { kept: events, eventId } = condensed;
    return { projectId, eventId, events, condensed };
  });
}
