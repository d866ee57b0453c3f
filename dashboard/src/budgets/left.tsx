import { toSpentDollars } from '../lib/format.ts';

interface LeftProps {
  readonly remaining: number;
  readonly write?: (amount: number) => string;
}

/** What is left of an amount, or how far it was overspent. */
export const Left = ({ remaining, write = toSpentDollars }: LeftProps) =>
  remaining < 0 ? <span className="text-bad">over by {write(-remaining)}</span> : write(remaining);
