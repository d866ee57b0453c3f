import { type Decimal, formatDecimal, parseDecimal } from '../lib/money.ts';
import { type UsageBucket, usageBuckets } from '../lib/usage-buckets.ts';

/** A unit price in US dollars, exact, with its text for explanations (D5.6). */
export type Rate = { readonly amount: Decimal; readonly text: string };

/** The highest unit price, in US dollars: one that no price comes near, so that a cost stays within what the store can hold. */
export const maxRate = 1_000_000_000;

/** What a model's tokens cost: US dollars per million tokens of each bucket, null where it has no price. */
export type UnitRates = {
  readonly perMtok: Readonly<Record<UsageBucket, Rate | null>>;
  /** US dollars a call, or null. */
  readonly perRequest: Rate | null;
};

/** Where a unit price came from (D5.6). */
export type PriceSource =
  | { readonly kind: 'override'; readonly overrideId: string }
  | {
      readonly kind: 'catalogue';
      /** The catalogue package's version. */
      readonly version: string;
      /** The catalogue's names of the provider and of its entry. */
      readonly provider: string;
      readonly entry: string;
      /** Where the entry was corrected by hand: the page that the correction rests on. Otherwise null. */
      readonly correctionSource: string | null;
    };

/** The unit prices of one call and where they came from. */
export type UnitPrice = { readonly rates: UnitRates; readonly source: PriceSource };

/** The rates that a price list names; a missing one is null. All but `perRequest` are US dollars per million tokens. */
export type NamedRates = {
  readonly input: Rate | null;
  readonly output: Rate | null;
  readonly cacheRead: Rate | null;
  readonly cacheWrite: Rate | null;
  readonly cacheWrite1h: Rate | null;
  readonly inputAudio: Rate | null;
  readonly cacheReadAudio: Rate | null;
  readonly inputImage: Rate | null;
  readonly cacheReadImage: Rate | null;
  readonly inputVideo: Rate | null;
  readonly reasoning: Rate | null;
  readonly outputAudio: Rate | null;
  readonly outputImage: Rate | null;
  readonly outputVideo: Rate | null;
  readonly perRequest: Rate | null;
};

/** Gives every bucket its price: its own, or that of the nearest wider kind of token that has one. */
export function spreadRates(named: NamedRates): UnitRates {
  const { input, output, cacheRead, cacheWrite } = named;
  return {
    perMtok: {
      input,
      cacheRead: cacheRead ?? input,
      cacheWrite: cacheWrite ?? input,
      cacheWrite1h: named.cacheWrite1h ?? cacheWrite ?? input,
      inputAudio: named.inputAudio ?? input,
      cacheReadAudio: named.cacheReadAudio ?? cacheRead ?? named.inputAudio ?? input,
      inputImage: named.inputImage ?? input,
      cacheReadImage: named.cacheReadImage ?? cacheRead ?? named.inputImage ?? input,
      inputVideo: named.inputVideo ?? input,
      output,
      reasoning: named.reasoning ?? output,
      outputAudio: named.outputAudio ?? output,
      outputImage: named.outputImage ?? output,
      outputVideo: named.outputVideo ?? output,
    },
    perRequest: named.perRequest,
  };
}

/** The rates of a model that its provider gives away. */
export function freeRates(): UnitRates {
  const free = rateOf({ mantissa: 0n, scale: 0 });
  const perMtok = Object.fromEntries(usageBuckets.map((bucket) => [bucket, free])) as Record<UsageBucket, Rate>;
  return { perMtok, perRequest: null };
}

export function rateOf(amount: Decimal): Rate {
  return { amount, text: formatDecimal(amount) };
}

/** A rate from decimal text such as `2.5`. Throws on text that is none, for it was validated where it came in. */
export function parseRate(text: string): Rate {
  const amount = parseDecimal(text);
  if (amount === null || amount.mantissa < 0n) throw new Error(`not a rate: ${text}`);
  return rateOf(amount);
}
