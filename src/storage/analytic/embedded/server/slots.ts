import { tooManyQueries } from './exception.ts';

const MAX_WAIT_MS = 60_000;

interface Waiter<Slot> {
  give(slot: Slot): void;
}

/** Slots for queries that may run at once. Further queries wait in order, up to `maxWaiting` of them. */
export class SlotPool<Slot> {
  readonly #free: Slot[];
  readonly #waiting = new Set<Waiter<Slot>>();
  readonly #maxWaiting: number;

  constructor(slots: readonly Slot[], maxWaiting: number) {
    this.#free = [...slots];
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Resolves with a slot as soon as one is free. Rejects when too many queries wait already, after a minute, or when
   * the signal aborts.
   */
  acquire(signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted();
    const slot = this.#free.pop();
    if (slot !== undefined) return Promise.resolve(slot);
    if (this.#waiting.size >= this.#maxWaiting) {
      return Promise.reject(tooManyQueries(`Too many simultaneous queries: ${this.#waiting.size} are waiting already`));
    }
    return this.#wait(signal);
  }

  #wait(signal: AbortSignal): Promise<Slot> {
    const { promise, resolve, reject } = Promise.withResolvers<Slot>();
    const leave = () => {
      this.#waiting.delete(waiter);
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
    const waiter: Waiter<Slot> = {
      give(slot) {
        leave();
        resolve(slot);
      },
    };
    const onAbort = () => {
      leave();
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      leave();
      reject(tooManyQueries(`Too many simultaneous queries: waited ${MAX_WAIT_MS / 1000} seconds`));
    }, MAX_WAIT_MS);
    signal.addEventListener('abort', onAbort);
    this.#waiting.add(waiter);
    return promise;
  }

  release(slot: Slot): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free.push(slot);
    else next.give(slot);
  }
}
