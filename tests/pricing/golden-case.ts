import type { UsageBucket } from '../../src/lib/usage-buckets.ts';
import type { UnpricedReason } from '../../src/pricing/cost.ts';

/** One line of a cost: bucket, tokens, US dollars per million tokens, US dollars. Of `request`: one, US dollars a request, US dollars. */
export type GoldenLine = readonly [bucket: UsageBucket | 'request', count: number, rate: string, amount: string];

/** What a call costs: list rates written out, amounts reckoned from them in decimals apart from the code under test. */
export type GoldenCase = {
  name: string;
  /** The page on which the provider publishes its prices, or the one that the correction quotes. */
  source: string;
  /** Whether the price is a correction's, whose page every line then names. */
  isCorrected?: true;
  provider: string;
  model: string;
  /** By default noon of 4 November 2026. */
  at?: string;
  /** The provider that the call is counted under, if it is not the one that it names. */
  costedProvider?: string;
  /** The call's usage is that of the lines. */
  lines: readonly GoldenLine[];
  cost: string;
};

/** A call that has no price, and why that is right. */
export type UnpricedCase = {
  name: string;
  provider: string;
  model: string;
  reason: UnpricedReason;
  /** The provider that the call is counted under. */
  costedProvider: string;
};
