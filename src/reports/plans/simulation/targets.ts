import { type Decimal, dollar, type Money, type WideMoney, widen } from '../../../lib/money.ts';
import type { Slices } from '../../../lib/slices.ts';
import { type CustomerMonth, calcBase } from './bill.ts';
import { leastCommonMultiple, type Paid } from './paid-days.ts';
import type { Quantity, UnitCharge } from './plan.ts';

/** Why no base reaches the target, or why it cannot be told. */
export const baseReasons = ['no_target', 'no_customers', 'no_cost', 'usage_reaches_it', 'out_of_range'] as const;
export type BaseReason = (typeof baseReasons)[number];

/** Why no included amount reaches the target exactly, or why it cannot be told. */
export const includedReasons = [
  ...(['no_target', 'no_customers', 'no_cost', 'no_charge', 'base_reaches_it', 'out_of_reach'] as const),
] as const;
export type IncludedReason = (typeof includedReasons)[number];

export type Target<Value, Reason> =
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

/** A number of which the share of each is a whole part. */
const sharesOf = (all: Iterable<Paid>): bigint =>
  [...new Set(Array.from(all, ({ share }) => share.denominator))].reduce(leastCommonMultiple, 1n);

const shareOf = ({ share }: Paid, shares: bigint): bigint => (shares / share.denominator) * share.numerator;

/**
 * The base a month at which revenue reaches the target: rounded up to 12 fractional digits, or as many as leave 15 in all.
 * `usage` is what usage earns.
 */
export function findBase(
  target: TargetRevenue,
  usage: WideMoney,
  /** How many customers pay so in a month. */
  payers: ReadonlyMap<Paid, number>,
): Target<Money, BaseReason> {
  const shares = sharesOf(payers.keys());
  const months = [...payers].reduce((sum, [paid, count]) => sum + BigInt(count) * shareOf(paid, shares), 0n);
  if (months === 0n) return { value: undefined, reason: 'no_customers' };
  if (target.numerator === 0n) return { value: undefined, reason: 'no_cost' };
  const missing = target.numerator - usage * target.denominator;
  if (missing < 0n) return { value: undefined, reason: 'usage_reaches_it' };
  const exact = divideUp(missing * shares, target.denominator * months * widen(1n));
  const step = stepOf(exact);
  let base = divideUp(exact, step) * step;
  // Parts of billing periods are cut to whole picodollars, which can be missing together.
  while (calcBaseRevenue(base, payers) * target.denominator < missing) base += step;
  return base > mostBase * dollar ? { value: undefined, reason: 'out_of_range' } : { value: base, reason: undefined };
}

const calcBaseRevenue = (base: Money, payers: ReadonlyMap<Paid, number>): WideMoney =>
  widen([...payers].reduce((sum, [paid, count]) => sum + BigInt(count) * calcBase(base, paid), 0n));

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
  charge: UnitCharge | undefined,
  months: readonly CustomerMonth[],
): Slices<Target<Quantity, IncludedReason>> {
  if (months.length === 0) return { value: undefined, reason: 'no_customers' };
  if (target.numerator === 0n) return { value: undefined, reason: 'no_cost' };
  if (!charge || charge.price === 0n) return { value: undefined, reason: 'no_charge' };
  const missing = target.numerator - others * target.denominator;
  if (missing <= 0n) return { value: undefined, reason: 'base_reaches_it' };
  // The usage beyond what is included that earns what is missing: `needed / per`.
  const [needed, per] = [missing * dollar, target.denominator * charge.price];
  const shares = sharesOf(new Set(months.map(({ paid }) => paid)));
  let paying: readonly { readonly used: Quantity; readonly share: bigint }[] = months.flatMap(({ paid, usedOf }) => {
    const [used, share] = [usedOf(charge.unit), shareOf(paid, shares)];
    return used > 0n && share > 0n ? [{ used, share }] : [];
  });
  for (;;) {
    let [used, paid] = [0n, 0n];
    for (const one of paying) {
      used += one.used;
      paid += one.share;
    }
    yield;
    const beyond = used * per - needed;
    if (beyond < 0n) return { value: undefined, reason: 'out_of_reach' };
    // The amount is `beyond × shares / (per × paid)`.
    const [numerator, denominator] = [beyond * shares, per * paid];
    const left = paying.filter(({ used: own, share }) => own * shares * denominator > numerator * share);
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
