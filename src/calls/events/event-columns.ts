import { namedDimensions } from '../../lib/dimensions.ts';
import {
  bool,
  type Column,
  column,
  dictionary,
  list,
  mapOf,
  money,
  nullable,
  text,
  timeMs,
  uint32,
  uint64,
  utf8Text,
} from '../../storage/analytic/native-block.ts';
import type { EventColumns } from './event.ts';

export interface EventToStore {
  readonly projectId: string;
  readonly clientId: string;
  readonly columns: EventColumns;
  /** The event as received, in UTF-8. */
  readonly text: Uint8Array;
}

export interface EventRow {
  readonly writer: string;
  readonly seq: number;
  readonly receivedAtMs: number;
  readonly event: EventToStore;
}

export const eventColumns: readonly Column<EventRow>[] = [
  column('writer', text, ({ writer }) => writer),
  column('seq', uint64, ({ seq }) => seq),
  column('project', text, ({ event }) => event.projectId),
  column('received_at', timeMs, ({ receivedAtMs }) => receivedAtMs),
  column('client', text, ({ event }) => event.clientId),
  column('event_id', text, ({ event }) => event.columns.eventId),
  column('event_type', text, ({ event }) => event.columns.eventType),
  column('phase', text, ({ event }) => event.columns.phase),
  column('event_time', timeMs, ({ event }) => event.columns.eventTimeMs),
  column('has_timestamp', bool, ({ event }) => event.columns.hasTimestamp),
  column('tags', dictionary, ({ event }) => event.columns.tags),
  column('fields', dictionary, ({ event }) => event.columns.fields),
  ...namedDimensions.map((name) => column<EventRow, string>(name, text, ({ event }) => event.columns.dimensions[name])),
  column('usage', list(uint32), ({ event }) => event.columns.usage),
  column('units', mapOf<bigint>(money), ({ event }) => event.columns.units),
  column('cost', nullable<bigint>(money, 0n), ({ event }) => event.columns.cost),
  column('ignored', list(text), ({ event }) => event.columns.ignored),
  column('text', utf8Text, ({ event }) => event.text),
];
