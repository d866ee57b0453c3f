import type { Money } from '../../../lib/money.ts';
import type { Slices } from '../../../lib/slices.ts';
import type { InvoiceKind } from '../entry.ts';
import { compareSegments, type Shift, usedOn } from './comparison.ts';
import { fewestSamples, findConstant, fits, looseTolerance, ratioScale, type Sample } from './constant.ts';
import type { Comparable, PriceFinding } from './find-price.ts';
import { findShift } from './find-shift.ts';
import type { Line, ProviderLines } from './line.ts';
import type { RatesOf } from './list-rates.ts';
import { makeLines, type Reconciled } from './make-lines.ts';
import { makeOverride } from './override.ts';
import { type LineCause, type SettledLine, type SettledSegment, settleLine } from './settle-line.ts';
import type { OverrideWire, PartKind } from './wire.ts';

export type PartCause =
  | LineCause
  /** Calls near midnight that are on another day at the provider. */
  | 'edge'
  /** Calls that the invoice records a day later or earlier. */
  | 'late'
  /** An entry of several days, each of which has an equal share. */
  | 'even_shares'
  | Exclude<InvoiceKind, 'usage'>;

/** The amount of one day of a line in a part. */
export interface PartOfDay {
  /** The day, as an offset from the first day of the range. */
  readonly place: number;
  readonly kind: PartKind;
  readonly cause: PartCause;
  readonly amount: Money;
  /** The number of affected calls; undefined if it can't be determined. */
  readonly calls: bigint | undefined;
}

/** A price on the invoice that differs from the computed costs. */
export interface OtherPrice {
  readonly finding: PriceFinding;
  /** The first and last day, as offsets. */
  readonly from: number;
  readonly to: number;
  readonly override: OverrideWire | undefined;
}

/** The parts of a line's difference. On each day they add up to the invoiced amount less the computed cost. */
export interface SplitLine {
  readonly line: Line;
  readonly price: OtherPrice | undefined;
  readonly parts: readonly PartOfDay[];
}

const kindOfCause: Readonly<Record<PartCause, PartKind>> = {
  edge: 'timing',
  late: 'timing',
  even_shares: 'timing',
  unpriced: 'unpriced',
  no_calls: 'not_seen',
  unexplained_calls: 'not_seen',
  no_entry: 'not_invoiced',
  fewer_charged: 'not_invoiced',
  price: 'price',
  common_ratio: 'discount',
  discount: 'discount',
  credit: 'credit',
  tax: 'tax',
  other: 'rest',
  rounding: 'rest',
  unexplained: 'rest',
};

/** Splits the differences of a range by line and day (README.md). A pure function. */
export function* splitDifferences(reconciled: Reconciled, ratesOf: RatesOf): Slices<SplitLine[]> {
  const split: SplitLine[] = [];
  for (const provider of yield* makeLines(reconciled)) {
    for (const line of yield* splitProvider(provider, reconciled.range.from, ratesOf)) split.push(line);
  }
  return split;
}

/** The same for the lines of one provider. */
function* splitProvider(provider: ProviderLines, firstDay: number, ratesOf: RatesOf): Slices<SplitLine[]> {
  const shift = yield* findShift(provider);
  /** The list prices of a line's model on a day of the range. */
  const ratesOn = ({ callModels: [model], callProvider = '' }: Line, place: number) =>
    model === undefined ? undefined : ratesOf(callProvider, model, firstDay + place);
  const settleAll = function* (discount: bigint): Slices<SettledLine[]> {
    const settled: SettledLine[] = [];
    for (const line of provider.lines) {
      const comparisons = compareSegments(line, shift, provider.step);
      const rates = ratesOn(line, line.days.length - 1);
      settled.push(settleLine(line, comparisons, { discount, rates }));
      yield;
    }
    return settled;
  };
  const first = yield* settleAll(ratioScale);
  const discount = yield* findDiscount(first);
  const all = discount === undefined ? first : yield* settleAll(discount);
  const split: SplitLine[] = [];
  for (const settled of all) {
    const { line, finding } = settled;
    const rates = finding && ratesOn(line, finding.window.from);
    const price = finding && {
      finding,
      from: finding.window.from,
      to: finding.window.to,
      override: rates && makeOverride({ line, finding, rates, firstDay: firstDay - shift }),
    };
    split.push({ line, price, parts: [...partsOfCalls(settled, shift), ...partsOfEntries(line)] });
    yield;
  }
  return split;
}

/**
 * The factor below 1 that a provider applies to all its prices. At least two of its models must have it, and more than
 * half of those that can be compared. If an invoice names no model, it is the factor of all models together.
 */
