import type { Money } from '../../lib/money.ts';
import { compareSegments, looseTolerance, type Shift } from './comparison.ts';
import { findConstant } from './constant.ts';
import type { Line, ProviderLines } from './line.ts';

const fewestDays = 5;

/**
 * Whether a provider's invoice records calls a day later or earlier. With the shift, lines with at least five days must
 * have one price on nearly all of their days. Without it, the lines for which this holds must charge less than a
 * quarter of that. Equal costs on all days show no shift. A provider with entries over several days has none.
 */
export function findShift({ lines, step }: ProviderLines): Shift {
  const isDaily = lines.every(({ segments }) => segments.every(({ from, to }) => from === to));
  if (!isDaily) return 0;
  const explained = (shift: Shift): Money =>
    lines.reduce((sum, line) => sum + (hasOnePrice(line, shift, step) ? sumCharged(line) : 0n), 0n);
  const still = explained(0);
  const shifts = ([1, -1] as const).map((shift) => ({ shift, amount: explained(shift) }));
  const best = shifts.toSorted((a, b) => (a.amount < b.amount ? 1 : -1))[0];
  return best && best.amount > 4n * still ? best.shift : 0;
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
