import type { ControlQueries, ControlStore } from '../../control/control-store.ts';
import { LeaseLost } from './lease.ts';

/** How far the events of one writer are in the calls. */
export interface Watermark {
  readonly writer: string;
  /** The highest sequence that is assembled; 0 for none. */
  readonly seq: number;
  /** No event above that was received before this, in milliseconds since 1970: what is older need not be read for them. */
  readonly receivedAt: number;
  /** When the writer was last alive. */
  readonly lastSeenAt: number;
  /**
   * The sequence up to which all are stored for certain, or null when the log has no gaps: on several shards an INSERT may be
   * there in part.
   */
  readonly storedSeq: number | null;
}

/** The last sequence of a writer that may be taken from the log. */
export const lastStored = ({ storedSeq }: Watermark): number => storedSeq ?? Number.MAX_SAFE_INTEGER;

/** Enters a process start as a writer; it receives its first event at `now` or later. */
export async function registerWriter(
  control: ControlStore,
  writer: string,
  now: number,
  storedSeq: number | null = null,
): Promise<void> {
  await control
    .insertInto('writers')
    .values({
      id: writer,
      started_at: now,
      last_seen_at: now,
      assembled_seq: 0,
      assembled_received_at: now,
      stored_seq: storedSeq,
    })
    .execute();
}

/** All of a writer that is in the log, and since when nothing more has come. */
export interface Quiet {
  readonly seq: number;
  /** Every later event is received at this time or later, in milliseconds since 1970. */
  readonly receivedAt: number;
}

/**
 * Says since when a writer has had nothing to store, if all that it had is in the calls: a batch that others fill need not
 * look for its events in the log of hours.
 */
export async function noteQuiet(control: ControlStore, writer: string, { seq, receivedAt }: Quiet): Promise<void> {
  await control
    .updateTable('writers')
    .set({ assembled_received_at: receivedAt })
    .where('id', '=', writer)
    .where('assembled_seq', '=', seq)
    .where('assembled_received_at', '<', receivedAt)
    .execute();
}

/** Says that all events of a writer up to a sequence are stored, before their requests are answered. */
export async function noteStoredSeq(control: ControlStore, writer: string, seq: number): Promise<void> {
  const { numUpdatedRows } = await control
    .updateTable('writers')
    .set({ stored_seq: seq })
    .where('id', '=', writer)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new Error(`The writer ${writer} is not on the vector`);
}

/** Lets all be taken that a dead writer has left in the log: nothing more comes to it. */
export async function openDeadWriter(control: ControlStore, { writer, lastSeenAt }: Watermark): Promise<void> {
  await control
    .updateTable('writers')
    .set({ stored_seq: null })
    .where('id', '=', writer)
    .where('last_seen_at', '=', lastSeenAt)
    .execute();
}

/**
 * Says that the writer is alive, so that it is not taken off the vector. If it was all the same, because it had been paused
 * for long, it is put on it again from the last sequence that it knows to be assembled: what it stores is never left out.
 */
export async function touchWriter(
  control: ControlStore,
  writer: string,
  {
    now,
    assembledSeq,
    storedSeq,
  }: { readonly now: number; readonly assembledSeq: number; readonly storedSeq: number | null },
): Promise<void> {
  await control
    .insertInto('writers')
    .values({
      id: writer,
      started_at: now,
      last_seen_at: now,
      assembled_seq: assembledSeq,
      assembled_received_at: 0,
      stored_seq: storedSeq,
    })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((row) => ({
        last_seen_at: now,
        // What was told last may be ahead of what this process knows by now.
        stored_seq: row.fn.coalesce('writers.stored_seq', row.val(storedSeq)),
      })),
    )
    .execute();
}

/** The watermark vector. */
export async function readWatermarks(control: ControlStore): Promise<Watermark[]> {
  const rows = await control.selectFrom('writers').selectAll().orderBy('id').execute();
  return rows.map((row) => ({
    writer: row.id,
    seq: row.assembled_seq,
    receivedAt: row.assembled_received_at,
    lastSeenAt: row.last_seen_at,
    storedSeq: row.stored_seq,
  }));
}

/** Moves one writer's watermark by compare-and-set. @throws LeaseLost when it is not where it was read. */
export async function advanceWatermark(
  transaction: ControlQueries,
  from: Watermark,
  to: { readonly seq: number; readonly receivedAt: number },
): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('writers')
    .set({ assembled_seq: to.seq, assembled_received_at: to.receivedAt })
    .where('id', '=', from.writer)
    .where('assembled_seq', '=', from.seq)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw new LeaseLost(`The watermark of ${from.writer} is no longer at ${from.seq}`);
}

/** Takes a writer off the vector that is dead and wholly assembled, unless it has shown itself since it was read. */
export async function retireWriter(control: ControlStore, { writer, seq, lastSeenAt }: Watermark): Promise<void> {
  await control
    .deleteFrom('writers')
    .where('id', '=', writer)
    .where('assembled_seq', '=', seq)
    .where('last_seen_at', '=', lastSeenAt)
    .execute();
}
