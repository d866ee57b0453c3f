import type { Money } from '../../../lib/money.ts';
import type { Slices } from '../../../lib/slices.ts';
import { compareSegments, type Shift } from './comparison.ts';
import { findConstant, looseTolerance } from './constant.ts';
import type { Line, ProviderLines } from './line.ts';

const fewestDays = 5;

/**
 * Whether a provider's invoice records calls a day later or earlier. With the shift, lines with at least five days must
 * have one price on nearly all of their days. Without it, the lines for which this holds must charge less than a
 * quarter of that. Equal costs on all days show no shift. A provider with entries over several days has none.
 */
export function* findShift({ lines, step }: ProviderLines): Slices<Shift> {
  const isDaily = lines.every(({ segments }) => segments.every(({ from, to }) => from === to));
  if (!isDaily) return 0;
  const explained = function* (shift: Shift): Slices<Money> {
    let sum = 0n;
    for (const line of lines) {
      if (hasOnePrice(line, shift, step)) sum += sumCharged(line);
      yield;
    }
    return sum;
  };
  const still = yield* explained(0);
  const later = { shift: 1 as const, amount: yield* explained(1) };
  const earlier = { shift: -1 as const, amount: yield* explained(-1) };
  const best = later.amount < earlier.amount ? earlier : later;
  return best.amount > 4n * still ? best.shift : 0;
}

const sumCharged = ({ days }: Line): Money => days.reduce((sum, { charged }) => sum + charged, 0n);

function hasOnePrice(line: Line, shift: Shift, step: Money): boolean {
  const samples = compareSegments(line, shift, step).flatMap(({ charged, used, tolerance }) =>
    charged > 0n && used.cost > 0n
      ? [{ numerator: charged, denominator: used.cost, tolerance: looseTolerance({ tolerance }, used.cost) }]
      : [],
  );
  return samples.length >= fewestDays && findConstant(samples) !== undefined;
}
