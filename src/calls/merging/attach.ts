import type { Clause } from '../../storage/analytic/clause.ts';
import { type EventKey, keyOf, type LaterContent, type LoggedEvent, placeOf } from './merge.ts';
import type { IdInHand } from './merge-ids.ts';
import { type Select, selectIds } from './sql.ts';

/** A later content, and the place of its event in the log. */
interface ContentRow extends LaterContent, Pick<LoggedEvent, 'writer' | 'seq'> {}

/** The later contents of the events of these ids, of any reread. */
function selectContents(keys: readonly EventKey[]): Clause {
  const ids = selectIds(keys);
  return {
    sql: `SELECT writer, toFloat64(event_contents.seq) AS seq, toFloat64(event_contents.generation) AS generation,
        toFloat64(event_contents.version) AS version, fields, CAST(usage, 'Array(UInt32)') AS usage, units, cost, ignored
      FROM event_contents WHERE (project, event_id) IN (${ids.sql})`,
    parameters: ids.parameters,
  };
}

/** Attaches the later contents of events of these projects. */
export const attacher = (select: Select, projects: ReadonlySet<string>) => {
  const toEvents = async (events: readonly LoggedEvent[]): Promise<readonly LoggedEvent[]> => {
    const keys = new Map(
      events.filter(({ projectId }) => projects.has(projectId)).map((event) => [keyOf(event), event]),
    );
    if (keys.size === 0) return events;
    const rows = await select<ContentRow>(selectContents([...keys.values()]));
    if (rows.length === 0) return events;
    const contents = Map.groupBy(rows, placeOf);
    return events.map((event) => {
      const ofEvent = contents.get(placeOf(event));
      return ofEvent ? { ...event, laterContents: ofEvent } : event;
    });
  };
  return {
    toEvents,
    toIds: async (ids: readonly (EventKey & IdInHand)[]): Promise<readonly (EventKey & IdInHand)[]> => {
      if (!ids.some(({ projectId }) => projects.has(projectId))) return ids;
      const ofIds = Map.groupBy(await toEvents(ids.flatMap(({ events }) => events)), keyOf);
      return ids.map((id) => ({ ...id, events: ofIds.get(keyOf(id)) ?? [] }));
    },
  };
};
