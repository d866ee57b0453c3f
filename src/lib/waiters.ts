/** Those who wait for something to change, each for a time of its own at most. */
export class Waiters {
  readonly #wakes = new Set<() => void>();

  /** Ends every wait. */
  wakeAll(): void {
    for (const wake of [...this.#wakes]) wake();
  }

  /** Waits until the next `wakeAll`, or for `mostMs` milliseconds. */
  async wait(mostMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#wakes.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, mostMs);
      this.#wakes.add(wake);
    });
  }
}
