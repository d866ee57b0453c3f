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
import { toUnits } from '../assembly/cost-calls.ts';
import type { LaterReading, LoggedEvent } from '../assembly/merge.ts';

/** A row of `event_readings`: an event, and a reread's reading of it. */
export interface EventReadingRow {
  readonly event: Pick<LoggedEvent, 'projectId' | 'eventId' | 'writer' | 'seq' | 'receivedAtMs'>;
  readonly reading: LaterReading;
}

export const readingColumns = [
  column('project', text, ({ event }: EventReadingRow) => event.projectId),
  column('event_id', text, ({ event }: EventReadingRow) => event.eventId),
  column('writer', text, ({ event }: EventReadingRow) => event.writer),
  column('seq', uint64, ({ event }: EventReadingRow) => event.seq),
  column('generation', uint64, ({ reading }: EventReadingRow) => reading.generation),
  column('version', uint64, ({ reading }: EventReadingRow) => reading.version),
  column('received_at', timeMs, ({ event }: EventReadingRow) => event.receivedAtMs),
  column('fields', dictionary, ({ reading }: EventReadingRow) => reading.fields),
  column('usage', list(uint32), ({ reading }: EventReadingRow) => reading.usage),
  column('units', mapOf<bigint>(money), ({ reading }: EventReadingRow) => toUnits(reading.units)),
  column('cost', nullable<bigint>(money, 0n), ({ reading: { cost } }: EventReadingRow) =>
    cost === null ? null : parseMoney(cost),
  ),
  column('ignored', list(text), ({ reading }: EventReadingRow) => reading.ignored),
];
