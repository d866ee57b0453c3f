import { toSpentDollars } from '../lib/format.ts';

/** What is left of an amount, or how far it was overspent. */
export const Left = ({ remaining }: { readonly remaining: number }) =>
  remaining < 0 ? <span className="text-bad">over by {toSpentDollars(-remaining)}</span> : toSpentDollars(remaining);
