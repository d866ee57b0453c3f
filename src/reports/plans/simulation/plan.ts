import {
  type Decimal,
  decimal,
  type Money,
  multiplyDecimals,
  toMoney,
  toScaled,
  type WideMoney,
} from '../../../lib/money.ts';
import type { TagFilter } from '../../asking/body.ts';

/** What usage is measured in: its cost in USD, calls, tokens of all kinds, or a key metric. */
export type Unit = 'cost' | 'calls' | 'tokens' | `key_metric:${string}`;

const metricPrefix = 'key_metric:';

/** The name of the key metric; undefined for other units. */
export const metricOf = (unit: Unit): string | undefined =>
  unit.startsWith(metricPrefix) ? unit.slice(metricPrefix.length) : undefined;

export const isUnit = (text: string): text is Unit =>
  text === 'cost' || text === 'calls' || text === 'tokens' || (text.startsWith(metricPrefix) && text !== metricPrefix);

/** The customers of a plan: those with these names, or those that carry these tags now. */
export type Selector = { readonly names: readonly string[] } | { readonly tags: TagFilter };

/** A plan to simulate, as it was asked for. */
export interface AskedPlan {
  readonly name: string;
  readonly customers: Selector;
  /** USD a month. */
  readonly basePerMonth: Decimal;
  /** How much is used each month before usage is charged. */
  readonly included: { readonly unit: Unit; readonly amount: Decimal } | undefined;
  /** USD for one unit beyond what is included. */
  readonly overage: { readonly unit: Unit; readonly price: Decimal } | undefined;
  /** Charges the cost that is not included, plus this percentage of it. */
  readonly markupPct: Decimal | undefined;
}

/** A quantity or an amount of USD in whole units of 1e-30, which hold a cost after credits exactly. */
export type Quantity = WideMoney;

export interface UnitCharge {
  readonly unit: Unit;
  /** USD for one unit. */
  readonly price: Money;
  /** In each whole month. */
  readonly included: Quantity;
}

export interface PlanPrices {
  readonly base: Money;
  readonly charges: readonly UnitCharge[];
}

const toQuantity = (amount: Decimal): Quantity => toScaled(amount, 30);

/** The charges of a plan. What is included belongs to the charge of its unit. */
export function pricesOf({ basePerMonth, included, overage, markupPct }: AskedPlan): PlanPrices {
  const includedOf = (unit: Unit): Quantity => (included?.unit === unit ? toQuantity(included.amount) : 0n);
  const charges: UnitCharge[] = [];
  if (overage) {
    charges.push({ unit: overage.unit, price: toMoney(overage.price), included: includedOf(overage.unit) });
  }
  if (markupPct) {
    const { mantissa, scale } = multiplyDecimals(markupPct, decimal(1n, 2));
    const factor = decimal(mantissa + 10n ** BigInt(scale), scale);
    charges.push({ unit: 'cost', price: toMoney(factor), included: includedOf('cost') });
  }
  return { base: toMoney(basePerMonth), charges };
}
