/** Random numbers from a seed: the same seed makes the same numbers on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
    // Neighbouring seeds begin alike.
    for (let turn = 0; turn < 8; turn++) this.uniform();
  }

  /** From 0 to below 1: mulberry32 by T. Ettinger, in the public domain. */
  uniform(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.uniform();
  }

  /** As likely from 1 to 10 as from 10 to 100. */
  logBetween(low: number, high: number): number {
    return Math.exp(this.between(Math.log(low), Math.log(high)));
  }

  /** A whole number from `low` to `high`, both inclusive. */
  whole(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1));
  }

  pick<Item>(first: Item, ...others: Item[]): Item {
    return others[this.whole(0, others.length) - 1] ?? first;
  }

  chance(probability: number): boolean {
    return this.uniform() < probability;
  }

  /** Box and Muller. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  /** Knuth's method, in parts, since the exponential of a large mean is 0. */
  poisson(mean: number): number {
    let count = 0;
    for (let rest = mean; rest > 0; rest -= 50) {
      const limit = Math.exp(-Math.min(rest, 50));
      for (let product = this.uniform(); product > limit; product *= this.uniform()) count += 1;
    }
    return count;
  }

  /** Student's t: normal, but far values are likely the fewer degrees there are. */
  studentT(degrees: number): number {
    let squares = 0;
    for (let degree = 0; degree < degrees; degree++) squares += this.normal() ** 2;
    return this.normal() / Math.sqrt(squares / degrees);
  }
}
