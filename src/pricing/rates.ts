import { byName } from '../lib/by-name.ts';
import { type Decimal, divideToNumber, formatDecimal, parseDecimal } from '../lib/money.ts';
import type { TermName } from '../lib/units.ts';
import { type UsageBucket, usageBuckets } from '../lib/usage-buckets.ts';

/** An exact unit price in US dollars, with its text for explanations (D5.6). */
export type Rate = { readonly amount: Decimal; readonly text: string };

/** The highest unit price, in US dollars: far above any real price, and low enough that costs fit the store. */
export const maxRate = 1_000_000_000;

/** The rates of a model's tokens: US dollars per million tokens of each bucket, null without a price. */
export type TokenRates = {
  readonly perMtok: Readonly<Record<UsageBucket, Rate | null>>;
  /** For each bucket without a rate of its own the wider one whose rate it has. */
  readonly widened: Readonly<Partial<Record<UsageBucket, UsageBucket>>>;
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
    }
  | FurtherListSource
  | SupplementSource;

/** A public price list that nobody here reviewed (D27.1), its version, and its names of the seller and the entry. */
export type FurtherListSource = {
  readonly kind: 'further_list';
  readonly list: string;
  readonly version: string;
  readonly provider: string;
  readonly entry: string;
};

/** A supplement: the page that supports it, and the day (YYYY-MM-DD) on which the page was read. */
export type SupplementSource = { readonly kind: 'supplement'; readonly page: string; readonly checkedOn: string };

/** The prices of one call's tokens and their source. */
export type TokenPrice = {
  /** The rates after all terms were applied. */
  readonly rates: TokenRates;
  readonly source: PriceSource;
  /** The catalogue's name of the provider whose entry it is; empty for overrides and further lists. */
  readonly seller: string;
  readonly terms: readonly TermChange[];
  /** The terms that may change the rates, but whose prices are unknown, sorted. */
  readonly unknownTerms: readonly TermName[];
  /** The same for cache writes, whose rate also depends on their lifetime. */
  readonly cacheWrite: { readonly terms: readonly TermChange[]; readonly unknownTerms: readonly TermName[] };
  /** The price of the call itself, besides its tokens; null is none. */
  readonly request: UnitPrice | null;
};

/** What a term of a call did to a rate (D5.6). */
export type TermChange = {
  readonly name: TermName;
  /** As the call names it. */
  readonly value: string;
  /** Decimal text; null when the term has its own price, or when the factor is that of the term before it. */
  readonly factor: string | null;
  readonly source: PriceSource;
};

/** The exact price of a unit: `usd` US dollars for `per` of it. */
export type UnitRate = { readonly usd: Rate; readonly per: number };

/** The price of a unit of one call and its source. */
export type UnitPrice = {
  readonly rate: UnitRate;
  readonly source: PriceSource;
  /** Terms by which this unit's prices differ, but whose values in the call have no known price, sorted. */
  readonly unknownTerms: readonly TermName[];
  /** For calls without tokens: the same, and also the terms that have only a price of tokens. */
  readonly unknownTermsAlone: readonly TermName[];
};

/** The rates on a price list. All but `perRequest` are US dollars per million tokens. */
type NamedRates = { readonly [N in UsageBucket | 'perRequest']?: Rate | null };

/** The wider kinds of token whose rates a bucket without its own takes, the nearest first. */
const widerBuckets: Readonly<Record<UsageBucket, readonly UsageBucket[]>> = {
  input: [],
  cacheRead: ['input'],
  cacheWrite: ['input'],
  cacheWrite1h: ['cacheWrite', 'input'],
  inputAudio: ['input'],
  cacheReadAudio: ['cacheRead', 'inputAudio', 'input'],
  inputImage: ['input'],
  cacheReadImage: ['cacheRead', 'inputImage', 'input'],
  inputVideo: ['input'],
  output: [],
  reasoning: ['output'],
  outputAudio: ['output'],
  outputImage: ['output'],
  outputVideo: ['output'],
};

/** Gives every bucket its own rate, or that of the nearest wider kind of token with a rate. */
export function spreadRates(named: NamedRates): TokenRates {
  const widened: Partial<Record<UsageBucket, UsageBucket>> = {};
  const perMtok = byName(usageBuckets, (bucket) => {
    const own = named[bucket];
    if (own) return own;
    const wider = widerBuckets[bucket].find((one) => named[one]);
    if (wider !== undefined) widened[bucket] = wider;
    return (wider && named[wider]) ?? null;
  });
  return { perMtok, widened, perRequest: named.perRequest ?? null };
}

/** The rates of a free model: 0 for every bucket. */
export function freeRates(): TokenRates {
  const free = rateOf({ mantissa: 0n, scale: 0 });
  const perMtok = Object.fromEntries(usageBuckets.map((bucket) => [bucket, free])) as Record<UsageBucket, Rate>;
  return { perMtok, widened: {}, perRequest: null };
}

export function rateOf(amount: Decimal): Rate {
  return { amount, text: formatDecimal(amount) };
}

/** A rate from decimal text such as `2.5`. Throws on anything else, because rates are validated at the edge. */
export function parseRate(text: string): Rate {
  const amount = parseDecimal(text);
  if (amount === null || amount.mantissa < 0n) throw new Error(`not a rate: ${text}`);
  return rateOf(amount);
}

/** The double nearest to the price of one, for JSON. */
export const unitRateToNumber = ({ usd: { amount }, per }: UnitRate): number =>
  divideToNumber(amount.mantissa, BigInt(per) * 10n ** BigInt(amount.scale));

/** The price of one of a unit, which no term of a call changes. */
export function toPlainPrice(usd: Rate, source: PriceSource): UnitPrice {
  return { rate: { usd, per: 1 }, source, unknownTerms: [], unknownTermsAlone: [] };
}
