import { z } from 'zod';
import type { MergedCallWithEvents } from '../../calls/assembly/merge.ts';
import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import type { Clause } from '../../clickhouse/clause.ts';
import { StoredJson } from '../../lib/stored-json.ts';

/** The most events that are shown with a call: an id may have been repeated without end. */
const maxShownEvents = 100;
/** Their texts together have no more bytes than this, unless there is only one. */
const maxShownBytes = 16 * 1_048_576;

export const eventsFields = {
  events: z
    .array(
      z.object({
        received_at: z.string().meta({ format: 'date-time' }),
        client_id: z.string().describe('The client that posted it.'),
        event: z.unknown().meta({ type: 'object', description: 'The JSON that was posted, unchanged.' }),
      }),
    )
    .describe(
      `The events in the order of receipt, the first ${maxShownEvents}, or fewer when they are large: \`GET /api/events/\` has all.`,
    ),
  events_total: z.number().int().describe('How many events there are.'),
};

/** An event as it was received. */
interface ReceivedEvent {
  readonly received_at: string;
  readonly client_id: string;
  readonly event: StoredJson;
}

export interface EventsOfCall {
  readonly events: ReceivedEvent[];
  readonly total: number;
}

/** When the events of an id were received, in milliseconds since 1970. */
export interface Span {
  readonly project: string;
  readonly eventId: string;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The span of an id's events other than custom ones; undefined when it has none. */
export async function readSpan(project: string, eventId: string, store: AnalyticStore): Promise<Span | undefined> {
  const [span] = await store.select<{ first_ms: string; last_ms: string }>(
    `SELECT toUnixTimestamp64Milli(min(first_received_at)) AS first_ms, toUnixTimestamp64Milli(max(last_received_at)) AS last_ms
     FROM event_ids WHERE project = {project:String} AND event_id = {event_id:UUID} GROUP BY event_id`,
    { project, event_id: eventId },
  );
  return span && { project, eventId, firstMs: Number(span.first_ms), lastMs: Number(span.last_ms) };
}

/** All events of an id that has no outcome yet. */
export const readEventsOfId = (span: Span, store: AnalyticStore): Promise<EventsOfCall> =>
  readEvents(span, { sql: "event_id = {event_id:UUID} AND phase != 'custom'", parameters: {} }, store);

/** The events that a call was made of. */
export async function readEventsOfCall(
  span: Span,
  { event_writers: writers, event_seqs: seqs }: MergedCallWithEvents,
  store: AnalyticStore,
): Promise<EventsOfCall> {
  const shown = inPlaces(writers.slice(0, maxShownEvents), seqs.slice(0, maxShownEvents));
  const { events } = await readEvents(span, shown, store);
  return { events, total: seqs.length };
}

const inPlaces = (writers: readonly string[], seqs: readonly string[]): Clause => ({
  sql: '(writer, seq) IN (SELECT arrayJoin(arrayZip({writers:Array(String)}, {seqs:Array(UInt64)})))',
  parameters: { writers, seqs: seqs.map(Number) },
});

interface PlaceRecord {
  readonly writer: string;
  readonly seq: string;
  readonly bytes: string;
  /** How many events there are in all. */
  readonly total: string;
}

/** First where the events are and how long, then the texts of those that are shown. */
async function readEvents(span: Span, condition: Clause, store: AnalyticStore): Promise<EventsOfCall> {
  const places = await selectInSpan<PlaceRecord>(store, span, {
    columns: 'writer, seq, length(text) AS bytes, count() OVER () AS total',
    condition,
  });
  const shown = places.slice(0, countShown(places));
  const ofShown = inPlaces(
    shown.map(({ writer }) => writer),
    shown.map(({ seq }) => seq),
  );
  const records = await selectInSpan<{ received_ms: string; client: string; text: string }>(store, span, {
    columns: 'toUnixTimestamp64Milli(received_at) AS received_ms, client, text',
    condition: ofShown,
  });
  return {
    total: Number(places[0]?.total ?? 0),
    events: records.map(({ received_ms: receivedMs, client, text }) => ({
      received_at: new Date(Number(receivedMs)).toISOString(),
      client_id: client,
      event: new StoredJson(text),
    })),
  };
}

/** How many events are shown: the first always, and as many more as stay within the limit of bytes. */
function countShown(places: readonly PlaceRecord[]): number {
  let bytes = 0;
  const end = places.findIndex((place, index) => {
    bytes += Number(place.bytes);
    return index > 0 && bytes > maxShownBytes;
  });
  return end === -1 ? places.length : end;
}

/** Rows of events in the order of receipt, at most `maxShownEvents`. */
async function selectInSpan<Row>(
  store: AnalyticStore,
  { project, eventId, firstMs, lastMs }: Span,
  { columns, condition }: { readonly columns: string; readonly condition: Clause },
): Promise<Row[]> {
  return await store.select<Row>(
    `SELECT ${columns} FROM events
     WHERE project = {project:String} AND received_at >= fromUnixTimestamp64Milli({first_ms:Int64}, 'UTC')
       AND received_at <= fromUnixTimestamp64Milli({last_ms:Int64}, 'UTC') AND ${condition.sql}
     ORDER BY received_at, writer, seq LIMIT ${maxShownEvents}`,
    { project, event_id: eventId, first_ms: firstMs, last_ms: lastMs, ...condition.parameters },
  );
}
