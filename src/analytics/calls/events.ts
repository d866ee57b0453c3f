import { z } from 'zod';
import type { MergedCallWithEvents } from '../../calls/assembly/merge.ts';
import type { AnalyticStore, Parameters } from '../../clickhouse/analytic-store.ts';
import { StoredJson } from '../../lib/stored-json.ts';

/** The most events that are shown with a call: an id may have been repeated without end. */
const maxShownEvents = 100;

export const eventsFields = {
  events: z
    .array(
      z.object({
        received_at: z.string(),
        client_id: z.string(),
        event: z.unknown().meta({ type: 'object', description: 'The JSON that was posted, unchanged.' }),
      }),
    )
    .describe(`The events in the order of receipt, the first ${maxShownEvents}.`),
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
  readEvents(span, { condition: "event_id = {event_id:UUID} AND phase != 'custom'", parameters: {} }, store);

/** The events that a call was made of. */
export async function readEventsOfCall(
  span: Span,
  { event_writers: writers, event_seqs: seqs }: MergedCallWithEvents,
  store: AnalyticStore,
): Promise<EventsOfCall> {
  const { events } = await readEvents(
    span,
    {
      condition: '(writer, seq) IN (SELECT arrayJoin(arrayZip({writers:Array(String)}, {seqs:Array(UInt64)})))',
      parameters: { writers: writers.slice(0, maxShownEvents), seqs: seqs.slice(0, maxShownEvents).map(Number) },
    },
    store,
  );
  return { events, total: seqs.length };
}

async function readEvents(
  { project, eventId, firstMs, lastMs }: Span,
  { condition, parameters }: { readonly condition: string; readonly parameters: Parameters },
  store: AnalyticStore,
): Promise<EventsOfCall> {
  const records = await store.select<{ received_ms: string; client: string; text: string; total: string }>(
    `SELECT toUnixTimestamp64Milli(received_at) AS received_ms, client, text, count() OVER () AS total FROM events
     WHERE project = {project:String} AND received_at >= fromUnixTimestamp64Milli({first_ms:Int64}, 'UTC')
       AND received_at <= fromUnixTimestamp64Milli({last_ms:Int64}, 'UTC') AND ${condition}
     ORDER BY received_at, writer, seq LIMIT ${maxShownEvents}`,
    { project, event_id: eventId, first_ms: firstMs, last_ms: lastMs, ...parameters },
  );
  return {
    total: Number(records[0]?.total ?? 0),
    events: records.map(({ received_ms: receivedMs, client, text }) => ({
      received_at: new Date(Number(receivedMs)).toISOString(),
      client_id: client,
      event: new StoredJson(text),
    })),
  };
}
