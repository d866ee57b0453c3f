import type { Clock } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { Waiters } from '../../lib/waiters.ts';

/** How fresh an answer must be (D4.7). */
export type Consistency = 'strict' | 'relaxed';

/** How long an answer waits for assembly, in milliseconds (D4.7). */
const patienceMs = 10_000;
/** A relaxed answer may lack events acknowledged within this time, in milliseconds (D4.7). */
const relaxedLagMs = 1_000;

/** How soon a log that had nothing to assemble is read again, in milliseconds: a failed INSERT may have left events. */
const readAgainMs = 10_000;

/** For how long after an answer had to wait progress, and that of its project, counts as watched, in milliseconds. */
const watchedMs = 10_000;

/** Batches acknowledged within these milliseconds count as one, because the journal acknowledges hundreds a second. */
const togetherMs = 10;

interface AcknowledgedBatch {
  readonly lastSeq: number;
  readonly lastSeqByProject: ReadonlyMap<string, number>;
}

/** Acknowledged batches that are not in the calls yet. */
interface Pending {
  lastSeq: number;
  /** When the first of them was acknowledged. */
  readonly acknowledgedAt: number;
  readonly lastSeqByProject: Map<string, number>;
}

/** Tracks which events acknowledged here are in the calls, so that answers include a client's own writes. */
export class Progress {
  readonly #clock: Clock;
  #pending: Pending[] = [];
  #storedSeq = 0;
  #assembledSeq = 0;
  /** The highest own sequence that an answer has waited for. */
  #awaitedSeq = 0;
  /** When an answer last began to wait, by `performance.now()`. */
  #awaitedAt = Number.NEGATIVE_INFINITY;
  /** The same for answers about one project, the longest ago first. */
  readonly #awaitedBy = new Map<string, number>();
  #hasCaughtUp = false;
  #isWhole = true;
  /** The projects that are assembled apart: their calls lack events that the watermarks have passed. */
  #apart: ReadonlySet<string> = new Set();
  /** When the log had nothing to assemble. */
  #nothingLeft: { readonly storedSeq: number; readonly at: number } | undefined;
  readonly #waiters = new Waiters();
  readonly #storedListeners = new Set<() => void>();
  readonly #awaitedListeners = new Set<() => void>();
  readonly #assembledListeners = new Set<(projectIds: ReadonlySet<string>) => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether acknowledged events are not assembled yet. */
  get isBehind(): boolean {
    return this.#pending.length > 0;
  }

  /** Whether all events that earlier processes acknowledged are in the calls. */
  get hasCaughtUp(): boolean {
    return this.#hasCaughtUp;
  }

  /** The highest own sequence that is known to be in the calls; 0 for none. */
  get assembledSeq(): number {
    return this.#assembledSeq;
  }

