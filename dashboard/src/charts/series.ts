// What a chart draws.

import type { Granularity } from '../api/types.ts';
import { countDays } from '../lib/days.ts';
import { toDay } from '../lib/format.ts';

/** The label of the total of the days before. */
export const beforeName = 'The days before';

/** One line, or one layer of stacked bars, with a value for every period. */
export interface Series {
  readonly name: string;
  /** What it is of, where it leads somewhere. */
  readonly of?: string;
  /** Null for periods without a value. */
  readonly values: readonly (number | null)[];
  /** The name of a CSS custom property. */
  readonly color: string;
}

export interface ChartData {
  /** The first days of the periods. */
  readonly periods: readonly string[];
  readonly series: readonly Series[];
  /** The total of every period, from the API and not summed here. */
  readonly totals?: readonly number[] | undefined;
  /** The total of every period of the days before, each in the place of its weekday. */
  readonly before?: readonly (number | null)[] | undefined;
  /** How many days the first period has, where the days begin within a week. */
  readonly firstDays?: number | undefined;
  /** The place of the period that is not over; it is hatched. */
  readonly running?: number | undefined;
}

const daysOfWeek = 7;

/** How many days the first week has, where it is not whole. */
export function countFirstDays(granularity: Granularity, [first, second]: readonly string[]): number | undefined {
  if (granularity !== 'week' || first === undefined || second === undefined) return undefined;
  const days = countDays(first, second) - 1;
  return days < daysOfWeek ? days : undefined;
}

/** A period by its first day, and whether it is a part of a week. */
export function toFirstDayWords({ periods, firstDays }: ChartData, index: number): string {
  const part = index === 0 && firstDays !== undefined && `, ${firstDays} ${firstDays === 1 ? 'day' : 'days'} of a week`;
  return `${toDay(periods[index] ?? '')}${part || ''}`;
}

/** The same, and whether it is over. */
export const toPeriodWords = (data: ChartData, index: number): string =>
  `${toFirstDayWords(data, index)}${index === data.running ? ', not over yet' : ''}`;
