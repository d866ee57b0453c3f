import type { Fault } from './problem.ts';

/** The faults of a body: the first ones, and how many there are. However many a body has, its answer stays small. */
export class FaultList {
  readonly #most: number;
  readonly #first: Fault[] = [];
  #total = 0;

  /** `most`: how many are listed. */
  constructor(most: number) {
    this.#most = most;
  }

  get first(): readonly Fault[] {
    return this.#first;
  }

  get total(): number {
    return this.#total;
  }

  add(fault: Fault): void {
    this.#total += 1;
    if (this.#first.length < this.#most) this.#first.push(fault);
  }
}
