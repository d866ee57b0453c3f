import { z } from 'zod';
import { StoredJson } from '../../lib/stored-json.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';

export const receivedEventSchema = z.object({
  received_at: z.string().meta({ format: 'date-time' }),
  client_id: z.string().describe('The client that posted it.'),
  event: z.unknown().meta({ type: 'object', description: 'The JSON that was posted, unchanged.' }),
});

export interface ReceivedEvent {
  readonly received_at: string;
  readonly client_id: string;
  /** The posted text. Parsing and serialising it again would change it, such as large numbers and duplicate keys. */
  readonly event: StoredJson;
}

export interface TextRecord {
  /** Milliseconds since 1970. */
  readonly at: string;
  readonly client: string;
  readonly text: string;
}

export const toReceivedEvent = ({ at, client, text }: TextRecord): ReceivedEvent => ({
  received_at: new Date(Number(at)).toISOString(),
  client_id: client,
  event: new StoredJson(text),
});

/** The most bytes of event texts in one answer. A single event may be larger. */
const maxBytes = 16 * 1_048_576;

/** The first events that fit in one answer: at least one, and up to `maxBytes`. */
export function takeAnswerable<Event extends { readonly bytes: string }>(events: readonly Event[]): Event[] {
  let bytes = 0;
  const end = events.findIndex((event, index) => {
    bytes += Number(event.bytes);
    return index > 0 && bytes > maxBytes;
  });
  return events.slice(0, end === -1 ? events.length : end);
}

/** When the first and the last event of an id were received, in milliseconds since 1970. Custom events don't count. */
export interface IdSpan {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The span of an id; undefined while no event of it, besides custom ones, is assembled. */
export async function readIdSpan(project: string, eventId: string, store: AnalyticStore): Promise<IdSpan | undefined> {
  const [span] = await store.select<{ first_ms: string; last_ms: string }>(
    `SELECT toUnixTimestamp64Milli(min(first_received_at)) AS first_ms, toUnixTimestamp64Milli(max(last_received_at)) AS last_ms
     FROM event_ids WHERE project = {project:String} AND event_id = {event_id:UUID} GROUP BY event_id`,
    { project, event_id: eventId },
  );
  return span && { firstMs: Number(span.first_ms), lastMs: Number(span.last_ms) };
}
