import type { Clause } from '../../clickhouse/clause.ts';
import { type EventKey, type EventsOfId, groupById, type LaterReading, type LoggedEvent } from '../assembly/merge.ts';
import { selectIds } from '../assembly/sql.ts';

type Select = <Row>(statement: Clause) => Promise<Row[]>;

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

/** Attaches the readings of rereads to the events of these projects. */
export async function attachReadings(
  select: Select,
  ids: readonly EventsOfId[],
  projects: ReadonlySet<string>,
): Promise<readonly EventsOfId[]> {
  const keys = ids.map(([event]) => event).filter(({ projectId }) => projects.has(projectId));
  if (keys.length === 0) return ids;
  const rows = await select<ReadingRow>(selectReadings(keys));
  if (rows.length === 0) return ids;
  const readings = Map.groupBy(rows, placeOf);
  return groupById(
    ids.flat().map((event) => {
      const ofEvent = readings.get(placeOf(event));
      return ofEvent ? { ...event, readings: ofEvent } : event;
    }),
  );
}

/** The place of an event in the log, as a key for maps. */
export const placeOf = ({ writer, seq }: Pick<LoggedEvent, 'writer' | 'seq'>): string => `${writer} ${seq}`;
