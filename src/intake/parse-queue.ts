import { setImmediate as nextTurn } from 'node:timers/promises';
import { alwaysTakenRequests, isLarge } from './overload.ts';

/** How long what waits may take to be parsed before more is refused, in milliseconds: who is taken has an answer soon. */
const maxWaitMs = 200;
/** How long is parsed in one turn of the event loop, in milliseconds. */
const turnMs = 15;
/** How many turns are left to all else after that: in each, Node takes one new connection. */
const turnsBetween = 8;
/** What a byte is taken to need until some have been parsed, in milliseconds: 10 MiB a second. */
const firstMsPerByte = 1_000 / (10 * 1_048_576);

/**
 * Large bodies are parsed in the order in which they came, a few in each turn of the event loop. All that arrived together would
 * else be parsed before anything more is read, refused or connected: in an overload that takes seconds (D3.7).
 */
export class ParseQueue {
  readonly #waiting: (() => number)[] = [];
  #waitingBytes = 0;
  /** What a byte has taken lately, with all else that is done in the turns. */
  #msPerByte = firstMsPerByte;
  #isDraining = false;

  /** Whether so much waits that another large body would not be parsed soon. */
  get isFull(): boolean {
    return this.#waiting.length >= alwaysTakenRequests && this.#waitingBytes * this.#msPerByte > maxWaitMs;
  }

  /** Parses a body of so many bytes when it is its turn: one that is not large at once. */
  async run<T>(bytes: number, parse: () => T): Promise<T> {
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
