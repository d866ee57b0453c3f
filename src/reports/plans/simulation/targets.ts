import { type Decimal, dollar, type Money, type WideMoney, widen } from '../../../lib/money.ts';
import type { Slices } from '../../../lib/slices.ts';
import { type CustomerMonth, calcBase, daysOf, type Month } from './bill.ts';
import type { Charge, Quantity } from './plan.ts';

/** Why no base reaches the target, or why it cannot be told. */
export const baseReasons = ['no_target', 'no_customers', 'no_cost', 'usage_reaches_it', 'out_of_range'] as const;
export type BaseReason = (typeof baseReasons)[number];

/** Why no included amount reaches the target exactly, or why it cannot be told. */
export const includedReasons = [
  ...(['no_target', 'no_customers', 'no_cost', 'no_charge', 'base_reaches_it', 'out_of_reach'] as const),
] as const;
export type IncludedReason = (typeof includedReasons)[number];

export type Found<Value, Reason> =
  | { readonly value: Value; readonly reason: undefined }
  | { readonly value: undefined; readonly reason: Reason };

/** The most that a base per month may be, in USD. */
export const mostBase = 1_000_000_000n;

/** The exact revenue of which the target leaves `cost`: `numerator / denominator`, in 1e-30 USD. */
export interface TargetRevenue {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export function revenueFor(cost: WideMoney, { mantissa, scale }: Decimal): TargetRevenue {
  const whole = 100n * 10n ** BigInt(scale);
  return { numerator: cost * whole, denominator: whole - mantissa };
}

/** A number that is a whole multiple of the share of any month in part, 1/28 to 30/31: of 28, 29, 30 and 31. */
const dayShares = 377_580n;

const shareOf = ({ span, whole }: Month): bigint => (dayShares * BigInt(daysOf(span))) / BigInt(daysOf(whole));

/**
 * The base a month at which revenue reaches the target: rounded up to 12 fractional digits, or as many as leave 15 in all.
 * `usage` is what usage earns.
 */
export function findBase(
  target: TargetRevenue,
  usage: WideMoney,
  /** How many customers pay in each month. */
  payers: ReadonlyMap<Month, number>,
): Found<Money, BaseReason> {
  const months = [...payers].reduce((sum, [month, count]) => sum + BigInt(count) * shareOf(month), 0n);
  if (months === 0n) return { value: undefined, reason: 'no_customers' };
  if (target.numerator === 0n) return { value: undefined, reason: 'no_cost' };
  const missing = target.numerator - usage * target.denominator;
  if (missing < 0n) return { value: undefined, reason: 'usage_reaches_it' };
  const exact = divideUp(missing * dayShares, target.denominator * months * widen(1n));
  const step = stepOf(exact);
  let base = divideUp(exact, step) * step;
  // Parts of months are cut to whole picodollars, which can be missing together.
  while (calcBaseRevenue(base, payers) * target.denominator < missing) base += step;
  return base > mostBase * dollar ? { value: undefined, reason: 'out_of_range' } : { value: base, reason: undefined };
}

const calcBaseRevenue = (base: Money, payers: ReadonlyMap<Month, number>): WideMoney =>
  widen([...payers].reduce((sum, [month, count]) => sum + BigInt(count) * calcBase(base, month), 0n));

/** Amounts of at most 15 digits are the same as JSON numbers, so an answer can be asked again. */
function stepOf(amount: bigint): bigint {
  const digits = amount.toString().length;
  return digits <= 15 ? 1n : 10n ** BigInt(digits - 15);
}

/** `numerator / denominator` rounded up; both are positive, or the numerator is 0. */
const divideUp = (numerator: bigint, denominator: bigint): bigint => (numerator + denominator - 1n) / denominator;

/**
 * The most that can be included a month so that the charge still earns `missing`, in the unit of `target`: rounded down to
 * 12 fractional digits, or as many as leave 15 in all.
 *
 * What the charge earns falls as more is included, and ever more slowly. So the line of those who pay at one amount meets
 * `missing` at or before the curve does: each step goes there and leaves out who pays no more.
 */
export function* findIncluded(
  target: TargetRevenue,
  /** What else the plan earns. */
  others: WideMoney,
  charge: Charge | undefined,
  months: readonly CustomerMonth[],
): Slices<Found<Quantity, IncludedReason>> {
  if (months.length === 0) return { value: undefined, reason: 'no_customers' };
  if (target.numerator === 0n) return { value: undefined, reason: 'no_cost' };
  if (!charge || charge.price === 0n) return { value: undefined, reason: 'no_charge' };
  const missing = target.numerator - others * target.denominator;
  if (missing <= 0n) return { value: undefined, reason: 'base_reaches_it' };
  // The usage beyond what is included that earns what is missing: `needed / per`.
  const [needed, per] = [missing * dollar, target.denominator * charge.price];
  let paying: readonly { readonly used: Quantity; readonly share: bigint }[] = months.flatMap((one) => {
    const used = one.usedOf(charge.unit);
    return used > 0n ? [{ used, share: shareOf(one.month) }] : [];
  });
  for (;;) {
    let [used, shares] = [0n, 0n];
    for (const one of paying) {
      used += one.used;
      shares += one.share;
    }
    yield;
    const beyond = used * per - needed;
    if (beyond < 0n) return { value: undefined, reason: 'out_of_reach' };
    // The amount is `beyond × dayShares / (per × shares)`.
    const [numerator, denominator] = [beyond * dayShares, per * shares];
    const left = paying.filter(({ used: own, share }) => own * dayShares * denominator > numerator * share);
    yield;
    if (left.length === paying.length) return { value: roundDown(numerator / denominator), reason: undefined };
    paying = left;
  }
}

function roundDown(amount: Quantity): Quantity {
  const picos = amount / widen(1n);
  const step = stepOf(picos);
  return widen((picos / step) * step);
}
