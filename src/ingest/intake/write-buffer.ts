import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { EventRow, EventToStore } from '../../calls/event-columns.ts';
import { Problem } from '../../lib/problem.ts';
import { bytesOf, type IntakeBuffer, monthOf, type StoredBatch, type WaitingRequest } from './buffer.ts';
import { countFitting, type InsertOptions, insertBatch, isOutOfPatience } from './insert.ts';
import { alwaysTakenRequests, isLarge, overload, storeFailed } from './overload.ts';
import { ReceiptClock } from './receipt-clock.ts';

export interface WriteBufferOptions extends InsertOptions {
  /** The earliest time of receipt, in milliseconds since 1970: when the writer was registered. */
  readonly notBefore: number;
  /** Bytes of rows that may wait before requests are refused (D3.7). In memory an event has up to 1 KB more. */
  readonly maxBufferedBytes: number;
  /** Called with each durable batch and the milliseconds it took, before its requests are answered. */
  readonly onStored: (batch: StoredBatch, elapsedMs: number) => void;
  readonly onError: (cause: unknown) => void;
  /** Whether other instances store into the same store now. */
  readonly isShared: () => boolean;
}

/**
 * The longest expected time to store the backlog, in milliseconds. Above it requests are refused, so that accepted ones
 * are answered soon.
 */
const maxWaitMs = 250;
/** This many bytes may always wait: on a machine busy with other programs every INSERT takes long. */
const alwaysTakenBytes = 2 * 1_048_576;
/**
 * The smallest INSERT that is used to measure the speed of the store, in bytes. Smaller ones mostly wait for the disk
 * and the processor, which on a busy machine would make any backlog look like minutes.
 */
const tellingBytes = 1_048_576;
/** The time per byte to assume until an INSERT is measured, in milliseconds: 30 MiB per second. */
const firstMsPerByte = 1_000 / (30 * 1_048_576);
/**
 * How long requests gather for the next INSERT while other instances store too, in milliseconds. An INSERT of three
 * hundred events costs the store hardly more than one of a hundred (docs/decisions/tuning.md).
 */
const gatherMs = 30;
/** After an INSERT of fewer requests the next one goes at once, so that light traffic does not wait. */
const manyRequests = 32;
/**
 * The group commit: while one INSERT is under way, the next batch gathers. It goes when the first is durable, or
 * `gatherMs` later when instances share the store and many requests come.
 *
 * INSERTs are strictly serial, each into one partition (the month of receipt), and a batch gets its sequences when it
 * goes. So the sequences of a writer commit without gaps. Nothing newer goes before an INSERT with an unknown outcome.
 */
export class WriteBuffer implements IntakeBuffer {
  readonly #options: WriteBufferOptions;
  #waiting: WaitingRequest[] = [];
  #bufferedBytes = 0;
  /** Requests that wait or are under way. */
  #requests = 0;
  #lastSeq = 0;
  readonly #receipts: ReceiptClock;
  #draining: Promise<void> | undefined;
  #closed = false;
  #failure: unknown;
  /** The recent time per byte of an INSERT, in milliseconds. */
  #msPerByte = firstMsPerByte;

  constructor(options: WriteBufferOptions) {
    this.#options = options;
    this.#receipts = new ReceiptClock(options.clock, options.notBefore);
  }

  /** The sequence up to which all events are stored. */
  get storedSeq(): number {
    return this.#lastSeq;
  }

  /** The error of the last INSERT; undefined when it succeeded. */
  get failure(): unknown {
    return this.#failure;
  }

  readonly takesEvents = false;

  /** Never: events are acknowledged when the log has them. */
  readonly hasUnstored = false;

