import type { Day } from '../../../src/lib/days.ts';

/** The kinds of series, with how many of each are made. */
export const seriesKinds = {
  business: 150,
  consumer: 150,
  'no season': 150,
  growth: 120,
  launches: 120,
  'missing days': 100,
  'small counts': 100,
  'heavy tails': 100,
  holidays: 80,
  'month ends': 40,
  'new names': 90,
} as const;

export type SeriesKind = keyof typeof seriesKinds;

/** Days of every series: 8 weeks to learn from, and a quarter in which alarms are counted. */
export const daysToLearn = 56;
export const quarter = 91;
export const daysMade = daysToLearn + quarter;
/** A Monday. */
export const firstDayMade: Day = '2026-01-05';

/** A known fault: the usual cost of its days is multiplied. Days are counted from the series' first. */
export interface Fault {
  readonly first: number;
  readonly days: number;
  /** 2 is twice the usual day, 0 nothing. */
  readonly factor: number;
  /** What it is expected to add on its first day, or to take, in dollars. */
  readonly amount: number;
}

/** A change that lasts, and takes so many days. An alarm for it is right, a second one is not. */
export interface Launch {
  readonly first: number;
  readonly days: number;
  readonly factor: number;
}

export interface MadeSeries {
  readonly id: number;
  readonly kind: SeriesKind;
  /** In whole millionths of a dollar, with 4 digits that are not 0, so that the stored file is small. */
  readonly costs: readonly number[];
  readonly faults: readonly Fault[];
  readonly launches: readonly Launch[];
  /** Days on which nothing came. To tell them as a drop is right. */
  readonly missing: readonly number[];
}
