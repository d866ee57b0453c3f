/** Pseudo-random numbers (mulberry32). The same seed gives the same demo data. */
export interface Random {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number, both bounds inclusive. */
  between(from: number, to: number): number;
  pick<T>(choices: readonly (readonly [T, number])[]): T;
  uuid(): string;
}

export function makeRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  const hex = (digits: number) => Array.from({ length: digits }, () => between(0, 15).toString(16)).join('');
  return {
    next,
    between,
    pick: (choices) => {
      const whole = choices.reduce((sum, [, weight]) => sum + weight, 0);
      let left = next() * whole;
      for (const [choice, weight] of choices) {
        left -= weight;
        if (left < 0) return choice;
      }
      const [last] = choices.at(-1) ?? [];
      if (last === undefined) throw new Error('There is nothing to pick from');
      return last;
    },
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${between(8, 11).toString(16)}${hex(3)}-${hex(12)}`,
  };
}
