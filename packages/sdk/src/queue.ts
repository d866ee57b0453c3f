import { onExit } from './exit.ts';
import type { Problems } from './problems.ts';
import type { Outcome } from './sender.ts';

export interface QueueLimits {
  readonly maxQueued: number;
  readonly maxQueuedBytes: number;
  readonly maxBatch: number;
  readonly delayMs: number;
}

/** The most bytes of one request, below the intake's limit of 16 MiB. */
const maxBatchBytes = 1 << 20;
const [firstPauseMs, longestPauseMs] = [500, 30_000];

/**
 * A bounded queue of events, each already JSON. One request is under way at a time. A failed request is retried with
 * backoff and the same bytes, so an event that arrives twice counts once.
 */
export class Queue {
  #waiting: string[] = [];
  #bytes = 0;
  #isClosed = false;
  /** The most events of the next request; less after one was refused as a whole. */
  #batch: number;
  #failures = 0;
  /** Ends the pause before the next request. */
  #wake: (() => void) | undefined;
  #isBackingOff = false;
  #sending: Promise<void> | undefined;
  readonly #limits: QueueLimits;
  readonly #send: (events: readonly string[]) => Promise<Outcome>;
  readonly #problems: Problems;

  constructor(limits: QueueLimits, send: (events: readonly string[]) => Promise<Outcome>, problems: Problems) {
    this.#limits = limits;
    this.#batch = limits.maxBatch;
    this.#send = send;
    this.#problems = problems;
  }

  get length(): number {
    return this.#waiting.length;
  }

  push(event: string): void {
    const { maxQueued, maxQueuedBytes, maxBatch } = this.#limits;
    const isFull = this.#waiting.length >= maxQueued || this.#bytes + event.length > maxQueuedBytes;
    if (event.length > maxBatchBytes) {
      this.#problems.drop('refused', 1, 'an event had more than 1 MiB');
    } else if (this.#isClosed) {
      this.#problems.drop('unsent', 1, 'an event came after close()');
    } else if (isFull) {
      this.#problems.drop('full', 1, `${this.#waiting.length} events wait; new ones are dropped`);
    } else {
      this.#waiting.push(event);
      this.#bytes += event.length;
      this.#sending ??= this.#sendAll();
      if (this.#waiting.length >= maxBatch && !this.#isBackingOff) this.#wake?.();
    }
  }

  /** Sends all waiting events; false if some still wait after this time. A pause that the service asked for is kept. */
  async flush(withinMs: number): Promise<boolean> {
    const sending = this.#sending;
    if (sending === undefined) return true;
    if (!this.#isBackingOff) this.#wake?.();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, withinMs, false);
    });
    const isSent = await Promise.race([sending.then(() => true), late]);
    clearTimeout(timer);
    return isSent;
  }

  /** Drops the waiting events, and takes no more. */
  close(): void {
    this.#isClosed = true;
    const left = this.#waiting.length;
    this.#drop(left);
    if (left > 0) this.#problems.drop('unsent', left, `close() gave up with ${left} events left`);
    this.#wake?.();
  }

  async #sendAll(): Promise<void> {
    const release = onExit(() => this.#beforeExit());
    await this.#pause(this.#limits.delayMs);
    while (this.#waiting.length > 0) {
      const events = this.#next();
      const outcome = await this.#send(events);
      if (this.#isClosed) break;
      await this.#after(outcome, events.length);
    }
    this.#sending = undefined;
    release();
  }

  async #after(outcome: Outcome, sent: number): Promise<void> {
    if (outcome.kind === 'later') {
      this.#problems.tell('unreachable', `events wait to be sent: ${outcome.reason}`);
      const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** this.#failures) * (0.5 + Math.random() / 2);
      this.#failures += 1;
      this.#isBackingOff = true;
      await this.#pause(outcome.afterMs ?? pauseMs);
      this.#isBackingOff = false;
      return;
    }
    this.#failures = 0;
    if (outcome.kind === 'too_large' && sent > 1) {
      this.#batch = Math.ceil(sent / 2);
      return;
    }
    const refused = outcome.kind === 'stored' ? outcome.refused : 1;
    this.#batch = Math.min(this.#limits.maxBatch, this.#batch * 2);
    this.#drop(sent);
    this.#problems.isOver('unreachable', 'full');
    if (refused > 0) this.#problems.drop('refused', refused, `${refused} events were refused: ${outcome.reason}`);
  }

  /** The next events that fit in a request. */
  #next(): string[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((event, index) => {
      bytes += event.length;
      return index > 0 && (index >= this.#batch || bytes > maxBatchBytes);
    });
    return this.#waiting.slice(0, end === -1 ? undefined : end);
  }

  #drop(count: number): void {
    for (const event of this.#waiting.splice(0, count)) this.#bytes -= event.length;
  }

  /** The timer never keeps a process running. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer: unknown = setTimeout(resolve, ms);
      (timer as { unref?: () => void }).unref?.();
      this.#wake = () => {
        clearTimeout(timer as number);
        resolve();
      };
    });
  }

  /** The process has nothing else to do: sends what waits, once. */
  #beforeExit(): void {
    if (!this.#isBackingOff) this.#wake?.();
    else this.#problems.tell('unsent', `the process ends with ${this.#waiting.length} events left`);
  }
}
