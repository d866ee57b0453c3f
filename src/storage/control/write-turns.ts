/** Who wants to write: a project, or the service itself, which comes before all projects. */
export type Writer = string | undefined;

/**
 * Lets one write at a time. The service's own work comes first, because the answers of all projects wait for it; projects
 * take turns, however much each of them writes (docs/decisions/0035).
 */
export class WriteTurns {
  #isTaken = false;
  /** Those that wait, in the order of their turns. */
  readonly #waiting = new Map<Writer, (() => void)[]>();

  /** Waits for a turn, and returns the function that ends it. */
  async take(writer: Writer): Promise<() => void> {
    if (this.#isTaken) {
      await new Promise<void>((resolve) => {
        const others = this.#waiting.get(writer);
        if (others) others.push(resolve);
        else this.#waiting.set(writer, [resolve]);
      });
    }
    this.#isTaken = true;
    return () => this.#giveNext(writer);
  }

  /** The turn stays taken while it passes on, so that nobody comes in between. */
  #giveNext(last: Writer): void {
    const ofLast = this.#waiting.get(last);
    if (ofLast) {
      this.#waiting.delete(last);
      this.#waiting.set(last, ofLast);
    }
    const writer: Writer = this.#waiting.has(undefined) ? undefined : this.#waiting.keys().next().value;
    const waiting = this.#waiting.get(writer) ?? [];
    const next = waiting.shift();
    if (waiting.length === 0) this.#waiting.delete(writer);
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
