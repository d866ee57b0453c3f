import { divideHalfEven, type Money } from '../../../lib/money.ts';
import { type UsageBucket, usageBuckets } from '../../../lib/usage-buckets.ts';
import { findConstant, fits, isNear, looseTolerance, multiplyRatio, ratioScale, type Sample } from './constant.ts';
import { costByRates, type ListRates, microsPerPico } from './list-rates.ts';
import type { LineUsage } from './usage.ts';

/** Days of a line that can show a price, because all calls that they charge for have one. */
export interface Comparable {
  /** The first and last day, as offsets in the range. */
  readonly from: number;
  readonly to: number;
  /** The charge without the provider's discount on all its models. */
  readonly charged: Money;
  readonly cost: Money;
  readonly used: LineUsage;
  readonly tolerance: Money;
}

/** The days on which a price holds, as offsets in the range. */
interface Window {
  readonly from: number;
  readonly to: number;
  /** Whether it holds until the last day that can be compared. */
  readonly isOpen: boolean;
  /** Whether it holds from the first day that can be compared. */
  readonly isFromFirst: boolean;
  readonly compared: readonly Comparable[];
}

/** A price other than the one that calls are costed with. */
export type PriceFinding = { readonly window: Window } & (
  | { readonly kind: 'ratio'; readonly ratio: bigint }
  /** `rate` is picodollars for a million tokens; `listed` is that of the list. */
  | { readonly kind: 'bucket'; readonly bucket: UsageBucket; readonly rate: Money; readonly listed: Money }
);

/** The buckets whose price an override can set. */
const pricedBuckets: readonly UsageBucket[] = [
  ...(['input', 'cacheRead', 'cacheWrite', 'inputAudio', 'output', 'reasoning', 'outputAudio'] as const),
];

/**
 * Finds the price that explains why the charge of some days differs from their cost. It is a factor on the whole cost,
 * or else the price of a bucket, if exactly one bucket can explain it. Undefined when no price holds over these days,
 * or no day differs.
 */
export function findPrice(comparables: readonly Comparable[], rates: ListRates | undefined): PriceFinding | undefined {
  const isOff = ({ charged, cost, tolerance }: Comparable) =>
    !isNear(charged - cost, looseTolerance({ tolerance }, cost));
  const off = comparables.flatMap((one, index) => (isOff(one) ? [index] : []));
  for (const bounds of listBounds(off)) {
    const found = findRatio(comparables, bounds) ?? findBucketPrice(comparables, bounds, rates);
    if (found) return found;
  }
  return undefined;
}

interface Bounds {
  readonly first: number;
  readonly last: number;
}

/** The most days with another cause of difference before and after the days of a price. */
const mostApart = 4;

/** From the first to the last differing day, then without one of them at either end, and so on. */
function* listBounds(off: readonly number[]): Generator<Bounds> {
  const most = Math.min(mostApart, Math.floor(off.length / 5));
  for (let apart = 0; apart <= most; apart += 1) {
    for (let before = 0; before <= apart; before += 1) {
      const [first, last] = [off[before], off[off.length - 1 - (apart - before)]];
      if (first !== undefined && last !== undefined && first <= last) yield { first, last };
    }
  }
}

type ToSample = (one: Comparable) => Sample;

const exactly: ToSample = ({ charged, cost, tolerance }) => ({ numerator: charged, denominator: cost, tolerance });
const loosely: ToSample = (one) => ({ ...exactly(one), tolerance: looseTolerance(one, one.charged) });

function findRatio(comparables: readonly Comparable[], bounds: Bounds): PriceFinding | undefined {
  const within = comparables.slice(bounds.first, bounds.last + 1);
  if (within.some(({ cost }) => cost <= 0n)) return undefined;
  for (const toSample of [exactly, loosely]) {
    const samples = within.map(toSample);
    const found = findConstant(samples);
    if (found === undefined || found <= 0n) continue;
    const fitting = within.filter((one) => fits(toSample(one), found));
    // If rounding is the only tolerance, the price's digits can be found. With a wider one, the ratio of the sums is
    // the best estimate.
    const ratio = toSample === exactly ? found : ratioOfSums(fitting);
    const window = widen(comparables, bounds, (one) => one.cost > 0n && fits(toSample(one), ratio));
    return { kind: 'ratio', ratio, window };
  }
  return undefined;
}