  /** The highest own sequence in the log. Acknowledged events that are only in the journal have higher ones. */
  get storedSeq(): number {
    return Math.max(this.#storedSeq, this.#assembledSeq);
  }

  /** Whether an answer waits for assembly. */
  get isAwaited(): boolean {
    return !this.#hasCaughtUp || this.#assembledSeq < this.#awaitedSeq;
  }

  /** Whether an answer has waited for assembly lately. */
  get isWatched(): boolean {
    return performance.now() - this.#awaitedAt < watchedMs;
  }

  /** Whether an answer about another project has waited for assembly lately. */
  isWatchedByOthers(projectId: string): boolean {
    const since = performance.now() - watchedMs;
    for (const [id, at] of this.#awaitedBy) {
      if (at >= since) break;
      this.#awaitedBy.delete(id);
    }
    return this.#awaitedBy.size > (this.#awaitedBy.has(projectId) ? 1 : 0);
  }

  /** Whether an answer about this project has waited for assembly lately. */
  isWatchedByItself(projectId: string): boolean {
    return (this.#awaitedBy.get(projectId) ?? Number.NEGATIVE_INFINITY) >= performance.now() - watchedMs;
  }

  /** Acknowledged events of this instance that are not in the calls. */
  get unassembledEvents(): number {
    return this.#acknowledgedSeq - this.#assembledSeq;
  }

  /** Waits until more events of this instance are in the calls, or for `mostMs` milliseconds. */
  async untilMoved(mostMs: number): Promise<void> {
    await this.#waiters.wait(mostMs);
  }

  /** Milliseconds since the oldest unassembled event was acknowledged; 0 when all are assembled. */
  get lagMs(): number {
    return this.#pending[0] ? this.#clock() - this.#pending[0].acknowledgedAt : 0;
  }

  /** Calls back whenever there are new events to assemble. */
  onStored(listener: () => void): void {
    this.#storedListeners.add(listener);
  }

  /** Calls back whenever an answer begins to wait for assembly. */
  onAwaited(listener: () => void): void {
    this.#awaitedListeners.add(listener);
  }

  /** Calls back, in the same turn, with the projects whose events are newly in the calls. */
  onAssembled(listener: (projectIds: ReadonlySet<string>) => void): void {
    this.#assembledListeners.add(listener);
  }

  /** Whether the calls have all events that earlier processes acknowledged, and no calls or rollups are lost. */
  get isComplete(): boolean {
    return this.#hasCaughtUp && this.#isWhole;
  }

  /** The time up to which the calls have every event of the project that this instance acknowledged. */
  asOf(projectId: string): number {
    const oldest = this.#pending.find(({ lastSeqByProject: last }) => (last.get(projectId) ?? 0) > this.#assembledSeq);
    return oldest ? oldest.acknowledgedAt - 1 : this.#clock();
  }

  /** Makes assembly skip its pauses for the events that the project waits for, as if an answer waited. */
  hasten(projectId: string): void {
    const seq = this.#lastSeqOf(projectId, Number.POSITIVE_INFINITY);
    if (seq > this.#awaitedSeq) this.#await(seq);
  }

  /** Records a batch that is durable but not in the log yet, before its requests are answered. */
  noteAcknowledged(batch: AcknowledgedBatch): void {
    const last = this.#pending.at(-1);
    const sinceMs = last && this.#clock() - last.acknowledgedAt;
    if (!last || sinceMs === undefined || sinceMs < 0 || sinceMs >= togetherMs) {
      this.#addPending(batch);
      return;
    }
    last.lastSeq = batch.lastSeq;
    for (const [projectId, seq] of batch.lastSeqByProject) last.lastSeqByProject.set(projectId, seq);
  }

  /** Records that the log has a batch. Without the journal, its requests are answered after this. */
  noteStored(batch: AcknowledgedBatch): void {
    if (batch.lastSeq > this.#acknowledgedSeq) this.#addPending(batch);
    this.#storedSeq = batch.lastSeq;
    for (const listener of this.#storedListeners) listener();
  }

  #addPending({ lastSeq, lastSeqByProject }: AcknowledgedBatch): void {
    this.#pending.push({ lastSeq, acknowledgedAt: this.#clock(), lastSeqByProject: new Map(lastSeqByProject) });
  }

  get #acknowledgedSeq(): number {
    return this.#pending.at(-1)?.lastSeq ?? this.#assembledSeq;
  }

  /** Records that the log had nothing to assemble up to `storedSeq`, and that no other process writes to it. */
  noteNothingLeft(storedSeq: number): void {
    this.#nothingLeft = { storedSeq, at: performance.now() };
  }

  /** Whether the log has nothing to assemble, because nothing was stored since it had nothing. */
  get hasNothingNew(): boolean {
    const { storedSeq, at } = this.#nothingLeft ?? { storedSeq: -1, at: 0 };
    return storedSeq === this.storedSeq && this.isComplete && performance.now() - at < readAgainMs;
  }

  /** Records that all events acknowledged by earlier processes are in the calls. */
  noteCaughtUp(): void {
    if (this.#hasCaughtUp) return;
    this.#hasCaughtUp = true;
    this.#waiters.wakeAll();
  }

  /** Records which projects are assembled apart. Their answers wait until they no longer are. */
  noteApart(projectIds: readonly string[]): void {
    if (this.#apart.size === 0 && projectIds.length === 0) return;
    this.#apart = new Set(projectIds);
    this.#waiters.wakeAll();
  }

  /** How many projects are assembled apart. */
  get projectsApart(): number {
    return this.#apart.size;
  }

  /** Records that lost calls or rollups are being restored. Answers wait for `noteWhole`. */
  noteLoss(): void {
    this.#isWhole = false;
  }

  /** Records that everything that can be restored is restored. */
  noteWhole(): void {
    if (this.#isWhole) return;
    this.#isWhole = true;
    this.#waiters.wakeAll();
  }

  /** Records that all events up to this sequence are in the calls. */
  noteAssembled(seq: number): void {
    if (seq <= this.#assembledSeq) return;
    this.#assembledSeq = seq;
    const first = this.#pending.findIndex(({ lastSeq }) => lastSeq > seq);
    const assembled = this.#pending.splice(0, first === -1 ? this.#pending.length : first);
    this.noteMoved(new Set(assembled.flatMap(({ lastSeqByProject }) => [...lastSeqByProject.keys()])));
    this.#waiters.wakeAll();
  }

  /** Records that events of these projects are in the calls, of this instance or of others. */
  noteMoved(projectIds: ReadonlySet<string>): void {
    for (const listener of this.#assembledListeners) listener(projectIds);
  }

  /**
   * Waits until the calls are fresh enough for an answer. Returns the time up to which the answer has all acknowledged
   * events (`Farthing-As-Of`, milliseconds since 1970).
   * @throws Problem `catching_up` after 10 s
   */
  async waitFor(projectId: string, consistency: Consistency): Promise<number> {
    // A strict answer needs every pending batch, also one acknowledged before the clock was set back.
    const before = consistency === 'relaxed' ? this.#clock() - relaxedLagMs : Number.POSITIVE_INFINITY;
    const needed = this.#lastSeqOf(projectId, before);
    this.#await(needed);
    if (needed > this.#assembledSeq) {
      this.#awaitedBy.delete(projectId);
      this.#awaitedBy.set(projectId, performance.now());
    }
    const until = performance.now() + patienceMs;
    while (!this.#isReady(projectId, needed)) {
      const leftMs = until - performance.now();
      if (leftMs <= 0)
        throw new Problem('catching_up', this.#whyBehind(projectId), { headers: { 'retry-after': '2' } });
      await this.#waiters.wait(leftMs);
    }
    return this.asOf(projectId);
  }

  #isReady(projectId: string, needed: number): boolean {
    return this.#isWhole && this.#hasCaughtUp && this.#assembledSeq >= needed && !this.#apart.has(projectId);
  }

  #whyBehind(projectId: string): string {
    if (!this.#isWhole) return 'Calls that the store has lost are being rebuilt from the events; ask again.';
    return this.#apart.has(projectId)
      ? 'Events of this project take long to be made into calls; ask again later.'
      : 'Acknowledged events are not in the calls yet; ask again.';
  }

  #await(seq: number): void {
    if (seq <= this.#assembledSeq) return;
    this.#awaitedSeq = Math.max(this.#awaitedSeq, seq);
    this.#awaitedAt = performance.now();
    for (const listener of this.#awaitedListeners) listener();
  }

  #lastSeqOf(projectId: string, acknowledgedBefore: number): number {
    let last = 0;
    for (const { acknowledgedAt, lastSeqByProject } of this.#pending) {
      if (acknowledgedAt <= acknowledgedBefore) last = lastSeqByProject.get(projectId) ?? last;
    }
    return last;
  }
}
