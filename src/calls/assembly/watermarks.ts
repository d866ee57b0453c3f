import { type ControlQueries, type ControlStore, changeRows, deleteRows } from '../../storage/control/control-store.ts';
import { LeaseLost } from '../../storage/control/lease.ts';

/** How far the events of one writer are assembled. */
export interface Watermark {
  readonly writer: string;
  /** The highest sequence that is assembled; 0 for none. */
  readonly seq: number;
  /** Events above `seq` were received at this time or later, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** When the writer was last alive, in milliseconds since 1970; 0 for a writer known only from a copied log. */
  readonly lastSeenAt: number;
  /** The sequence up to which all events are surely stored; null without gaps, which only several shards leave. */
  readonly storedSeq: number | null;
}

/** The last sequence of a writer that may be read from the log. */
export const lastStored = ({ storedSeq }: Watermark): number => storedSeq ?? Number.MAX_SAFE_INTEGER;

/** Registers a start of the service as a writer. It receives its first event at `now` or later. */
export async function registerWriter(
  control: ControlStore,
  writer: string,
  now: number,
  storedSeq: number | null = null,
): Promise<void> {
  const row = { ...newWriter(writer, now), assembled_seq: 0, assembled_received_at: now, stored_seq: storedSeq };
  await control.insertInto('writers').values(row).execute();
}

const newWriter = (id: string, now: number) => ({ id, started_at: now, last_seen_at: now });

/** How far an idle writer has stored events, and since when it is idle. */
export interface IdleSince {
  readonly seq: number;
  /** Every later event is received at this time or later, in milliseconds since 1970. */
  readonly receivedAt: number;
}

/** Records since when a writer with no unassembled events is idle, so that batches read no hours of the log. */
export async function noteIdle(control: ControlStore, writer: string, { seq, receivedAt }: IdleSince): Promise<void> {
  await control
    .updateTable('writers')
    .set({ assembled_received_at: receivedAt })
    .where('id', '=', writer)
    .where('assembled_seq', '=', seq)
    .where('assembled_received_at', '<', receivedAt)
    .execute();
}

/** Call this before the requests of these events are answered. @throws Error when the writer is not on the vector */
export async function noteStoredSeq(control: ControlStore, writer: string, seq: number): Promise<void> {
  const isOnVector = await changeRows(control, 'writers', { id: writer }, { stored_seq: seq });
  if (!isOnVector) throw new Error(`The writer ${writer} is not on the vector`);
}

/** Lets batches read all events that a dead writer left in the log: it stores no more, so no gap is closed later. */
async function openDeadWriter(control: ControlStore, { writer, lastSeenAt }: Watermark): Promise<void> {
  await changeRows(control, 'writers', { id: writer, last_seen_at: lastSeenAt }, { stored_seq: null });
}

/** Keeps the writer on the vector, or puts it back after a long pause, with what it knows to be assembled. */
export async function touchWriter(
  control: ControlStore,
  writer: string,
  { now, ...known }: { readonly now: number; readonly assembledSeq: number; readonly storedSeq: number | null },
): Promise<void> {
  const stored = { assembled_seq: known.assembledSeq, assembled_received_at: 0, stored_seq: known.storedSeq };
  await control
    .insertInto('writers')
    .values({ ...newWriter(writer, now), ...stored })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((row) => ({
        last_seen_at: now,
        // The recorded sequence may be ahead of the one that this process knows.
        stored_seq: row.fn.coalesce('writers.stored_seq', row.val(known.storedSeq)),
      })),
    )
    .execute();
}

export async function readWatermarks(control: ControlQueries): Promise<Watermark[]> {
  const rows = await control.selectFrom('writers').selectAll().orderBy('id').execute();
  return rows.map((row) => ({
    writer: row.id,
    seq: row.assembled_seq,
    receivedAt: row.assembled_received_at,
    lastSeenAt: row.last_seen_at,
    storedSeq: row.stored_seq,
  }));
}

/** A project's vector, its own while it is apart (docs/decisions/0032). Writers that it lacks have nothing left. */
export async function readWatermarksOf(control: ControlQueries, projectId: string): Promise<Watermark[]> {
  // Read in this order: a project that is set apart meanwhile has its events below the vector assembled.
  const shared = await readWatermarks(control);
  const rows = await control.selectFrom('apart_watermarks').selectAll().where('project_id', '=', projectId).execute();
  if (rows.length === 0) return shared;
  const own = new Map(
    rows.map(({ writer, assembled_seq: seq, assembled_received_at: receivedAt }) => [writer, { seq, receivedAt }]),
  );
  const present = new Set(shared.map(({ writer }) => writer));
  const retired = Array.from(own, ([writer, reached]) => ({ writer, ...reached, lastSeenAt: 0, storedSeq: null }));
  return [
    // A writer that came later has nothing assembled.
    ...shared.map((mark) => ({ ...mark, ...(own.get(mark.writer) ?? { seq: 0, receivedAt: 0 }) })),
    ...retired.filter(({ writer }) => !present.has(writer)),
  ];
}

/** Moves one writer's watermark by compare-and-set. @throws LeaseLost when it has moved since it was read */
export async function advanceWatermark(
  transaction: ControlQueries,
  from: Watermark,
  to: { readonly seq: number; readonly receivedAt: number },
): Promise<void> {
  const there = { id: from.writer, assembled_seq: from.seq };
  const moved = { assembled_seq: to.seq, assembled_received_at: to.receivedAt };
  if (!(await changeRows(transaction, 'writers', there, moved)))
    throw new LeaseLost(`The watermark of ${from.writer} is no longer at ${from.seq}`);
}

/** Takes a dead and fully assembled writer off the vector, unless it came back to life after it was read. */
export async function retireWriter(control: ControlStore, { writer, seq, lastSeenAt }: Watermark): Promise<void> {
  await deleteRows(control, 'writers', { id: writer, assembled_seq: seq, last_seen_at: lastSeenAt });
}

/** Takes dead writers off the vector; of those with a stored sequence, the rest of their events is allowed first. */
export async function retireDeadWriters(control: ControlStore, dead: readonly Watermark[]): Promise<void> {
  for (const watermark of dead) {
    if (watermark.storedSeq === null) await retireWriter(control, watermark);
    else await openDeadWriter(control, watermark);
  }
}
