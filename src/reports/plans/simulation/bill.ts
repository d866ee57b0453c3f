import { type Period, toDayNumber } from '../../../lib/days.ts';
import { divideHalfEven, dollar, type Money, widen } from '../../../lib/money.ts';
import { allocate, calcEarned, type DaySpan } from '../../facts/allocation.ts';
import type { Charge, Quantity, Unit } from './plan.ts';

/** The days of a calendar month that are in the range. */
export interface Month {
  /** The day number of the first of these days. */
  readonly period: number;
  readonly span: DaySpan;
  /** The whole month. */
  readonly whole: DaySpan;
}

export const daysOf = ({ from, to }: DaySpan): number => to - from + 1;

/** A period of a range by months: a whole month, or what the range has of it. */
export function toMonth({ dateFrom, dateTo }: Period): Month {
  const first = new Date(`${dateFrom.slice(0, 7)}-01T00:00:00Z`);
  const from = toDayNumber(dateFrom) - Number(dateFrom.slice(8)) + 1;
  first.setUTCMonth(first.getUTCMonth() + 1, 0);
  return {
    period: toDayNumber(dateFrom),
    span: { from: toDayNumber(dateFrom), to: toDayNumber(dateTo) },
    whole: { from, to: from + first.getUTCDate() - 1 },
  };
}

/** The base of a month is earned as revenue is (D8.1): evenly over its days, of which those in the range count. */
export const calcBase = (base: Money, { span, whole }: Month): Money => calcEarned(allocate(base, whole), span);

/** A customer's month: what it paid and cost, and what it used. */
export interface CustomerMonth {
  readonly customer: string;
  readonly month: Month;
  readonly revenue: Money;
  readonly cost: Quantity;
  readonly usedOf: (unit: Unit) => Quantity;
}

/**
 * What usage beyond the included amount is charged, rounded once, half-even, to 12 digits. Of a month in part, the share
 * of its days is included.
 */
export function calcCharge({ unit, price, included }: Charge, { month, usedOf }: CustomerMonth): Money {
  const [days, of] = [BigInt(daysOf(month.span)), BigInt(daysOf(month.whole))];
  const beyond = usedOf(unit) * of - included * days;
  return beyond <= 0n ? 0n : divideHalfEven(price * beyond, of * widen(dollar));
}
