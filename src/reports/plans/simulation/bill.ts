import { divideHalfEven, dollar, type Money, widen } from '../../../lib/money.ts';
import { allocate, calcEarned } from '../../facts/allocation.ts';
import type { Paid } from './paid-days.ts';
import type { Quantity, Unit, UnitCharge } from './plan.ts';

/** The base of paid days is earned as revenue is (D8.1): evenly over the days of its period, of which these count. */
export const calcBase = (base: Money, { parts }: Paid): Money =>
  parts.reduce((sum, { period, months, span }) => sum + calcEarned(allocate(base * months, period), span), 0n);

/** A customer's month: what it paid and cost, and what it used. */
export interface CustomerMonth {
  readonly customer: string;
  readonly paid: Paid;
  readonly revenue: Money;
  /** With `shared` in it. */
  readonly cost: Quantity;
  /** What it has of the shared costs, where the question includes them. */
  readonly shared: Money;
  readonly usedOf: (unit: Unit) => Quantity;
}

/**
 * What usage beyond the included amounts is charged together, rounded once, half-even, to 12 digits. The share of a month
 * that is paid for is included; without any, nothing is charged.
 */
export function calcUsage(charges: readonly UnitCharge[], { paid: { share }, usedOf }: CustomerMonth): Money {
  if (share.numerator === 0n) return 0n;
  let charged = 0n;
  for (const { unit, price, included } of charges) {
    const beyond = usedOf(unit) * share.denominator - included * share.numerator;
    if (beyond > 0n) charged += price * beyond;
  }
  return divideHalfEven(charged, share.denominator * widen(dollar));
}
