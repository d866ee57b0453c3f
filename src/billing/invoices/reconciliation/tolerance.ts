import type { Money } from '../../../lib/money.ts';

/** A difference beyond rounding needs a cause only if it exceeds one part in two thousand. */
const slack = 2_000n;
export const looseTolerance = ({ tolerance }: { readonly tolerance: Money }, cost: Money): Money =>
  tolerance + cost / slack;

export const isNear = (difference: Money, tolerance: Money): boolean =>
  difference <= tolerance && -difference <= tolerance;
