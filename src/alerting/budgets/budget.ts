import { addDays, type Day, dayMs, dayOf, listDayStarts, type Period, startOfDay } from '../../lib/days.ts';
import { type NamedDimension, namedDimensions, type Plural } from '../../lib/dimensions.ts';
import { hourAround } from '../../lib/hours.ts';
import { divideToNumber, type Money, type WideMoney, widen, wideToJsonNumber } from '../../lib/money.ts';

export const budgetPeriods = ['hour', 'day', 'week', 'month', 'quarter'] as const;
export type CalendarPeriod = (typeof budgetPeriods)[number];
/** The last minutes, hours or days: `10m`, `6h`, `30d`. */
export type BudgetWindow = `${number}${'m' | 'h' | 'd'}`;
export type BudgetPeriod = CalendarPeriod | BudgetWindow;

/** What can have a budget of its own: the values of a dimension, or the runs that events name. */
export const eachNames = [...namedDimensions, 'run'] as const;
export type EachName = NamedDimension | 'run';

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
  readonly each: EachName | undefined;
  /** Percentages of the amount, ascending. */
  readonly thresholds: readonly number[];
  readonly applyCredits: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type BudgetDefinition = Omit<Budget, 'name' | 'createdAt' | 'updatedAt'>;

/**
 * A period of a budget, and the instant at which the next one begins, in milliseconds since 1970: for a window, that at
 * which it has left its first day.
 */
export interface BudgetSpan extends Period {
  readonly resetsAt: number;
  /** Only calls of these times count: in an hour, or from the beginning of a window on. */
  readonly times?: Times;
}

export interface Times {
  /** Milliseconds since 1970. */
  readonly fromMs: number;
  /** Exclusive; undefined for a window. */
  readonly toMs?: number;
  readonly window?: Window;
}

/** A window moves in steps of its slots: it is the slot of now and as many before as are as long as the window. */
export interface Window {
  readonly lengthMs: number;
  readonly slotMs: number;
}

const unitsMs = { m: 60_000, h: 3_600_000, d: dayMs } as const;

/** Whether the amount is for a window that moves with the time. */
export const isWindow = (period: BudgetPeriod): period is BudgetWindow => /^\d/.test(period);

/** Slots of a minute, or of an hour for windows of more than a day: each value has a sum for each slot. */
export function windowOf(window: BudgetWindow): Window {
  const unit = window.endsWith('m') ? 'm' : window.endsWith('h') ? 'h' : 'd';
  const lengthMs = Number(window.slice(0, -1)) * unitsMs[unit];
  return { lengthMs, slotMs: lengthMs <= dayMs ? unitsMs.m : unitsMs.h };
}

/** The instant from which on calls count in a window: the beginning of a slot. */
export const beginOf = ({ lengthMs, slotMs }: Window, nowMs: number): number =>
  Math.floor(nowMs / slotMs) * slotMs - lengthMs;

/** The first day of a month. `month` counts from 0; from 12 on it is in a later year. */
const firstOfMonth = (year: number, month: number): Day =>
  new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);

/** The calendar period that contains a day: weeks begin on Monday, quarters in January, April, July and October. */
export function periodAround(day: Day, period: Exclude<CalendarPeriod, 'hour'>): Period {
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
  if (isWindow(period)) return windowAt(windowOf(period), timezone, nowMs);
  if (period === 'hour') {
    const { fromMs, toMs } = hourAround(timezone, nowMs);
    const [dateFrom, dateTo] = [dayOf(timezone, fromMs), dayOf(timezone, toMs - 1)];
    return { dateFrom, dateTo, resetsAt: toMs, times: { fromMs, toMs } };
  }
  const around = periodAround(dayOf(timezone, nowMs), period);
  return { ...around, resetsAt: startAfter(timezone, around.dateTo, nowMs) };
}

/** Calls may be dated a day ahead. They count at once, as in calendar periods. */
const daysAhead = 2;

function windowAt(window: Window, timezone: string, nowMs: number): BudgetSpan {
  const fromMs = beginOf(window, nowMs);
  const dateFrom = dayOf(timezone, fromMs);
  const nextDayMs = startAfter(timezone, dateFrom, fromMs);
  return {
    dateFrom,
    dateTo: addDays(dayOf(timezone, nowMs), daysAhead),
    resetsAt: Math.ceil(nextDayMs / window.slotMs) * window.slotMs + window.lengthMs,
    times: { fromMs, window },
  };
}

/** When the first day after `day` begins, later than `nowMs`. */
function startAfter(timezone: string, day: Day, nowMs: number): number {
  // A clock set back after midnight repeats a day, and a timezone can skip one. So the next start of a later day
  // counts.
  const next = listDayStarts(timezone, day, addDays(day, 2)).find((start) => start.timeMs > nowMs && start.day > day);
  return next?.timeMs ?? startOfDay(timezone, addDays(day, 1));
}

/** Whether what was read for a span is enough to answer at an instant. */
export function isInSpan({ dateFrom, dateTo, times, resetsAt }: BudgetSpan, timezone: string, nowMs: number): boolean {
  if (times?.window) return beginOf(times.window, nowMs) >= times.fromMs && nowMs < resetsAt;
  if (times) return nowMs >= times.fromMs && nowMs < resetsAt;
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
