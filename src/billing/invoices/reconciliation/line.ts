import type { Money } from '../../../lib/money.ts';
import type { InvoiceKind } from '../entry.ts';
import type { PriceFinding } from './find-price.ts';
import type { LineName } from './match-names.ts';
import type { LineUsage, UsageRecord } from './usage.ts';

/** Days as numbers since 1970, both inclusive. */
export interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** Calls of a day that are on another day at the provider. Days are numbers since 1970. */
export type Crossing = Pick<UsageRecord, 'day' | 'providerDay' | 'calls' | 'cost'>;

export interface LineDay {
  /** The cost of the calls on the project's day, as `POST /api/costs/` reports it. */
  readonly computed: Money;
  /** The calls of the day at the provider. */
  readonly used: LineUsage;
  readonly charged: Money;
  /** The amount of entries of each other kind. */
  readonly others: ReadonlyMap<Exclude<InvoiceKind, 'usage'>, Money>;
}

/** Some days that entries of usage charge together. */
export interface Segment {
  /** The first and last day, as offsets from the first day of the range. */
  readonly from: number;
  readonly to: number;
  /** How many entries charge them; 0 for a day without any. */
  readonly entries: number;
}

/** The calls with some models, and the entries for them. */
export interface Line extends LineName {
  /** The name that lines share if their entries and calls are compared together. */
  readonly name: LineName;
  /** From the day before the range until the day after it. */
  readonly used: readonly LineUsage[];
  /** The calls near midnight: those on another day at the provider, if it has entries. */
  readonly crossings: readonly Crossing[];
  readonly days: readonly LineDay[];
  readonly segments: readonly Segment[];
  /** The days, as offsets, with a usage entry that is there twice under different ids. */
  readonly repeated: ReadonlySet<number>;
  /** Whether an entry of several days is the sum of entries of those days: one bill, stored by two kinds of periods. */
  readonly isStoredTwoWays: boolean;
}

/** Whether all days of a price have entries that are there twice: they are one invoice, stored under two ids. */
export const isStoredTwice = ({ repeated }: Line, { window }: PriceFinding): boolean =>
  window.compared.every(({ from }) => repeated.has(from));

export interface ProviderLines {
  readonly key: string;
  readonly lines: readonly Line[];
  /** The smallest step of its entries of usage, at most a cent; smaller amounts may be lost to rounding. */
  readonly step: Money;
}
