import { setTimeout as sleep } from 'node:timers/promises';
import { type EventRow, eventColumns } from '../../calls/events/event-columns.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';

export interface InsertOptions {
  readonly store: AnalyticStore;
  readonly writer: string;
  readonly clock: Clock;
  /** Notes a stored sequence that the log alone does not show; retried until it succeeds. Requests wait for it. */
  readonly noteStoredSeq?: ((seq: number) => Promise<void>) | undefined;
  /** Called before an INSERT. The result is called with its rows once the log has them, before requests are answered. */
  readonly onInsert?: () => (rows: readonly EventRow[]) => void;
}

export interface InsertBatch {
  /** Rows of one month of receipt, in the order of their sequences. */
  readonly rows: readonly EventRow[];
  /** A text that no other INSERT has had as its token; that of the writer and the sequences when unset. */
  readonly token?: string;
  /** Called after each failed attempt; returns false to give up. */
  readonly goesOn: (cause: unknown) => boolean;
}

/** The most rows of an INSERT, and bytes. */
export const maxInsertRows = 50_000;
const maxInsertBytes = 32 * 1_048_576;
/** How long a request waits for a store that does not take its events, in milliseconds. */
export const patienceMs = 10_000;
/** The number of waiting requests that fit into the next INSERT, all of one month: at least one, if there is any. */
export function countFitting<Entry extends { readonly month: number; readonly bytes: number }>(
  waiting: readonly Entry[],
  rowsOf: (entry: Entry) => number,
): number {
  const month = waiting[0]?.month;
  let [rows, bytes, count] = [0, 0, 0];
  for (const entry of waiting) {
    rows += rowsOf(entry);
    bytes += entry.bytes;
    const isTooMuch = rows > maxInsertRows || bytes > maxInsertBytes;
    if (entry.month !== month || (count > 0 && isTooMuch)) break;
    count += 1;
  }
  return count;
}

/** Whether a request has waited too long; after the clock was set back the wait is unknown, and too long as well. */
export function isOutOfPatience({ since }: { readonly since: number }, clock: Clock): boolean {
  const waitedMs = clock() - since;
  return waitedMs >= patienceMs || waitedMs < 0;
}

/** How long the store surely knows an INSERT's token, in milliseconds: it keeps only the last ones. */
const tokenKnownMs = 5_000;
/** The longest time from noting a token to having its part in place, in milliseconds. */
const inPlaceMs = 1_000;
const firstRetryMs = 50;
const lastRetryMs = 2_000;

/**
 * One INSERT, repeated with the same rows and token while its outcome is unknown; nothing newer goes before. Returns
 * whether it is stored; unknown when `goesOn` has given up, unless the store refuses the rows.
 */
export async function insertBatch(
  { rows, goesOn, ...batch }: InsertBatch,
  { store, writer, clock, noteStoredSeq, onInsert }: InsertOptions,
): Promise<boolean> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return true;
  let token = batch.token ?? `${writer}:${first.seq}-${last.seq}`;
  let isRepeated = false;
  const onInserted = onInsert?.();
  const triedAt = clock();
  for (let retryMs = firstRetryMs; ; retryMs = Math.min(2 * retryMs, lastRetryMs)) {
    try {
      const isTokenKnown = clock() - triedAt < tokenKnownMs;
      if (isTokenKnown || !(await isStored(rows, store))) {
        await store.insertRows('events', eventColumns, rows, { deduplicationToken: token });
        if (isRepeated && !(await isStoredSoon(rows, store))) {
          token = `${token}+`;
          throw new Error('the store knows the token of an INSERT but does not have its rows');
        }
      }
      await noteStoredSeq?.(last.seq);
      onInserted?.(rows);
      return true;
    } catch (cause) {
      isRepeated = true;
      if (!goesOn(cause)) return false;
      await sleep(retryMs);
    }
  }
}

/**
 * Whether the store has the rows of a repeated INSERT. The engine records a token just before it puts the part in
 * place. If it is killed in between, it takes the repetition for a duplicate and reports success without the rows.
 * The check waits `inPlaceMs` for a part that is still being put in place, so that it is not stored twice.
 */
async function isStoredSoon(rows: readonly EventRow[], store: AnalyticStore): Promise<boolean> {
  const until = performance.now() + inPlaceMs;
  while (!(await isStored(rows, store))) {
    if (performance.now() >= until) return false;
    await sleep(firstRetryMs);
  }
  return true;
}

/** Whether an INSERT whose outcome was unknown has stored its rows. */
async function isStored(rows: readonly EventRow[], store: AnalyticStore): Promise<boolean> {
  const since = rows.reduce((earliest, { receivedAtMs }) => Math.min(earliest, receivedAtMs), Number.MAX_SAFE_INTEGER);
  const [found] = await store.select<{ events: string }>(
    `SELECT uniqExact(seq) AS events FROM events
      WHERE writer = {writer:String} AND seq >= {first:UInt64} AND seq <= {last:UInt64}
        AND received_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')`,
    { writer: rows[0]?.writer ?? '', first: rows[0]?.seq ?? 0, last: rows.at(-1)?.seq ?? 0, since },
    patienceMs,
  );
  return Number(found?.events) === rows.length;
}
