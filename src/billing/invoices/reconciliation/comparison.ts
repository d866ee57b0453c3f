import type { Money } from '../../../lib/money.ts';
import type { Line, Segment } from './line.ts';
import { addUsage, type LineUsage, noUsage } from './usage.ts';

/** The number of days by which the invoice records calls later than the provider's days; −1 for a day earlier. */
export type Shift = -1 | 0 | 1;

/** The charges of entries over some days, and the calls of these days. */
export interface Comparison {
  readonly segment: Segment;
  readonly charged: Money;
  readonly used: LineUsage;
  /** The tolerance for rounding: half a step for each entry, and some picodollars for each call. */
  readonly tolerance: Money;
}

const pico = 10n;

/** The comparisons of a line. With a shift, the calls are those of the days before or after. */
export function compareSegments(line: Line, shift: Shift, step: Money): Comparison[] {
  return line.segments.map((segment) => {
    let used = noUsage;
    let charged = 0n;
    for (let place = segment.from; place <= segment.to; place += 1) {
      used = addUsage(used, usedOn(line, place, shift));
      charged += line.days[place]?.charged ?? 0n;
    }
    // An invoice may also leave out what rounds to nothing.
    const roundings = BigInt(Math.max(segment.entries, 1));
    const tolerance = (step * roundings) / 2n + pico * (used.calls + 1n);
    return { segment, charged, used, tolerance };
  });
}

/** The calls that the invoice records on a day, by its offset in the range. */
export const usedOn = ({ used }: Line, place: number, shift: Shift): LineUsage => used[place + 1 - shift] ?? noUsage;
