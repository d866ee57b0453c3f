import { type Decimal, formatDecimal, parseDecimal } from '../lib/money.ts';
import { type UsageBucket, usageBuckets } from '../lib/usage-buckets.ts';

/** An exact unit price in US dollars, with its text for explanations (D5.6). */
export type Rate = { readonly amount: Decimal; readonly text: string };

/** The highest unit price, in US dollars: far above any real price, and low enough that costs fit the store. */
export const maxRate = 1_000_000_000;

/** The prices of a model's tokens: US dollars per million tokens of each bucket, null without a price. */
export type UnitRates = {
  readonly perMtok: Readonly<Record<UsageBucket, Rate | null>>;
  /** US dollars per call, or null. */
  readonly perRequest: Rate | null;
};

/** Where a unit price comes from (D5.6). */
export type PriceSource =
  | { readonly kind: 'override'; readonly overrideId: string }
  | {
      readonly kind: 'catalogue';
      /** The catalogue package's version. */
      readonly version: string;
      /** The catalogue's names of the provider and of its entry. */
      readonly provider: string;
      readonly entry: string;
      /** The page that supports the correction of the entry; null when it is not corrected. */
      readonly correctionSource: string | null;
    };

/** The unit prices of one call and their source. */
export type UnitPrice = { readonly rates: UnitRates; readonly source: PriceSource };

/** The rates on a price list, null when missing. All but `perRequest` are US dollars per million tokens. */
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

/** Gives every bucket its own price, or that of the nearest wider kind of token that has one. */
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

/** The rates of a free model: 0 for every bucket. */
export function freeRates(): UnitRates {
  const free = rateOf({ mantissa: 0n, scale: 0 });
  const perMtok = Object.fromEntries(usageBuckets.map((bucket) => [bucket, free])) as Record<UsageBucket, Rate>;
  return { perMtok, perRequest: null };
}

export function rateOf(amount: Decimal): Rate {
  return { amount, text: formatDecimal(amount) };
}

/** A rate from decimal text such as `2.5`. Throws on anything else: rates are validated at the edge. */
export function parseRate(text: string): Rate {
  const amount = parseDecimal(text);
  if (amount === null || amount.mantissa < 0n) throw new Error(`not a rate: ${text}`);
  return rateOf(amount);
}
