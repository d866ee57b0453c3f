import type { ControlQueries, ControlStore } from '../../control/control-store.ts';
import { LeaseLost } from './lease.ts';

/** How far the events of one writer are in the calls. */
export interface Watermark {
  readonly writer: string;
  /** The highest sequence that is assembled; 0 for none. */
  readonly seq: number;
  /** When that event was received, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** When the writer was last alive. */
  readonly lastSeenAt: number;
}

/** Enters a process start as a writer, before its first event. */
export async function registerWriter(control: ControlStore, writer: string, now: number): Promise<void> {
  await control
    .insertInto('writers')
    .values({ id: writer, started_at: now, last_seen_at: now, assembled_seq: 0, assembled_received_at: 0 })
    .execute();
}

/**
 * Says that the writer is alive, so that it is not taken off the vector. If it was all the same, because it had been paused
 * for long, it is put on it again from the last sequence that it knows to be assembled: what it stores is never left out.
 */
export async function touchWriter(
  control: ControlStore,
  writer: string,
  { now, assembledSeq }: { readonly now: number; readonly assembledSeq: number },
): Promise<void> {
  await control
    .insertInto('writers')
    .values({ id: writer, started_at: now, last_seen_at: now, assembled_seq: assembledSeq, assembled_received_at: 0 })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ last_seen_at: now }))
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
