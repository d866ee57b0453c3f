import { touchWriter } from '../../calls/assembly/watermarks.ts';
import type { EventRow } from '../../calls/events/event-columns.ts';
import type { Clock } from '../../lib/clock.ts';
import { findDiskFault } from '../../lib/disk-fault.ts';
import { newId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import type { ControlStore } from '../../storage/control/control-store.ts';
import { monthOf, type StoredBatch } from './group.ts';
import { toRows } from './group-rows.ts';
import { maxInsertRows, patienceMs } from './insert.ts';
import { deleteLeft, keepAside, type LeftSegment, listLeft, readLeft } from './journal/journal.ts';
import { type JournalRecord, lastSeqOf } from './journal/record.ts';
import { insertOrSetAside } from './refused.ts';

export interface ReplayOptions {
  readonly folder: string;
  readonly store: AnalyticStore;
  readonly control: ControlStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Logs that the store has refused acknowledged events. */
export const noteSetAside =
  (logger: Logger) =>
  (events: number, path: string): void =>
    logger.error({ events, path }, 'the store refused acknowledged events: they are kept in a file and not counted');

/** How long the store may fail before start-up fails, in milliseconds. */
const withinMs = 6 * patienceMs;

/**
 * Stores events that an earlier process acknowledged and the log does not have, with their original writer, sequences
 * and times of receipt. Runs before this process accepts events. It can be interrupted anywhere, and stores no event
 * twice. No other process writes to these stores, so every INSERT of the last process has either succeeded or failed.
 * @returns the number of events stored
 */
export async function replayJournal(options: ReplayOptions): Promise<Pick<StoredBatch, 'events'>> {
  const { folder, logger } = options;
  let events = 0;
  const done: string[] = [];
  for (const path of listLeft(folder)) {
    const segment = await readLeft(path);
    events += await replaySegment(segment, options);
    if (segment.hasDamagedHeader && segment.records.length > 0)
      logger.warn({ path }, 'a header of the journal is damaged: its copy was read, and nothing is lost');
    if (segment.damagedBytes === 0 && !segment.isCutOff) {
      done.push(path);
      continue;
    }
    const keptAt = await keepAside(path);
    if (segment.damagedBytes > 0)
      logger.error(
        { path: keptAt, bytes: segment.damagedBytes },
        'the journal is damaged: acknowledged events may be lost',
      );
    else
      logger.warn(
        { path: keptAt },
        'the journal ends in an unfinished record: its events were not acknowledged, unless the disk has lost the end of the file',
      );
  }
  await deleteLeft(folder, done);
  if (events > 0) logger.info({ events }, 'acknowledged events were stored from the journal');
  return { events };
}

async function replaySegment({ writer, records }: LeftSegment, options: ReplayOptions): Promise<number> {
  if (writer === undefined || records.length === 0) return 0;
  const { folder, store, control, clock, logger } = options;
  const storedSeq = await readStoredSeq(writer, records, options);
  const left = records.filter((record) => lastSeqOf(record) > storedSeq);
  if (left.length === 0) return 0;
  // A writer that was taken off the vector is put back, so that its events are assembled.
  await touchWriter(control, writer, { now: clock(), assembledSeq: storedSeq, storedSeq: null });
  const deleted = await readDeletedProjects(control);
  let events = 0;
  for (const batch of toBatches(writer, left)) {
    const rows = batch.filter(({ seq, event }) => seq > storedSeq && !deleted.has(event.projectId));
    const until = performance.now() + withinMs;
    let failure: unknown;
    const goesOn = (cause: unknown) => {
      failure = cause;
      // The start waits for room, and answers meanwhile.
      if (findDiskFault(cause) === 'full') return false;
      logger.warn({ err: cause }, 'events of the journal could not be stored; they will be tried again');
      return performance.now() < until;
    };
    // An INSERT of the previous process may have left its token without its rows.
    const token = `${newId('wrt')}:journal`;
    const onSetAside = noteSetAside(logger);
    const stored = await insertOrSetAside({ rows, token, goesOn }, { folder, onSetAside }, { store, writer, clock });
    if (stored === undefined) throw new Error('The events of the journal could not be stored', { cause: failure });
    events += stored;
  }
  return events;
}

/** The sequence up to which the log has, or had, all events of a writer, whose INSERTs are serial. */
async function readStoredSeq(
  writer: string,
  records: readonly JournalRecord[],
  { store, control }: ReplayOptions,
): Promise<number> {
  const times = records.flatMap(({ requests }) => requests.map(({ receivedAtMs }) => receivedAtMs));
  const [found] = await store.select<{ seq: string }>(
    `SELECT max(seq) AS seq FROM events
      WHERE writer = {writer:String} AND received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')`,
    { writer, since: times.reduce((earliest, time) => Math.min(earliest, time)) },
    6 * patienceMs,
  );
  const known = await control.selectFrom('writers').select('assembled_seq').where('id', '=', writer).executeTakeFirst();
  return Math.max(Number(found?.seq ?? 0), known?.assembled_seq ?? 0);
}

/** Rows for one INSERT each: of one month of receipt, and not too many. */
function* toBatches(writer: string, records: readonly JournalRecord[]): Generator<EventRow[]> {
  let batch: EventRow[] = [];
  for (const record of records) {
    const rows = toRows(writer, record);
    const [last, next] = [batch.at(-1), rows[0]];
    if (!next) continue;
    if (
      last &&
      (monthOf(last.receivedAtMs) !== monthOf(next.receivedAtMs) || batch.length + rows.length > maxInsertRows)
    ) {
      yield batch;
      batch = [];
    }
    batch.push(...rows);
  }
  if (batch.length > 0) yield batch;
}

/** Events of deleted projects are deleted or were never stored; nothing reads them. */
async function readDeletedProjects(control: ControlStore): Promise<ReadonlySet<string>> {
  const rows = await control.selectFrom('projects').select('id').where('deleted_at', 'is not', null).execute();
  return new Set(rows.map(({ id }) => id));
}
