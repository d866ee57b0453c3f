import { addMonths, daysOfMonth } from '../lib/days.ts';
import { toMonth } from '../lib/format.ts';
import type { DayRange } from '../state/search.ts';

/** How many months before this one can be chosen from the list. */
const mostMonths = 24;

/** The month to report, as YYYY-MM: the one before today's, whose invoices are due, or today's where no call is older. */
export function monthToReport(today: string, firstDay: string | undefined): string {
  const month = addMonths(today, -1).slice(0, 7);
  return firstDay !== undefined && firstDay.slice(0, 7) > month ? today.slice(0, 7) : month;
}

export const moveMonth = (month: string, count: number): string => addMonths(`${month}-01`, count).slice(0, 7);

/** The days of a month, up to today. */
export function daysOf(month: string, today: string): DayRange {
  const days = daysOfMonth(`${month}-01`);
  const last = days.at(-1) ?? today;
  return { from: `${month}-01`, to: last < today ? last : today };
}

/** The names of the months to choose from, the newest first: those with calls, this and the last one, and `chosen`. */
export function listMonths(today: string, firstDay: string | undefined, chosen: string): Record<string, string> {
  const recent = Array.from({ length: mostMonths }, (_, index) => moveMonth(today.slice(0, 7), -index)).filter(
    (month, index) => index < 2 || (firstDay !== undefined && month >= firstDay.slice(0, 7)),
  );
  const months = [...new Set([...recent, chosen])].toSorted().toReversed();
  return Object.fromEntries(months.map((month) => [month, toMonth(`${month}-01`)]));
}

interface Entry {
  readonly kind: string;
  readonly date_from: string;
  readonly date_to: string;
}

/** The days from the first to the last that an invoice is of, within these; all of them where none is. */
export function toInvoicedDays(entries: readonly Entry[], { from, to }: DayRange): DayRange {
  const within = entries.filter((entry) => entry.date_from <= to && entry.date_to >= from);
  if (within.length === 0) return { from, to };
  const [first = from] = within.map((entry) => entry.date_from).toSorted();
  const last =
    within
      .map((entry) => entry.date_to)
      .toSorted()
      .at(-1) ?? to;
  return { from: first > from ? first : from, to: last < to ? last : to };
}

/** On how many of these days an invoice charges usage. */
export function countInvoicedDays(entries: readonly Entry[], { from, to }: DayRange): number {
  const charged = entries.filter(({ kind }) => kind === 'usage');
  return daysOfMonth(from).filter(
    (day) => day >= from && day <= to && charged.some((entry) => entry.date_from <= day && day <= entry.date_to),
  ).length;
}
