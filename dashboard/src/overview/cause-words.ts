import type { Cause } from '../api/types.ts';

/** The words for a cause that makes the cost higher, and for one that makes it lower. */
const causeWords: Readonly<Record<Cause, readonly [up: string, down: string]>> = {
  calls: ['More calls', 'Fewer calls'],
  mix: ['Costlier mix of models', 'Cheaper mix of models'],
  failures: ['Fewer failed calls', 'More failed calls'],
  tokens_per_call: ['Longer calls', 'Shorter calls'],
  cached_share: ['Less cached input', 'More cached input'],
  prices: ['Higher prices', 'Lower prices'],
  new_customers: ['Customers without calls before', 'Customers without calls before'],
  vanished_customers: ['Customers without calls now', 'Customers without calls now'],
};

export const causes = Object.keys(causeWords) as readonly Cause[];

export const isCause = (name: string): name is Cause => Object.hasOwn(causeWords, name);

/** A cause in words, by the sign of its amount. */
export const wordsOf = (cause: Cause, amount: number): string => causeWords[cause][amount < 0 ? 1 : 0];
