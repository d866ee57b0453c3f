// What a range of days is compared with. Pure: the page's requests and words follow from it.

import { addDays, addMonths, countDays, daysOfMonth } from '../lib/days.ts';
import { toChange, toDollars, toShortRange, toSigned } from '../lib/format.ts';
import type { DayRange } from './search.ts';

/** Two ranges of days that are over, and on which the project had data. */
export interface Comparison {
  /** The days shown, as far as they are compared. */
  readonly days: DayRange;
  readonly before: DayRange;
}

export interface Calendar {
  readonly today: string;
  /** The first day of the project with a call; undefined without any. */
  readonly firstDay: string | undefined;
}

const lengthOf = ({ from, to }: DayRange): number => countDays(from, to);
const lastOfMonth = (day: string): string => daysOfMonth(day).at(-1) ?? day;

/**
 * What days are compared with: whole months with the months before, else as many days, as few whole weeks earlier as
 * keeps the two apart. Today is not over, and days before the first with data are none: both ranges do without them.
 */
export function compareDays(shown: DayRange, { today, firstDay }: Calendar): Comparison | undefined {
  const days = { from: shown.from, to: shown.to < today ? shown.to : addDays(today, -1) };
  if (firstDay === undefined || days.to < days.from) return undefined;
  const months = countMonths(shown, today);
  const before = months === undefined ? toWeeksBefore(days) : toMonthsBefore(days, months);
  const missing = countDays(before.from, firstDay) - 1;
  if (missing <= 0) return { days, before };
  // A part of a month is compared with as many days.
  const count = Math.min(lengthOf(days), lengthOf(before)) - missing;
  const cut = ({ from }: DayRange) => ({ from: addDays(from, missing), to: addDays(from, missing + count - 1) });
  return count < 1 ? undefined : { days: cut(days), before: cut(before) };
}

/** The same weekdays before: the same number of days, as few whole weeks earlier as keeps the two apart. */
export function toWeeksBefore({ from, to }: DayRange): DayRange {
  const shift = -7 * Math.ceil(countDays(from, to) / 7);
  return { from: addDays(from, shift), to: addDays(to, shift) };
}

/** How many months the days are, the last of which may be running; undefined where they begin or end within a month. */
function countMonths({ from, to }: DayRange, today: string): number | undefined {
  if (!from.endsWith('-01') || (to < today && to !== lastOfMonth(to))) return undefined;
  const [year, month] = [from, to].map((day) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7))) as [
    number,
    number,
  ];
  const months = month - year + 1;
  // Most of a year is compared with the year before.
  return months <= 6 ? months : 12 * Math.ceil(months / 12);
}

function toMonthsBefore({ from, to }: DayRange, months: number): DayRange {
  const earlier = addMonths(to, -months);
  return { from: addMonths(from, -months), to: to === lastOfMonth(to) ? lastOfMonth(earlier) : earlier };
}

/** A change between the two ranges: `+8.2%`; a day where they have not as many days, `+8.2% a day`. */
export function toComparedChange(
  now: number,
  before: number,
  { days, before: daysBefore }: Comparison,
  format: (amount: number) => string = toDollars,
): string {
  const [count, countBefore] = [lengthOf(days), lengthOf(daysBefore)];
  if (count === countBefore) return toChange(now, before, format);
  return `${toChange(now / count, before / countBefore, format)} a day`;
}

/** What days alone make of a cost, where the ranges have not as many; empty where they have. */
export function remarkOnDays({ days, before }: Comparison, costBefore: number): string {
  const [count, countBefore] = [lengthOf(days), lengthOf(before)];
  if (count === countBefore || costBefore === 0) return '';
  const alone = toSigned(costBefore * (count / countBefore - 1));
  return `${count} days are compared with ${countBefore}: at the same cost a day, that alone is ${alone}.`;
}

/** How many fees of a month fall on days: a part of each month they have. */
function countFees({ from, to }: DayRange): number {
  const month = daysOfMonth(from);
  const last = month.at(-1) ?? to;
  const part = countDays(from, to < last ? to : last) / month.length;
  return to <= last ? part : part + countFees({ from: addDays(last, 1), to });
}

/** What months of other lengths alone make of a revenue that is booked by the month; undefined where that explains less than half of its change. */
export function toFeeChange(comparison: Comparison, now: number, earlier: number): string | undefined {
  const { days, before } = comparison;
  const [fees, feesBefore] = [countFees(days), countFees(before)];
  const perDay = lengthOf(before) / lengthOf(days);
  const [growth, growthOfFees] = [(now / earlier) * perDay, (fees / feesBefore) * perDay];
  const change = toComparedChange(fees, feesBefore, comparison);
  return change.startsWith('±0%') || Math.abs(growth - growthOfFees) > Math.abs(growth - 1) / 2 ? undefined : change;
}

/** The days before in words, beside the days shown: `5 – 31 Oct`. */
export const toBeforeWords = ({ days, before }: Comparison): string => toShortRange(before, days.to.slice(0, 4));

/** A change from the days before, and which these are: `+8.2% vs 5 – 31 Oct`; empty until both are known. */
export function toVersus(
  comparison: Comparison | undefined,
  now: number | undefined,
  before: number | undefined,
  format: (amount: number) => string = toDollars,
): string {
  if (!comparison || now === undefined || before === undefined) return '';
  const words = toBeforeWords(comparison);
  return before === 0 ? `nothing in ${words}` : `${toComparedChange(now, before, comparison, format)} vs ${words}`;
}

/** The same of a cost of one, which has no days. */
export const toUnitVersus = (
  comparison: Comparison | undefined,
  now: number | undefined,
  before: number | undefined,
): string =>
  comparison && now !== undefined && before ? `${toChange(now, before)} vs ${toBeforeWords(comparison)}` : '';

/** What is left out of the days shown: `, without today`. */
export function toLeftWords({ days }: Comparison, shown: DayRange): string {
  if (days.from !== shown.from) return `, against ${toShortRange(days, days.to.slice(0, 4))}`;
  return days.to === shown.to ? '' : ', without today';
}

/** The days before with what is left out: `5 – 31 Oct, without today`. */
export const toComparisonWords = (comparison: Comparison, shown: DayRange): string =>
  `${toBeforeWords(comparison)}${toLeftWords(comparison, shown)}`;