function* findDiscount(lines: readonly SettledLine[]): Slices<bigint | undefined> {
  const withRatio = lines.flatMap(({ line, finding, comparables }) =>
    finding?.kind === 'ratio' && isOfAllDays(finding) && finding.ratio < ratioScale
      ? [{ ratio: finding.ratio, comparables, isOfSeveral: line.model === '' && line.callModels.length > 1 }]
      : [],
  );
  const whole = withRatio.find(({ isOfSeveral }) => isOfSeveral);
  if (whole) return whole.ratio;
  const comparable = lines.filter(({ comparables }) => comparables.length >= fewestSamples).length;
  // Lines with one ratio have the same lines beside them.
  let alike: typeof withRatio | undefined;
  for (const ratio of new Set(withRatio.map((line) => line.ratio))) {
    const those = withRatio.filter((other) => hasRatio(other.comparables, ratio));
    if (!alike || those.length > alike.length) alike = those;
    yield;
  }
  if (!alike || alike.length < 2 || 2 * alike.length <= comparable) return undefined;
  const samples = alike.flatMap(({ comparables }) => comparables.map(toSample));
  return findConstant(samples) ?? alike[0]?.ratio;
}

const isOfAllDays = ({ window }: PriceFinding): boolean => window.isFromFirst && window.isOpen;

const toSample = ({ charged, cost, tolerance }: Comparable): Sample => ({
  numerator: charged,
  denominator: cost,
  tolerance,
});

/** Whether the sums of the amounts have this ratio. */
function hasRatio(comparables: readonly Comparable[], ratio: bigint): boolean {
  const sum = comparables.map(toSample).reduce((a, b) => ({
    numerator: a.numerator + b.numerator,
    denominator: a.denominator + b.denominator,
    tolerance: a.tolerance + b.tolerance,
  }));
  return fits({ ...sum, tolerance: looseTolerance(sum, sum.numerator) }, ratio);
}

/** The parts of entries of usage, by day. */
function partsOfCalls({ line, segments }: SettledLine, shift: Shift): PartOfDay[] {
  return segments.flatMap((settled) => partsOfSegment(line, settled, shift));
}

function partsOfSegment(line: Line, { comparison, parts }: SettledSegment, shift: Shift): PartOfDay[] {
  const { from, to } = comparison.segment;
  const days = line.days.slice(from, to + 1);
  const used = days.map((_, index) => usedOn(line, from + index, shift));
  const weights = comparison.used.cost > 0n ? used.map(({ cost }) => cost) : days.map(({ charged }) => charged);
  // The rest of each day's difference. Where parts are spread over several days, only the rounding of shares is left.
  const left = days.map(({ charged, computed }) => charged - computed);
  const spread = parts.flatMap(({ cause, amount }) => {
    const amounts = spreadOver(amount, weights);
    return days.map((_, index): PartOfDay => {
      const ofDay = amounts[index] ?? 0n;
      left[index] = (left[index] ?? 0n) - ofDay;
      return {
        place: from + index,
        kind: kindOfCause[cause],
        cause,
        amount: ofDay,
        calls: countCalls(cause, used[index]),
      };
    });
  });
  const timing = days.flatMap(({ computed }, index): PartOfDay[] => {
    const moved = (used[index]?.cost ?? 0n) - computed;
    const place = from + index;
    const part = (cause: PartCause, amount: Money) => ({
      place,
      kind: kindOfCause[cause],
      cause,
      amount,
      calls: undefined,
    });
    return [part(shift === 0 ? 'edge' : 'late', moved), part('even_shares', (left[index] ?? 0n) - moved)];
  });
  return [...spread, ...timing].filter(({ amount, calls }) => amount !== 0n || (calls !== undefined && calls > 0n));
}

function countCalls(
  cause: LineCause,
  used: { readonly calls: bigint; readonly unpriced: bigint } | undefined,
): bigint | undefined {
  if (cause === 'unpriced') return used?.unpriced;
  return cause === 'no_entry' ? used?.calls : undefined;
}

/** The parts of entries of other kinds, by day. */
const partsOfEntries = ({ days }: Line): PartOfDay[] =>
  days.flatMap(({ others }, place) =>
    [...others].map(
      ([kind, amount]): PartOfDay => ({ place, kind: kindOfCause[kind], cause: kind, amount, calls: undefined }),
    ),
  );

/**
 * Spreads an amount over some days in proportion to their weights; the shares add up to it exactly. Evenly, if the
 * weights have no sum or different signs.
 */
export function spreadOver(amount: Money, weights: readonly bigint[]): Money[] {
  const sum = weights.reduce((total, weight) => total + weight, 0n);
  const isMixed = weights.some((weight) => weight < 0n) && weights.some((weight) => weight > 0n);
  if (sum === 0n || isMixed)
    return spreadOver(
      amount,
      weights.map(() => 1n),
    );
  let reached = 0n;
  let given = 0n;
  return weights.map((weight) => {
    reached += weight;
    const until = (amount * reached) / sum;
    const share = until - given;
    given = until;
    return share;
  });
}
