import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { EventToStore } from '../../calls/events/event-columns.ts';
import { Problem } from '../../lib/problem.ts';
import { Waiters } from '../../lib/waiters.ts';
import { bytesOf, type CommitGroup, monthOf, type StoredBatch, toGroup, type WaitingRequest } from './group.ts';
import { readRows, toJournaled } from './group-rows.ts';
import {
  countFitting,
  type InsertBatch,
  type InsertOptions,
  insertBatch,
  isOutOfPatience,
  patienceMs,
} from './insert.ts';
import type { Journal } from './journal/journal.ts';
import { alwaysTakenRequests, isLarge, overload, storeFailed } from './overload.ts';
import { ReceiptClock } from './receipt-clock.ts';
import { insertOrSetAside, type SetAside } from './refused.ts';

/** A journal that makes events durable before the log has them. */
export interface BufferJournal extends Pick<SetAside, 'onSetAside'> {
  readonly journal: Journal;
  /** Bytes of the journal that may wait for the store before requests are refused (D3.7). */
  readonly maxBytes: number;
  /** Called with each batch that the journal has, before its requests are answered. */
  readonly onAcknowledged: (batch: StoredBatch) => void;
}

export interface IntakeBufferOptions extends InsertOptions {
  /** Without one, requests wait for the INSERT. */
  readonly journaled?: BufferJournal | undefined;
  /** The earliest time of receipt, in milliseconds since 1970: when the writer was registered. */
  readonly notBefore: number;
  /** Bytes of rows that are held in memory; a journal has further ones. In memory an event has up to 1 KB more. */
  readonly maxBufferedBytes: number;
  /** Called with each batch that the log has and the milliseconds it took, before requests that wait are answered. */
  readonly onStored: (batch: StoredBatch, elapsedMs: number) => void;
  readonly onError: (cause: unknown) => void;
  /** Whether other instances store into the same store now. */
  readonly isShared: () => boolean;
}

/** Bytes that may wait to be durable before large requests are refused; a store takes 30 MiB a second. */
const maxUnsafeBytes = { journal: 16 * 1_048_576, store: 8 * 1_048_576 };
/**
 * Acknowledged events are stored from this number or age on, or earlier if an answer waits for them. An event in an
 * INSERT of thousands costs the store a fifth of one in an INSERT of hundreds.
 */
const manyEvents = 10_000;
const storeAfterMs = 250;
/**
 * How long requests gather for the next INSERT while other instances store too, in milliseconds. An INSERT of three
 * hundred events costs the store hardly more than one of a hundred.
 */
const gatherMs = 30;
/** After an INSERT of fewer requests the next one goes at once, so that light traffic does not wait. */
const manyRequests = 32;

/**
 * Makes events durable, and stores them in the log. Requests that arrive together form a group, whose events get their
 * sequences. With a journal, a group is answered when the journal has it, and is stored later with many others; while
 * the journal cannot be written, its requests wait for the INSERT. Without a journal each group is an INSERT; requests
 * that come meanwhile form the next group. It gets its sequences when its INSERT begins, so refused requests use none.
 *
 * INSERTs are strictly serial, in the order of the sequences, each into one partition (the month of receipt). Nothing
 * newer goes before an INSERT with an unknown outcome. So with an event the log has every earlier one of its writer.
 */
export class IntakeBuffer {
  readonly #options: IntakeBufferOptions;
  /** Requests without sequences. */
  #arriving: WaitingRequest[] = [];
  /** Groups that the log does not have yet, in the order of their sequences. */
  #groups: CommitGroup[] = [];
  /** Bytes of requests that are not answered. */
  #unsafeBytes = 0;
  #unsafeRequests = 0;
  /** Bytes of requests in memory. */
  #heldBytes = 0;
  /** Bytes of requests that the log does not have. */
  #bufferedBytes = 0;
  /** Bytes of the journal that the log does not have. */
  #journalBytes = 0;
  #waitingEvents = 0;
  #lastSeq = 0;
  #storedSeq = 0;
  #acknowledgedSeq = 0;
  /** An answer waits until the log has events up to this sequence. */
  #hastenedSeq = 0;
  readonly #receipts: ReceiptClock;
  #gathering: Promise<void> | undefined;
  #storing: Promise<void> | undefined;
  #closedAt: number | undefined;
  #journalFailure: unknown;
  #storeFailure: unknown;
  readonly #due = new Waiters();
  readonly #stored = new Waiters();

