import { addDays, type Day, dayOf, listDayStarts, type Period, startOfDay } from '../../lib/days.ts';
import type { NamedDimension, Plural } from '../../lib/dimensions.ts';
import { divideToNumber, type Money, type WideMoney, widen, wideToJsonNumber } from '../../lib/money.ts';

export const budgetPeriods = ['day', 'week', 'month', 'quarter'] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

/** The calls whose cost counts: AND between the filters, OR within one (D6.6). */
export type BudgetScope = { readonly [P in Plural]?: readonly string[] } & {
  /** Only customers that carry these tags now: AND across keys, OR within the values of one. */
  readonly customer_tags?: Readonly<Record<string, readonly string[]>>;
};

/** A limit to spend in a period (D20.1). */
export interface Budget {
  readonly name: string;
  readonly amount: Money;
  readonly period: BudgetPeriod;
  readonly scope: BudgetScope;
  /** Every value of this dimension has a budget of the amount; undefined for one budget. */
  readonly each: NamedDimension | undefined;
  /** Percentages of the amount, ascending. */
  readonly thresholds: readonly number[];
  readonly applyCredits: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type BudgetDefinition = Omit<Budget, 'name' | 'createdAt' | 'updatedAt'>;

/** A period of a budget, and the instant at which the next one begins, in milliseconds since 1970. */
export interface BudgetSpan extends Period {
  readonly resetsAt: number;
}

/** The first day of a month. `month` counts from 0; from 12 on it is in a later year. */
const firstOfMonth = (year: number, month: number): Day =>
  new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);

/** The calendar period that contains a day: weeks begin on Monday, quarters in January, April, July and October. */
export function periodAround(day: Day, period: BudgetPeriod): Period {
  const date = new Date(`${day}T00:00:00Z`);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const monthsFrom = (first: number, count: number): Period => ({
    dateFrom: firstOfMonth(year, first),
    dateTo: addDays(firstOfMonth(year, first + count), -1),
  });
  switch (period) {
    case 'day':
      return { dateFrom: day, dateTo: day };
    case 'week': {
      const dateFrom = addDays(day, -((date.getUTCDay() + 6) % 7));
      return { dateFrom, dateTo: addDays(dateFrom, 6) };
    }
    case 'month':
      return monthsFrom(month, 1);
    case 'quarter':
      return monthsFrom(3 * Math.floor(month / 3), 3);
  }
}

/** The period of a budget at an instant, by the days of the project's timezone. */
export function spanAt(period: BudgetPeriod, timezone: string, nowMs: number): BudgetSpan {
  const around = periodAround(dayOf(timezone, nowMs), period);
  const { dateTo } = around;
  // A clock set back after midnight repeats a day, and a timezone can skip one. So the next start of a later day
  // counts.
  const next = listDayStarts(timezone, dateTo, addDays(dateTo, 2)).find(
    ({ timeMs, day }) => timeMs > nowMs && day > dateTo,
  );
  return { ...around, resetsAt: next?.timeMs ?? startOfDay(timezone, addDays(dateTo, 1)) };
}

export function isInSpan({ dateFrom, dateTo }: Period, timezone: string, nowMs: number): boolean {
  const day = dayOf(timezone, nowMs);
  return day >= dateFrom && day <= dateTo;
}

/** Whether more may be spent: less than the amount is spent. A budget spent to the cent is used up. */
export const isAllowed = ({ amount }: Pick<Budget, 'amount'>, spent: WideMoney): boolean => spent < widen(amount);

/** The amount left, in USD; negative once more than the amount is spent. */
export const calcRemaining = ({ amount }: Pick<Budget, 'amount'>, spent: WideMoney): number =>
  wideToJsonNumber(widen(amount) - spent);

/** The share of the amount that is spent, in percent. */
export const calcSpentPct = ({ amount }: Pick<Budget, 'amount'>, spent: WideMoney): number =>
  divideToNumber(spent * 100n, widen(amount));

/** The thresholds that the spent sum has reached, ascending. */
export const calcPassed = (
  { amount, thresholds }: Pick<Budget, 'amount' | 'thresholds'>,
  spent: WideMoney,
): readonly number[] => thresholds.filter((pct) => spent * 100n >= widen(amount) * BigInt(pct));

/** The least amount that passes the lowest threshold, rounded down to whole picodollars. */
export const calcLeastPassed = ({ amount, thresholds }: Pick<Budget, 'amount' | 'thresholds'>): Money =>
  (amount * BigInt(thresholds[0] ?? 100)) / 100n;
