import type { Clock } from '../../lib/clock.ts';

/** The times of receipt of a writer's events, in milliseconds since 1970: they never run backwards (D4.3). */
export class ReceiptClock {
  readonly #clock: Clock;
  #last: number;

  /** `notBefore`: the earliest time of receipt, when the writer was registered. */
  constructor(clock: Clock, notBefore: number) {
    this.#clock = clock;
    this.#last = notBefore;
  }

  /** The time for the next events: never before that of earlier ones. No later event is received before it. */
  read(): number {
    this.#last = Math.max(this.#last, this.#clock());
    return this.#last;
  }

  /** The time of receipt of events whose time was read earlier: times of receipt rise with sequences. */
  raise(takenAtMs: number): number {
    return Math.max(takenAtMs, this.#last);
  }
}
