import { setImmediate as nextTurn } from 'node:timers/promises';
import { alwaysTakenRequests, isLarge } from './overload.ts';
import type { Pace } from './pace.ts';

/**
 * The longest expected time to parse the queue, in milliseconds. Above it requests are refused, so that accepted ones
 * are answered soon.
 */
const maxWaitMs = 100;
/** How long bodies are parsed in one turn of the event loop, in milliseconds. */
const turnMs = 15;
/** How many turns are left to background work after that; Node accepts one new connection in each. */
const turnsBetween = 8;
/** How long an expected body counts as queued, in milliseconds, so that slow senders do not block others. */
const comingMs = 250;
/** The most bytes that an expected body counts for, also one of unknown size. */
const mostComing = 1_048_576;
/** The parse time per byte to assume until it is measured, in milliseconds: 10 MiB per second. */
const firstMsPerByte = 1_000 / (10 * 1_048_576);

/** An expected body: its request was accepted, but it has not arrived yet. */
export interface ComingBody {
  readonly bytes: number;
  readonly until: number;
  isHere: boolean;
}

/**
 * Parses large bodies in order of arrival, a few per turn of the event loop. Otherwise all bodies that arrive together
 * would be parsed before anything more is read, refused or connected: in an overload that takes seconds (D3.7). Before a
 * turn it waits for the pace.
 */
export class ParseQueue {
  readonly #pace: Pick<Pace, 'wait'>;
  readonly #waiting: (() => number)[] = [];
  #waitingBytes = 0;
  /** In the order in which their requests were accepted. */
  #coming: ComingBody[] = [];
  /** The recent time per byte, including background work in the turns and waits for the pace, in milliseconds. */
  #msPerByte = firstMsPerByte;
  #isDraining = false;

  constructor(pace: Pick<Pace, 'wait'>) {
    this.#pace = pace;
  }

  /** Whether so much is queued or expected that another large body would not be parsed soon. */
  get isFull(): boolean {
    const coming = this.#stillComing();
    const requests = this.#waiting.length + coming.length;
    const bytes = coming.reduce((sum, body) => sum + body.bytes, this.#waitingBytes);
    return requests >= alwaysTakenRequests && bytes * this.#msPerByte > maxWaitMs;
  }

  /**
   * Registers an expected body: many requests may be accepted in one turn, before any of their bodies arrives. `bytes`
   * is Infinity for a body of unknown size.
   */
  expect(bytes: number): ComingBody {
    const coming = { bytes: Math.min(bytes, mostComing), until: performance.now() + comingMs, isHere: false };
    this.#coming = [...this.#stillComing(), coming];
    return coming;
  }

  #stillComing(): ComingBody[] {
    const now = performance.now();
    return this.#coming.filter(({ isHere, until }) => !isHere && until > now);
  }

  /** Parses a body of `bytes` bytes in its turn; one that is not large at once. */
  async run<T>(bytes: number, parse: () => T, coming?: ComingBody): Promise<T> {
    if (coming) coming.isHere = true;
    if (!isLarge(bytes)) return parse();
    this.#waitingBytes += bytes;
    return await new Promise<T>((resolve, reject) => {
      this.#waiting.push(() => {
        this.#waitingBytes -= bytes;
        try {
          resolve(parse());
        } catch (error) {
          reject(error);
        }
        return bytes;
      });
      if (!this.#isDraining) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    for (let startedAt = performance.now(); this.#waiting.length > 0; ) {
      await this.#pace.wait();
      const until = performance.now() + turnMs;
      let bytes = 0;
      while (this.#waiting.length > 0 && performance.now() < until) bytes += this.#waiting.shift()?.() ?? 0;
      for (let turn = 0; turn < turnsBetween; turn += 1) await nextTurn();
      const now = performance.now();
      this.#msPerByte = 0.9 * this.#msPerByte + (0.1 * (now - startedAt)) / bytes;
      startedAt = now;
    }
    this.#isDraining = false;
  }
}
