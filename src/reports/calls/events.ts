import { z } from 'zod';
import type { CondensedId } from '../../calls/merging/condensed-ids.ts';
import type { MergedCall } from '../../calls/merging/merge.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import {
  type IdSpan,
  type ReceivedEvent,
  receivedEventSchema,
  type TextRecord,
  takeAnswerable,
  toReceivedEvent,
} from '../asking/received-events.ts';
import { type PlaceRecord, selectTexts } from '../events/sql.ts';

/** The most events shown with a call, because clients can repeat an id without limit. */
const maxShownEvents = 100;

export const eventsFields = {
  events: z
    .array(receivedEventSchema)
    .describe(
      `The first ${maxShownEvents} events in the order of receipt, fewer if they are large; for an id with more than 1,000 events, those that decide the call. \`GET /api/events/\` has all.`,
    ),
  events_total: z
    .number()
    .int()
    .describe('How many events there are: of the call, or of its id if that has more than 1,000.'),
};

export interface EventsOfCall {
  readonly events: ReceivedEvent[];
  readonly total: number;
}

export interface KnownId extends IdSpan {
  readonly project: string;
  readonly eventId: string;
}

/** All events of an id that has no outcome yet. */
export const readEventsOfId = (id: KnownId, store: AnalyticStore): Promise<EventsOfCall> =>
  readEvents(
    id,
    { sql: "event_id = {event_id:UUID} AND phase != 'custom'", parameters: { event_id: id.eventId } },
    store,
  );

/** The events that a call was assembled from; of a condensed id, those that decide, and how many the id has had. */
export async function readEventsOfCall(
  id: KnownId,
  { events: merged, condensed }: Pick<MergedCall, 'events'> & { readonly condensed: CondensedId | undefined },
  store: AnalyticStore,
): Promise<EventsOfCall> {
  const shown = merged.slice(0, maxShownEvents);
  const inPlaces: Clause = {
    sql: '(writer, seq) IN (SELECT arrayJoin(arrayZip({writers:Array(String)}, {seqs:Array(UInt64)})))',
    parameters: { writers: shown.map(({ writer }) => writer), seqs: shown.map(({ seq }) => seq) },
  };
  const { events } = await readEvents(id, inPlaces, store);
  return { events, total: condensed?.events ?? merged.length };
}

/** Reads the places and sizes of events first, and then only the texts of the events to show. */
async function readEvents(
  { project, firstMs, lastMs }: KnownId,
  condition: Clause,
  store: AnalyticStore,
): Promise<EventsOfCall> {
  const places = await store.select<PlaceRecord & { readonly total: string }>(
    `SELECT toUnixTimestamp64Milli(received_at) AS at, writer, seq, length(text) AS bytes, count() OVER () AS total
     FROM events
     WHERE project = {project:String} AND received_at >= fromUnixTimestamp64Milli({first_ms:Int64}, 'UTC')
       AND received_at <= fromUnixTimestamp64Milli({last_ms:Int64}, 'UTC') AND ${condition.sql}
     ORDER BY received_at, writer, seq LIMIT ${maxShownEvents}`,
    { project, first_ms: firstMs, last_ms: lastMs, ...condition.parameters },
  );
  const texts = selectTexts(project, takeAnswerable(places), 'oldest');
  const records = await store.select<TextRecord>(texts.sql, texts.parameters);
  return { total: Number(places[0]?.total ?? 0), events: records.map(toReceivedEvent) };
}