const ratioOfSums = (comparables: readonly Comparable[]): bigint => {
  const [charged, cost] = comparables.reduce(
    (sums, one): [bigint, bigint] => [sums[0] + one.charged, sums[1] + one.cost],
    [0n, 0n] as [bigint, bigint],
  );
  return divideHalfEven(charged * ratioScale, cost);
};

function findBucketPrice(
  comparables: readonly Comparable[],
  bounds: Bounds,
  rates: ListRates | undefined,
): PriceFinding | undefined {
  if (!rates) return undefined;
  const within = comparables.slice(bounds.first, bounds.last + 1);
  // Costs must be at list prices, because with tiers, terms or reported costs the buckets can't be told apart.
  const isListed = within.every(({ used, cost, tolerance }) =>
    isNear(costByRates(used, rates) - cost * microsPerPico, looseTolerance({ tolerance }, used.cost) * microsPerPico),
  );
  if (!isListed) return undefined;
  const found = pricedBuckets.flatMap((bucket) => {
    const place = usageBuckets.indexOf(bucket);
    const listed = rates.perMtok[bucket] ?? 0n;
    const toSample: ToSample = ({ charged, used, tolerance }) => {
      const tokens = used.tokens[place] ?? 0n;
      return {
        numerator: charged * microsPerPico - (costByRates(used, rates) - tokens * listed),
        denominator: tokens,
        tolerance: tolerance * microsPerPico,
      };
    };
    const holds = (one: Comparable, ratio: bigint) => {
      const sample = toSample(one);
      return sample.denominator > 0n
        ? fits(sample, ratio)
        : isNear(sample.numerator, looseTolerance(one, one.cost) * microsPerPico);
    };
    const samples = within.map(toSample).filter(({ denominator }) => denominator > 0n);
    const ratio = findConstant(samples);
    if (ratio === undefined || ratio < 0n) return [];
    if (within.filter((one) => holds(one, ratio)).length * 5 < within.length * 4) return [];
    const rate = multiplyRatio(1n, ratio);
    return [{ bucket, rate, listed, window: widen(comparables, bounds, (one) => holds(one, ratio)) }];
  });
  const [only, ...others] = found;
  return only && others.length === 0 ? { kind: 'bucket', ...only } : undefined;
}

/** Extends the span by days before and after it on which the price holds too. */
function widen(
  comparables: readonly Comparable[],
  { first, last }: Bounds,
  holds: (one: Comparable) => boolean,
): Window {
  let [from, to] = [first, last];
  while (from > 0 && isHolding(comparables[from - 1], holds)) from -= 1;
  while (to < comparables.length - 1 && isHolding(comparables[to + 1], holds)) to += 1;
  const compared = comparables.slice(from, to + 1);
  return {
    from: compared[0]?.from ?? 0,
    to: compared.at(-1)?.to ?? 0,
    isOpen: to === comparables.length - 1,
    isFromFirst: from === 0,
    compared,
  };
}

const isHolding = (one: Comparable | undefined, holds: (one: Comparable) => boolean): boolean =>
  one !== undefined && holds(one);

/** The difference that the price makes to the cost of some days. */
export function calcPricePart(
  finding: PriceFinding,
  { from, to, cost, used }: Omit<Comparable, 'charged' | 'tolerance'>,
): Money {
  if (from < finding.window.from || to > finding.window.to) return 0n;
  if (finding.kind === 'ratio') return multiplyRatio(cost, finding.ratio) - cost;
  const tokens = used.tokens[usageBuckets.indexOf(finding.bucket)] ?? 0n;
  return divideHalfEven(tokens * (finding.rate - finding.listed), microsPerPico);
}