  constructor(options: IntakeBufferOptions) {
    this.#options = options;
    this.#receipts = new ReceiptClock(options.clock, options.notBefore);
  }

  /** The sequence up to which the log has all events. */
  get storedSeq(): number {
    return this.#storedSeq;
  }

  /** The error of the last attempt to make events durable, or to store them; undefined when it succeeded. */
  get failure(): unknown {
    return this.#storeFailure ?? this.#journalFailure;
  }

  /** Whether events are accepted while the store fails. */
  get takesEvents(): boolean {
    return this.#options.journaled !== undefined && this.#journalFailure === undefined && !this.isFull;
  }

  /** Whether acknowledged events are missing in the log. */
  get hasUnstored(): boolean {
    return this.#acknowledgedSeq > this.#storedSeq;
  }

  /** Bytes of events that the log does not have yet. */
  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  /** Whether the backlog is so large that another large request would not be durable soon (D3.7). */
  get isFull(): boolean {
    const { journaled } = this.#options;
    if (journaled && this.#journalBytes > journaled.maxBytes) return true;
    const most = maxUnsafeBytes[journaled ? 'journal' : 'store'];
    return this.#unsafeRequests >= alwaysTakenRequests && this.#unsafeBytes > most;
  }

  /** The time of receipt for the next events, in milliseconds since 1970: never before that of earlier events (D4.3). */
  receivedAt(): number {
    return this.#receipts.read();
  }

  /** The last stored sequence, and a time before which no later event is received; undefined while events wait. */
  idleSince(): { readonly seq: number; readonly receivedAt: number } | undefined {
    if (this.#bufferedBytes > 0) return undefined;
    return { seq: this.#storedSeq, receivedAt: this.#receipts.read() };
  }

  /** Resolves when durable (D3.2). @throws Problem `unavailable` (D3.7); they may have been stored all the same */
  store(events: readonly EventToStore[], takenAtMs: number): Promise<void> {
    const first = events[0];
    if (!first) return Promise.resolve();
    const receivedAtMs = this.#receipts.raise(takenAtMs);
    const { sentBytes, bytes } = bytesOf(events);
    if (this.#closedAt !== undefined) return Promise.reject(storeFailed(new Error('the buffer is closed')));
    const { maxBufferedBytes, journaled } = this.#options;
    const ahead = this.#journalBytes + this.#unsafeBytes;
    if (
      (isLarge(sentBytes) && this.isFull) ||
      (this.#unsafeBytes > 0 && this.#unsafeBytes + bytes > maxBufferedBytes) ||
      (journaled && this.#bufferedBytes > 0 && ahead + sentBytes > journaled.maxBytes)
    ) {
      return Promise.reject(overload);
    }
    this.#unsafeBytes += bytes;
    this.#heldBytes += bytes;
    this.#bufferedBytes += bytes;
    this.#unsafeRequests += 1;
    return new Promise<void>((resolve, reject) => {
      this.#arriving.push({
        events,
        projectId: first.projectId,
        bytes,
        month: monthOf(receivedAtMs),
        readAtMs: takenAtMs,
        receivedAtMs,
        since: this.#options.clock(),
        resolve,
        reject,
      });
      this.#gathering ??= this.#gatherArriving();
    });
  }

  /** Stores acknowledged events at once, because an answer waits for them. */
  hasten(): void {
    this.#hastenedSeq = this.#acknowledgedSeq;
    this.#due.wakeAll();
  }

  /** Resolves once the log has all events acknowledged before. @throws Problem `catching_up` (D4.7) */
  async flush(): Promise<void> {
    const needed = this.#acknowledgedSeq;
    this.hasten();
    const until = performance.now() + patienceMs;
    while (this.#storedSeq < needed) {
      const leftMs = until - performance.now();
      if (leftMs <= 0) throw this.#notStoredYet();
      await this.#stored.wait(leftMs);
    }
  }

  #notStoredYet(): Problem {
    const detail = 'Acknowledged events are not in the store yet; ask again.';
    return new Problem('catching_up', detail, { headers: { 'retry-after': '2' }, cause: this.#storeFailure });
  }

  /** Accepts no more events and stores the waiting ones. */
  async close(): Promise<void> {
    this.#closedAt = performance.now();
    this.#due.wakeAll();
    await this.#gathering;
    await this.#storing;
    await this.#options.journaled?.journal.close();
  }

  async #gatherArriving(): Promise<void> {
    // Requests that arrive in the same turn of the event loop share a group.
    await nextTurn();
    while (this.#arriving.length > 0) {
      const fitting = countFitting(this.#arriving, ({ events }) => events.length);
      const requests = this.#arriving.splice(0, fitting);
      await this.#append(requests);
      if (this.#options.journaled) continue;
      await this.#storing;
      const isDue = requests.length < manyRequests || this.#closedAt !== undefined || !this.#options.isShared();
      if (!isDue) await sleep(gatherMs);
    }
    this.#gathering = undefined;
  }

  async #append(requests: readonly WaitingRequest[]): Promise<void> {
    const { journaled } = this.#options;
    const numbered = toGroup(requests, this.#lastSeq);
    this.#lastSeq = numbered.lastSeq;
    const location = journaled && (await this.#journal(journaled.journal, numbered.firstSeq, requests));
    const group: CommitGroup = { ...numbered, location, requests };
    this.#groups.push(group);
    this.#waitingEvents += group.events;
    if (location) {
      this.#journalBytes += location.bytes;
      this.#acknowledgedSeq = group.lastSeq;
      journaled?.onAcknowledged(group);
      for (const { resolve } of requests) resolve();
      this.#noteAnswered(requests);
      if (this.#heldBytes > this.#options.maxBufferedBytes) {
        this.#heldBytes -= group.bytes;
        group.requests = undefined;
      }
    }
    if (!location || this.#waitingEvents >= manyEvents) this.#due.wakeAll();
    this.#storing ??= this.#storeGroups();
  }

  /** Where the journal has the requests; undefined when it could not be written. */
  async #journal(
    journal: Journal,
    firstSeq: number,
    requests: readonly WaitingRequest[],
  ): Promise<CommitGroup['location']> {
    try {
      const location = await journal.append({ firstSeq, requests: requests.map(toJournaled) });
      this.#journalFailure = undefined;
      return location;
    } catch (cause) {
      this.#journalFailure = cause;
      this.#options.onError(cause);
      return undefined;
    }
  }

  #noteAnswered(requests: readonly WaitingRequest[]): void {
    for (const { bytes } of requests) this.#unsafeBytes -= bytes;
    this.#unsafeRequests -= requests.length;
  }

  async #storeGroups(): Promise<void> {
    while (this.#groups.length > 0) {
      await this.#untilDue();
      const fitting = countFitting(this.#groups, ({ events }) => events);
      if (!(await this.#insert(this.#groups.slice(0, fitting)))) break;
    }
    this.#storing = undefined;
  }

  async #untilDue(): Promise<void> {
    for (;;) {
      const [first] = this.#groups;
      if (!first || this.#closedAt !== undefined || this.#storedSeq < this.#hastenedSeq) return;
      if (this.#waitingEvents >= manyEvents || this.#groups.some(({ location }) => !location)) return;
      const leftMs = first.gatheredAt + storeAfterMs - performance.now();
      if (leftMs <= 0) return;
      await this.#due.wait(leftMs);
    }
  }

  /** Stores the first groups; false when they are left to the next start. */
  async #insert(batch: readonly CommitGroup[]): Promise<boolean> {
    const { journaled, writer, onStored, onError } = this.#options;
    const last = batch.at(-1);
    if (!last) return true;
    const startedAt = performance.now();
    const goesOn = (cause: unknown): boolean => {
      onError(cause);
      this.#storeFailure = cause;
      this.#refuseImpatient(batch, cause);
      return this.#closedAt === undefined || performance.now() - this.#closedAt < patienceMs;
    };
    const rows = await readRows(batch, { writer, journal: journaled?.journal, goesOn });
    const events =
      rows &&
      (journaled
        ? await insertOrSetAside({ rows, goesOn }, { ...journaled, folder: journaled.journal.folder }, this.#options)
        : await this.#insertOrRefuse(batch, { rows, goesOn }));
    if (events === undefined) {
      this.#refuseAll();
      return false;
    }
    this.#storeFailure = undefined;
    this.#journalFailure = undefined;
    this.#groups.splice(0, batch.length);
    if (events > 0 || journaled) {
      this.#storedSeq = last.lastSeq;
      const lastSeqByProject = new Map(batch.flatMap((group) => [...group.lastSeqByProject]));
      onStored({ lastSeq: last.lastSeq, lastSeqByProject, events }, performance.now() - startedAt);
    }
    for (const group of batch) this.#release(group, (request) => request.resolve());
    this.#stored.wakeAll();
    await journaled?.journal.forget(last.lastSeq).catch(onError);
    return true;
  }

  /** Refuses all if the store refuses a row. Returns the rows stored; undefined when `goesOn` has given up. */
  async #insertOrRefuse(groups: readonly CommitGroup[], batch: InsertBatch): Promise<number | undefined> {
    let refusal: Problem | undefined;
    const goesOn = (cause: unknown): boolean => {
      if (!this.#options.store.isRefusedRow(cause)) return batch.goesOn(cause);
      this.#options.onError(cause);
      refusal = new Problem('internal', 'An event could not be stored.', { cause });
      return false;
    };
    if (await insertBatch({ ...batch, goesOn }, this.#options)) return batch.rows.length;
    if (!refusal) return undefined;
    for (const request of groups.flatMap(({ requests }) => requests ?? [])) request.reject(refusal);
    // Certainly not stored, so the next group gets its sequences.
    this.#lastSeq = this.#storedSeq;
    return 0;
  }

  /** Releases the memory and bytes that a group holds, and answers its requests if they still wait. */
  #release(group: CommitGroup, answer: (request: WaitingRequest) => void): void {
    this.#bufferedBytes -= group.bytes;
    this.#waitingEvents -= group.events;
    if (group.requests) this.#heldBytes -= group.bytes;
    if (group.location) {
      this.#journalBytes -= group.location.bytes;
      return;
    }
    this.#noteAnswered(group.requests ?? []);
    for (const request of group.requests ?? []) answer(request);
  }

  /** Refuses requests that the journal does not have and that have waited too long for the store. */
  #refuseImpatient(underWay: readonly CommitGroup[], cause: unknown): void {
    const isImpatient = (request: WaitingRequest) => isOutOfPatience(request, this.#options.clock);
    for (const group of this.#groups.filter(({ location, requests }) => !location && requests?.some(isImpatient))) {
      if (underWay.includes(group)) {
        // They may have been stored. The INSERT is repeated until that is known.
        for (const { reject } of group.requests ?? []) reject(storeFailed(cause));
      } else {
        this.#groups.splice(this.#groups.indexOf(group), 1);
        this.#release(group, ({ reject }) => reject(storeFailed(cause)));
      }
    }
    this.#refuseArriving(isImpatient, cause);
  }

  #refuseAll(): void {
    for (const { location, requests } of this.#groups) {
      if (location) continue;
      for (const { reject } of requests ?? []) reject(storeFailed(this.#storeFailure));
    }
    this.#refuseArriving(() => true, this.#storeFailure);
  }

  /** Those that wait for a journal will soon be in it. */
  #refuseArriving(isRefused: (request: WaitingRequest) => boolean, cause: unknown): void {
    if (this.#options.journaled) return;
    const refused = new Set(this.#arriving.filter(isRefused));
    this.#arriving = this.#arriving.filter((request) => !refused.has(request));
    this.#noteAnswered([...refused]);
    for (const { bytes, reject } of refused) {
      this.#heldBytes -= bytes;
      this.#bufferedBytes -= bytes;
      reject(storeFailed(cause));
    }
  }
}
