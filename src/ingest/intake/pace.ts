/** How far assembly is behind the intake of this instance. */
export interface Backlog {
  /** Acknowledged events that are not in the calls. */
  readonly unassembledEvents: number;
  /** The highest sequence that is in the calls. */
  readonly assembledSeq: number;
  /** Whether an answer has waited for assembly lately. */
  readonly isWatched: boolean;
  /** Waits until more events are in the calls, or for `mostMs` milliseconds. */
  untilMoved(mostMs: number): Promise<void>;
}

/** The most unassembled events while answers wait: assembly takes a fifth of a second for them on two busy cores. */
const mostWhileWatched = 4_000;
/** The most while none does: a full batch of assembly. An answer then waits a few seconds and is not refused. */
const mostEvents = 50_000;
/** The longest wait, in milliseconds: longer than the longest step of background jobs, during which assembly rests. */
const longestMs = 3_000;

/**
 * Makes large requests wait while assembly is far behind, so that an import lets its project's answers through
 * (docs/decisions/0035). Assembly that stands still holds nothing up: nothing waits then until it moves.
 */
export class Pace {
  readonly #backlog: Backlog;
  /** What was assembled when assembly stood still. */
  #stalledSeq: number | undefined;

  constructor(backlog: Backlog) {
    this.#backlog = backlog;
  }

  /** Waits until the next large request may be taken. */
  async wait(): Promise<void> {
    const { assembledSeq } = this.#backlog;
    if (assembledSeq === this.#stalledSeq) return;
    const until = performance.now() + longestMs;
    while (this.#isTooFast()) {
      const leftMs = until - performance.now();
      if (leftMs <= 0) {
        if (this.#backlog.assembledSeq === assembledSeq) this.#stalledSeq = assembledSeq;
        return;
      }
      await this.#backlog.untilMoved(leftMs);
    }
  }

  #isTooFast(): boolean {
    const { isWatched, unassembledEvents } = this.#backlog;
    return unassembledEvents > (isWatched ? mostWhileWatched : mostEvents);
  }
}
