import type { WideMoney } from '../../lib/money.ts';
import type { UnitName } from '../../lib/units.ts';
import type { UsageBucket } from '../../lib/usage-buckets.ts';

/** The calls of one group in one range. */
export interface Totals {
  readonly calls: bigint;
  /** The calls among them that failed. */
  readonly failed: bigint;
  readonly tokens: Readonly<Record<UsageBucket, bigint>>;
  /** Counts by unit, in units of 1e-12. */
  readonly units: ReadonlyMap<UnitName, bigint>;
  readonly cost: WideMoney;
}

/** List prices of a day, in 1e-30 USD: for a token, for 1e-12 of a unit, and for a call. Missing ones are 0. */
export interface ListPrices {
  readonly tokens: Readonly<Record<UsageBucket, bigint>>;
  readonly units: ReadonlyMap<UnitName, bigint>;
  readonly request: bigint;
}

/** One of the two ranges, for one group. */
export interface Side {
  readonly totals: Totals;
  readonly prices: ListPrices;
  /** The calls of the group's owner with all models. */
  readonly ownerCalls: bigint;
}

/** The calls of one owner, a customer or a feature, with one model of one provider, in both ranges. */
export interface ChangeGroup {
  readonly before: Side;
  readonly now: Side;
  /** Whether an owner without calls in one range counts as new or vanished. Otherwise it has more or fewer calls. */
  readonly canBeNew: boolean;
}
