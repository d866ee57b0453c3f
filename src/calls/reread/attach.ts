import type { Clause } from '../../storage/analytic/clause.ts';
import { type EventKey, keyOf, type LaterReading, type LoggedEvent, placeOf } from '../assembly/merge.ts';
import type { IdInHand } from '../assembly/merge-ids.ts';
import { type Select, selectIds } from '../assembly/sql.ts';

/** A reading, and the place of its event in the log. */
interface ReadingRow extends LaterReading, Pick<LoggedEvent, 'writer' | 'seq'> {}

/** The readings of the events of these ids, made by any reread. */
function selectReadings(keys: readonly EventKey[]): Clause {
  const ids = selectIds(keys);
  return {
    sql: `SELECT writer, toFloat64(event_readings.seq) AS seq, toFloat64(event_readings.generation) AS generation,
        toFloat64(event_readings.version) AS version, fields, CAST(usage, 'Array(UInt32)') AS usage, units, cost, ignored
      FROM event_readings WHERE (project, event_id) IN (${ids.sql})`,
    parameters: ids.parameters,
  };
}

/** Attaches the readings of rereads to events of these projects. */
export const attacher = (select: Select, projects: ReadonlySet<string>) => {
  const toEvents = async (events: readonly LoggedEvent[]): Promise<readonly LoggedEvent[]> => {
    const keys = new Map(
      events.filter(({ projectId }) => projects.has(projectId)).map((event) => [keyOf(event), event]),
    );
    if (keys.size === 0) return events;
    const rows = await select<ReadingRow>(selectReadings([...keys.values()]));
    if (rows.length === 0) return events;
    const readings = Map.groupBy(rows, placeOf);
    return events.map((event) => {
      const ofEvent = readings.get(placeOf(event));
      return ofEvent ? { ...event, readings: ofEvent } : event;
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
