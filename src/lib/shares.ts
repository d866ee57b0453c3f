import { Problem } from './problem.ts';

export interface SharesOptions {
  /** How many may have a slot at once. */
  readonly slots: number;
  /** How many of one lane may wait; further ones are refused. */
  readonly mostWaiting: number;
  /** The refusal of a lane that asks too much at once: what to do. */
  readonly refusal: string;
}

interface Lane {
  held: number;
  readonly waiting: Set<() => void>;
}

/**
 * Slots that lanes share fairly (docs/decisions/0035). A lane gets another slot while it holds fewer than are free. So
 * a lane alone has half of them, and there is always one for the next lane. Lanes that wait take turns.
 */
export class Shares {
  readonly #options: SharesOptions;
  #free: number;
  /** The lanes that hold or wait, in the order of their turns. */
  readonly #lanes = new Map<string, Lane>();

  constructor(options: SharesOptions) {
    this.#options = options;
    this.#free = options.slots;
  }

  /** Waits; returns what gives the slot back. `isBound` waits behind any number. @throws Problem `rate_limited` */
  async take(name: string, signal?: AbortSignal, isBound = false): Promise<() => void> {
    const lane = this.#lanes.get(name) ?? { held: 0, waiting: new Set() };
    this.#lanes.set(name, lane);
    if (this.#mayTake(lane)) this.#give(lane);
    else await this.#wait(lane, signal, isBound).finally(() => this.#forget(name, lane));
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      lane.held -= 1;
      this.#free += 1;
      this.#giveFree();
      this.#forget(name, lane);
    };
  }

  #mayTake({ held }: Lane): boolean {
    return held < this.#free;
  }

  #give(lane: Lane): void {
    lane.held += 1;
    this.#free -= 1;
  }

  async #wait(lane: Lane, signal: AbortSignal | undefined, isBound: boolean): Promise<void> {
    const { mostWaiting, refusal } = this.#options;
    const refuse = () => new Problem('rate_limited', refusal, { headers: { 'retry-after': '2' } });
    if ((lane.waiting.size >= mostWaiting && !isBound) || signal?.aborted) throw refuse();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        lane.waiting.delete(take);
        reject(refuse());
      };
      const take = () => {
        signal?.removeEventListener('abort', leave);
        lane.waiting.delete(take);
        this.#give(lane);
        resolve();
      };
      lane.waiting.add(take);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** Gives free slots to the lanes that wait: one each, in turns. */
  #giveFree(): void {
    let isGiven = true;
    while (isGiven && this.#free > 0) {
      isGiven = false;
      for (const [name, lane] of [...this.#lanes]) {
        const [next] = lane.waiting;
        if (next === undefined || !this.#mayTake(lane)) continue;
        next();
        isGiven = true;
        // Its next turn comes after that of the others.
        this.#lanes.delete(name);
        this.#lanes.set(name, lane);
      }
    }
  }

  #forget(name: string, lane: Lane): void {
    if (lane.held === 0 && lane.waiting.size === 0 && this.#lanes.get(name) === lane) this.#lanes.delete(name);
  }
}
