import type { Clock } from '../lib/clock.ts';

/** The times of receipt of a writer's events, in milliseconds since 1970: they never run backwards (D4.3). */
export class ReceiptClock {
  readonly #clock: Clock;
  #last: number;
  #idleSince: number;

  /** `notBefore`: the earliest time of receipt, when the writer was registered. */
  constructor(clock: Clock, notBefore: number) {
    this.#clock = clock;
    this.#last = notBefore;
    this.#idleSince = notBefore;
  }

  /** The time for the next events: never before that of earlier ones. */
  read(): number {
    this.#last = Math.max(this.#last, this.#clock());
    return this.#last;
  }

  /** Promises that no later event is received before the time returned. */
  readIdle(): number {
    this.#idleSince = this.read();
    return this.#idleSince;
  }

  /** The time of receipt of events whose time was read earlier; raised to the last promised time. */
  raise(takenAtMs: number): number {
    return Math.max(takenAtMs, this.#idleSince);
  }
}
