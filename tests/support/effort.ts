// How much the tests try: what everybody waits for, or the long form (`npm run test:long`).
import { randomInt } from 'node:crypto';

const { TEST_EFFORT, TEST_SEED } = process.env;

/** Whether this is the long form: more rounds, more random cases, all of the API on both pairs of stores. */
export const isLong = TEST_EFFORT === 'long';

/** One of two amounts: that of `npm test`, or that of the long form. */
export const usualOrLong = <Amount>(usual: Amount, long: Amount): Amount => (isLong ? long : usual);

/** All of a list in the long form; otherwise so many of it, evenly spread. */
export const someOf = <Item>(list: readonly Item[], count: number): Item[] =>
  isLong
    ? [...list]
    : list.filter(
        (_item, index) => Math.floor(((index + 1) * count) / list.length) > Math.floor((index * count) / list.length),
      );

/** The seed of rounds that a failure prints: TEST_SEED repeats them, though not their moments. */
export const seed = Number(TEST_SEED ?? randomInt(2 ** 31));