  /** Bytes of rows that wait or are under way. */
  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  /** Whether the backlog is so large that another large request would not be stored soon (D3.7). */
  get isFull(): boolean {
    if (this.#requests < alwaysTakenRequests) return false;
    return this.#bufferedBytes > alwaysTakenBytes && this.#bufferedBytes * this.#msPerByte > maxWaitMs;
  }

  /**
   * The time of receipt for the next events, in milliseconds since 1970: never before that of earlier events (D4.3).
   */
  receivedAt(): number {
    return this.#receipts.read();
  }

  /** The last stored sequence, and a time before which no later event is received; undefined while events wait. */
  idleSince(): { readonly seq: number; readonly receivedAt: number } | undefined {
    if (this.#bufferedBytes > 0) return undefined;
    return { seq: this.#lastSeq, receivedAt: this.#receipts.read() };
  }

  /**
   * Stores the events of one project; resolves when they are durable (D3.2).
   * @throws Problem `unavailable` when the store can't take them (D3.7); they may still have been stored
   */
  store(events: readonly EventToStore[], takenAtMs: number): Promise<void> {
    const first = events[0];
    if (!first) return Promise.resolve();
    const receivedAtMs = this.#receipts.raise(takenAtMs);
    const { sentBytes, bytes } = bytesOf(events);
    if (this.#closed) return Promise.reject(storeFailed(new Error('the buffer is closed')));
    if (
      (isLarge(sentBytes) && this.isFull) ||
      (this.#bufferedBytes > 0 && this.#bufferedBytes + bytes > this.#options.maxBufferedBytes)
    ) {
      return Promise.reject(overload);
    }
    this.#bufferedBytes += bytes;
    this.#requests += 1;
    return new Promise<void>((resolve, reject) => {
      const since = this.#options.clock();
      this.#waiting.push({
        events,
        projectId: first.projectId,
        bytes,
        month: monthOf(receivedAtMs),
        receivedAtMs,
        since,
        resolve,
        reject,
      });
      this.#draining ??= this.#drain();
    });
  }

  hasten(): void {
    // Nothing acknowledged waits.
  }

  async flush(): Promise<void> {
    // The log has everything that was acknowledged.
  }

  /** Takes no more events and stores those that wait. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
  }

  async #drain(): Promise<void> {
    // Requests that arrive in the same turn of the event loop share the first INSERT.
    await nextTurn();
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      await this.#insert(batch);
      if (batch.length >= manyRequests && !this.#closed && this.#options.isShared()) await sleep(gatherMs);
    }
    this.#draining = undefined;
  }

  #takeBatch(): WaitingRequest[] {
    return this.#waiting.splice(
      0,
      countFitting(this.#waiting, ({ events }) => events.length),
    );
  }

  async #insert(batch: readonly WaitingRequest[]): Promise<void> {
    const { store, writer, onStored, onError } = this.#options;
    let seq = this.#lastSeq;
    const lastSeqByProject = new Map<string, number>();
    const rows: EventRow[] = [];
    for (const { events, receivedAtMs, projectId } of batch) {
      for (const event of events) {
        seq += 1;
        rows.push({ writer, seq, receivedAtMs, event });
      }
      lastSeqByProject.set(projectId, seq);
    }

    let refused = false;
    const startedAt = performance.now();
    const goesOn = (cause: unknown): boolean => {
      onError(cause);
      if (store.isRefusedRow(cause)) {
        // Certainly not stored, so the next batch gets its sequences.
        this.#finish(batch, (entry) =>
          entry.reject(new Problem('internal', 'An event could not be stored.', { cause })),
        );
        return false;
      }
      this.#failure = cause;
      if (!refused && batch[0] && isOutOfPatience(batch[0], this.#options.clock)) {
        refused = true;
        for (const entry of batch) entry.reject(storeFailed(cause));
      }
      this.#refuseImpatient(cause);
      if (!this.#closed || !refused) return true;
      this.#refuseAll(cause);
      return false;
    };
    if (!(await insertBatch({ rows, goesOn }, this.#options))) return;
    const elapsedMs = performance.now() - startedAt;
    const bytes = batch.reduce((sum, entry) => sum + entry.bytes, 0);
    if (bytes >= tellingBytes) {
      this.#msPerByte = 0.7 * this.#msPerByte + (0.3 * elapsedMs) / bytes;
    }
    this.#failure = undefined;
    this.#lastSeq = seq;
    onStored({ lastSeq: seq, lastSeqByProject, events: rows.length }, elapsedMs);
    this.#finish(batch, (entry) => entry.resolve());
  }

  #finish(batch: readonly WaitingRequest[], answer: (entry: WaitingRequest) => void): void {
    for (const entry of batch) {
      this.#bufferedBytes -= entry.bytes;
      this.#requests -= 1;
      answer(entry);
    }
  }

  /** Refuses requests that have waited too long. They were never part of an INSERT, so this is final. */
  #refuseImpatient(cause: unknown): void {
    const impatient = this.#waiting.filter((entry) => isOutOfPatience(entry, this.#options.clock));
    this.#waiting = this.#waiting.filter((entry) => !impatient.includes(entry));
    this.#finish(impatient, (entry) => entry.reject(storeFailed(cause)));
  }

  #refuseAll(cause: unknown): void {
    const all = this.#waiting;
    this.#waiting = [];
    this.#finish(all, (entry) => entry.reject(storeFailed(cause)));
  }
}
