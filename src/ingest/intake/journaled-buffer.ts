import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { EventRow, EventToStore } from '../../calls/event-columns.ts';
import { Waiters } from '../../lib/waiters.ts';
import { bytesOf, type IntakeBuffer, monthOf, type StoredBatch } from './buffer.ts';
import { countFitting, type InsertOptions, isOutOfPatience, patienceMs } from './insert.ts';
import { type Group, gather, type Request, toJournaled } from './journal/group.ts';
import type { Journal, Location } from './journal/journal.ts';
import { insertOrSetAside, type SetAside } from './journal/refused.ts';
import { toRows } from './journal/rows.ts';
import { alwaysTakenRequests, isLarge, overload, storeFailed } from './overload.ts';
import { ReceiptClock } from './receipt-clock.ts';

export interface JournaledBufferOptions extends InsertOptions, Pick<SetAside, 'onSetAside'> {
  readonly journal: Journal;
  /** The earliest time of receipt, in milliseconds since 1970: when the writer was registered. */
  readonly notBefore: number;
  /** Bytes of rows that are held in memory; further rows are read back from the journal. */
  readonly maxBufferedBytes: number;
  /** Bytes of the journal that may wait for the store before requests are refused (D3.7). */
  readonly maxJournalBytes: number;
  /** Called with each batch that the journal has, before its requests are answered. */
  readonly onAcknowledged: (batch: StoredBatch) => void;
  /** Called with each batch that the log has and the milliseconds it took. */
  readonly onStored: (batch: StoredBatch, elapsedMs: number) => void;
  readonly onError: (cause: unknown) => void;
}

/** Bytes of requests that may wait for the journal before large ones are refused. */
const maxUnsafeBytes = 16 * 1_048_576;
/**
 * Acknowledged events are stored from this number or age on, or earlier if an answer waits for them. An event in an
 * INSERT of thousands costs the store a fifth of one in an INSERT of hundreds (docs/decisions/tuning.md).
 */
const manyEvents = 10_000;
const storeAfterMs = 250;
/** How long to wait before the journal is read again after a failure, in milliseconds. */
const readAgainMs = 1_000;

/**
 * Makes events durable in the journal and then answers their requests; requests that arrive during one `fdatasync`
 * share the next one. Events get their sequences when they are journalled, and go from memory to the log in large
 * INSERTs in that order. While the journal cannot be written, requests wait for the INSERT instead.
 */
export class JournaledBuffer implements IntakeBuffer {
  readonly #options: JournaledBufferOptions;
  /** Requests that the journal does not have yet. */
  #arriving: Request[] = [];
  /** Groups that the log does not have yet, in the order of their sequences. */
  #groups: Group[] = [];
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
  /** The last assigned sequence. */
  #lastSeq = 0;
  #storedSeq = 0;
  #acknowledgedSeq = 0;
  /** An answer waits until the log has events up to this sequence. */
  #hastenedSeq = 0;
  readonly #receipts: ReceiptClock;
  #journaling: Promise<void> | undefined;
  #storing: Promise<void> | undefined;
  #closedAt: number | undefined;
  #journalFailure: unknown;
  #storeFailure: unknown;
  readonly #due = new Waiters();
  readonly #stored = new Waiters();

  constructor(options: JournaledBufferOptions) {
    this.#options = options;
    this.#receipts = new ReceiptClock(options.clock, options.notBefore);
  }

  get storedSeq(): number {
    return this.#storedSeq;
  }

  get failure(): unknown {
    return this.#storeFailure ?? this.#journalFailure;
  }

  get takesEvents(): boolean {
    return this.#journalFailure === undefined && !this.isFull;
  }

