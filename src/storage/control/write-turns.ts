/** Who wants to write: a project, or the service itself, which comes before all projects. */
export type Writer = string | undefined;

/** A project whose transaction takes longer than this, in milliseconds, then rests for as long as it took. */
const longMs = 100;

/**
 * Lets one write at a time. The service's own work comes first, because the answers of all projects wait for it; projects
 * take turns, however much each of them writes, and the service gets several writes in between two long transactions of
 * one (docs/decisions/0035).
 */
export class WriteTurns {
  #isTaken = false;
  /** Those that wait, in the order of their turns. */
  readonly #waiting = new Map<Writer, (() => void)[]>();
  /** Until when projects rest, and the timer that wakes the first of them. */
  readonly #restsUntil = new Map<Writer, number>();
  #alarm: NodeJS.Timeout | undefined;

  /** Waits for a turn, and returns the function that ends it. */
  async take(writer: Writer): Promise<() => void> {
    await new Promise<void>((resolve) => {
      const others = this.#waiting.get(writer);
      if (others) others.push(resolve);
      else this.#waiting.set(writer, [resolve]);
      if (!this.#isTaken) this.#giveNext();
    });
    const from = performance.now();
    return () => this.#end(writer, from);
  }

  #end(writer: Writer, from: number): void {
    const tookMs = performance.now() - from;
    if (writer !== undefined && tookMs > longMs) this.#restsUntil.set(writer, from + 2 * tookMs);
    // Its next turn comes after those of all that wait now.
    const ofWriter = this.#waiting.get(writer);
    if (ofWriter) {
      this.#waiting.delete(writer);
      this.#waiting.set(writer, ofWriter);
    }
    // The turn stays taken while it passes on, so that nobody comes in between.
    this.#isTaken = false;
    this.#giveNext();
  }

  #giveNext(): void {
    const writer = this.#findNext();
    const waiting = this.#waiting.get(writer) ?? [];
    const next = waiting.shift();
    if (waiting.length === 0) this.#waiting.delete(writer);
    if (next === undefined) return;
    this.#isTaken = true;
    next();
  }

  /** Whose turn it is. Where all who wait are resting, the first of them gets its turn when its rest is over. */
  #findNext(): Writer {
    if (this.#waiting.has(undefined)) return undefined;
    const now = performance.now();
    for (const [writer, until] of this.#restsUntil) if (until <= now) this.#restsUntil.delete(writer);
    for (const writer of this.#waiting.keys()) if (!this.#restsUntil.has(writer)) return writer;
    clearTimeout(this.#alarm);
    if (this.#waiting.size === 0) return undefined;
    const first = Math.min(...[...this.#waiting.keys()].map((writer) => this.#restsUntil.get(writer) ?? now));
    this.#alarm = setTimeout(() => !this.#isTaken && this.#giveNext(), first - now);
    return undefined;
  }
}
