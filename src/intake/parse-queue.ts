import { setImmediate as nextTurn } from 'node:timers/promises';
import { alwaysTakenRequests, isLarge } from './overload.ts';

/** How long what waits may take to be parsed before more is refused, in milliseconds: who is taken has an answer soon. */
const maxWaitMs = 100;
/** How long is parsed in one turn of the event loop, in milliseconds. */
const turnMs = 15;
/** How many turns are left to all else after that: in each, Node takes one new connection. */
const turnsBetween = 8;
/** How long a body that is on its way counts as if it waited, in milliseconds: who sends slowly keeps nobody else out. */
const comingMs = 250;
/** No more bytes than this of one body, or of one that does not say its size, are about to be here. */
const mostComing = 1_048_576;
/** What a byte is taken to need until some have been parsed, in milliseconds: 10 MiB a second. */
const firstMsPerByte = 1_000 / (10 * 1_048_576);

/** A body on its way: its request was taken, it is not here yet. */
export interface ComingBody {
  readonly bytes: number;
  readonly until: number;
  isHere: boolean;
}

/**
 * Large bodies are parsed in the order in which they came, a few in each turn of the event loop. All that arrived together would
 * else be parsed before anything more is read, refused or connected: in an overload that takes seconds (D3.7).
 */
export class ParseQueue {
  readonly #waiting: (() => number)[] = [];
  #waitingBytes = 0;
  /** In the order in which their requests were taken. */
  #coming: ComingBody[] = [];
  /** What a byte has taken lately, with all else that is done in the turns. */
  #msPerByte = firstMsPerByte;
  #isDraining = false;

  /** Whether so much waits, or is about to, that another large body would not be parsed soon. */
  get isFull(): boolean {
    const coming = this.#stillComing();
    const requests = this.#waiting.length + coming.length;
    const bytes = coming.reduce((sum, body) => sum + body.bytes, this.#waitingBytes);
    return requests >= alwaysTakenRequests && bytes * this.#msPerByte > maxWaitMs;
  }

  /**
   * Takes note of a body that will be here soon: many requests may be taken in one turn, before the first of their bodies is.
   * Infinity for a body that does not say its size.
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

  /** Parses a body of so many bytes when it is its turn: one that is not large at once. */
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
