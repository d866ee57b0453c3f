import { parseMoney } from '../../lib/money.ts';
import {
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
} from '../../storage/analytic/native-block.ts';
import { toUnits } from '../costing/cost-calls.ts';
import type { LaterContent, LoggedEvent } from '../merging/merge.ts';

/** A row of `event_contents`: an event, and what a reread read in it. */
export interface EventContentRow {
  readonly event: Pick<LoggedEvent, 'projectId' | 'eventId' | 'writer' | 'seq' | 'receivedAtMs'>;
  readonly content: LaterContent;
}

export const contentColumns = [
  column('project', text, ({ event }: EventContentRow) => event.projectId),
  column('event_id', text, ({ event }: EventContentRow) => event.eventId),
  column('writer', text, ({ event }: EventContentRow) => event.writer),
  column('seq', uint64, ({ event }: EventContentRow) => event.seq),
  column('generation', uint64, ({ content }: EventContentRow) => content.generation),
  column('version', uint64, ({ content }: EventContentRow) => content.version),
  column('received_at', timeMs, ({ event }: EventContentRow) => event.receivedAtMs),
  column('fields', dictionary, ({ content }: EventContentRow) => content.fields),
  column('usage', list(uint32), ({ content }: EventContentRow) => content.usage),
  column('units', mapOf<bigint>(money), ({ content }: EventContentRow) => toUnits(content.units)),
  column('cost', nullable<bigint>(money, 0n), ({ content: { cost } }: EventContentRow) =>
    cost === null ? null : parseMoney(cost),
  ),
  column('ignored', list(text), ({ content }: EventContentRow) => content.ignored),
];
