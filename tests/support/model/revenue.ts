// D8.1: revenue, by the days that earn it.
import { picos } from '../decimal.ts';
import { daysBetween } from './days.ts';

export interface RevenueEntry {
  external_id: string;
  customer: string;
  /** A number or decimal text. */
  amount: number | string;
  date_from: string;
  date_to?: string;
}

/** The amount that a customer earns on a day, in picodollars; it may be 0. */
export interface Earning {
  customer: string;
  day: string;
  picos: bigint;
}

/** All days of all entries. Of entries with the same `external_id` the last counts. */
export function earningsOf(entries: readonly RevenueEntry[]): Earning[] {
  const standing = new Map(entries.map((entry) => [entry.external_id, entry]));
  return [...standing.values()].flatMap(({ customer, amount, date_from, date_to = date_from }) => {
    const total = picos(amount);
    const days = daysBetween(date_from, date_to);
    // BigInt division truncates towards zero.
    const earnedBy = (day: number): bigint => (total * BigInt(day)) / BigInt(days.length);
    return days.map((day, index) => ({ customer, day, picos: earnedBy(index + 1) - earnedBy(index) }));
  });
}