  get hasUnstored(): boolean {
    return this.#acknowledgedSeq > this.#storedSeq;
  }

  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  get isFull(): boolean {
    if (this.#journalBytes > this.#options.maxJournalBytes) return true;
    return this.#unsafeRequests >= alwaysTakenRequests && this.#unsafeBytes > maxUnsafeBytes;
  }

  receivedAt(): number {
    return this.#receipts.read();
  }

  idleSince(): { readonly seq: number; readonly receivedAt: number } | undefined {
    if (this.#bufferedBytes > 0) return undefined;
    return { seq: this.#storedSeq, receivedAt: this.#receipts.read() };
  }

  store(events: readonly EventToStore[], takenAtMs: number): Promise<void> {
    const first = events[0];
    if (!first) return Promise.resolve();
    const receivedAtMs = this.#receipts.raise(takenAtMs);
    const { sentBytes, bytes } = bytesOf(events);
    if (this.#closedAt !== undefined) return Promise.reject(storeFailed(new Error('the buffer is closed')));
    const { maxBufferedBytes, maxJournalBytes } = this.#options;
    if (
      (isLarge(sentBytes) && this.isFull) ||
      (this.#unsafeBytes > 0 && this.#unsafeBytes + bytes > maxBufferedBytes) ||
      (this.#bufferedBytes > 0 && this.#journalBytes + this.#unsafeBytes + sentBytes > maxJournalBytes)
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
      this.#journaling ??= this.#journalArriving();
    });
  }

  hasten(): void {
    this.#hastenedSeq = this.#acknowledgedSeq;
    this.#due.wakeAll();
  }

  async flush(): Promise<void> {
    const needed = this.#acknowledgedSeq;
    this.hasten();
    const until = performance.now() + patienceMs;
    while (this.#storedSeq < needed) {
      const leftMs = until - performance.now();
      if (leftMs <= 0) throw storeFailed(this.#storeFailure ?? new Error('events wait for the store'));
      await this.#stored.wait(leftMs);
    }
  }

  async close(): Promise<void> {
    this.#closedAt = performance.now();
    this.#due.wakeAll();
    await this.#journaling;
    await this.#storing;
    await this.#options.journal.close();
  }

  async #journalArriving(): Promise<void> {
    // Requests that arrive in the same turn of the event loop share the first sync.
    await nextTurn();
    while (this.#arriving.length > 0) await this.#append(this.#takeArriving());
    this.#journaling = undefined;
  }

  #takeArriving(): Request[] {
    return this.#arriving.splice(
      0,
      countFitting(this.#arriving, ({ events }) => events.length),
    );
  }

  async #append(requests: readonly Request[]): Promise<void> {
    const { journal, onAcknowledged, onError } = this.#options;
    const gathered = gather(requests, this.#lastSeq);
    this.#lastSeq = gathered.lastSeq;
    let location: Location | undefined;
    try {
      location = await journal.append({ firstSeq: gathered.firstSeq, requests: requests.map(toJournaled) });
      this.#journalFailure = undefined;
    } catch (cause) {
      this.#journalFailure = cause;
      onError(cause);
    }
    const group: Group = { ...gathered, location, requests };
    this.#groups.push(group);
    this.#waitingEvents += group.events;
    if (location) {
      this.#journalBytes += location.bytes;
      this.#acknowledgedSeq = group.lastSeq;
      onAcknowledged(group);
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

  #noteAnswered(requests: readonly Request[]): void {
    for (const { bytes } of requests) this.#unsafeBytes -= bytes;
    this.#unsafeRequests -= requests.length;
  }

  async #storeGroups(): Promise<void> {
    while (this.#groups.length > 0) {
      await this.#untilDue();
      const batch = this.#groups.slice(
        0,
        countFitting(this.#groups, ({ events }) => events),
      );
      if (!(await this.#insert(batch))) break;
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
  async #insert(batch: readonly Group[]): Promise<boolean> {
    const { journal, onStored, onError, onSetAside } = this.#options;
    const last = batch.at(-1);
    if (!last) return true;
    const startedAt = performance.now();
    const goesOn = (cause: unknown): boolean => {
      onError(cause);
      this.#storeFailure = cause;
      this.#refuseImpatient(batch, cause);
      return this.#closedAt === undefined || performance.now() - this.#closedAt < patienceMs;
    };
    const rows = await this.#toRowsInTime(batch, goesOn);
    const setAside = { folder: journal.folder, onSetAside };
    const events = rows && (await insertOrSetAside({ rows, goesOn }, setAside, this.#options));
    if (events === undefined) {
      this.#refuseAll();
      return false;
    }
    this.#storeFailure = undefined;
    this.#journalFailure = undefined;
    this.#storedSeq = last.lastSeq;
    this.#groups.splice(0, batch.length);
    const lastSeqByProject = new Map(batch.flatMap((group) => [...group.lastSeqByProject]));
    onStored({ lastSeq: last.lastSeq, lastSeqByProject, events }, performance.now() - startedAt);
    for (const group of batch) this.#release(group, (request) => request.resolve());
    this.#stored.wakeAll();
    await journal.forget(last.lastSeq).catch(onError);
    return true;
  }

  /** The rows of groups, once the journal can be read; undefined when `goesOn` has given up. */
  async #toRowsInTime(
    batch: readonly Group[],
    goesOn: (cause: unknown) => boolean,
  ): Promise<readonly EventRow[] | undefined> {
    for (;;) {
      try {
        return await this.#toRows(batch);
      } catch (cause) {
        if (!goesOn(cause)) return undefined;
        await sleep(readAgainMs);
      }
    }
  }

  async #toRows(batch: readonly Group[]): Promise<EventRow[]> {
    const { journal, writer } = this.#options;
    const rows: EventRow[] = [];
    for (const { requests, location, firstSeq } of batch) {
      if (!requests && location) {
        rows.push(...toRows(writer, await journal.read(location)));
        continue;
      }
      let seq = firstSeq;
      for (const { events, receivedAtMs } of requests ?? []) {
        for (const event of events) rows.push({ writer, seq: seq++, receivedAtMs, event });
      }
    }
    return rows;
  }

  /** Releases the memory and bytes that a group holds, and answers its requests if they still wait. */
  #release(group: Group, answer: (request: Request) => void): void {
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
  #refuseImpatient(underWay: readonly Group[], cause: unknown): void {
    const impatient = this.#groups.filter(
      ({ location, requests }) =>
        !location && (requests ?? []).some((request) => isOutOfPatience(request, this.#options.clock)),
    );
    for (const group of impatient) {
      if (underWay.includes(group)) {
        // They may have been stored. The INSERT is repeated until that is known.
        for (const { reject } of group.requests ?? []) reject(storeFailed(cause));
      } else {
        this.#groups.splice(this.#groups.indexOf(group), 1);
        this.#release(group, ({ reject }) => reject(storeFailed(cause)));
      }
    }
  }

  #refuseAll(): void {
    for (const { location, requests } of this.#groups) {
      if (location) continue;
      for (const { reject } of requests ?? []) reject(storeFailed(this.#storeFailure));
    }
  }
}
