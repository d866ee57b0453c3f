import { type UsageBucket, usageBuckets } from '../lib/usage-buckets.ts';
import type { NoEntryReason } from './catalogue.ts';
import { resolveTiers } from './catalogue-entry.ts';
import type { OpenedBook } from './price-book.ts';
import type { PriceSource, TokenRates } from './rates.ts';

/** The model and time of a price. Absent names are empty strings. */
export type ModelPriceQuery = {
  /** Derived from the model when empty (D4.4). */
  provider: string;
  model: string;
  serviceTier: string;
  /** Milliseconds since 1970. */
  time: number;
  /** YYYY-MM-DD in the project's timezone. */
  day: string;
};

/** Exact decimal texts: US dollars per million tokens of each bucket and US dollars per request; null is no price. */
export type RateTexts = {
  readonly perMtok: Readonly<Record<UsageBucket, string | null>>;
  readonly perRequest: string | null;
};

/** The price of a model for calls at one time and day, and its source (D5.6). */
export type ModelPrice = {
  /** The provider of the query, or the derived one; the empty string when there is none. */
  readonly provider: string;
  readonly source: PriceSource;
  /** For prompts that exceed no bound of `tiers`. */
  readonly rates: RateTexts;
  /** Ascending. The last one whose bound the whole prompt exceeds, cached tokens included, prices the whole request. */
  readonly tiers: readonly { readonly aboveInputTokens: number; readonly rates: RateTexts }[];
};

/** Why a model has no price. */
export type NoModelPrice = { readonly provider: string; readonly unpricedReason: NoEntryReason };

/**
 * The price of a model by `book` (D5.2, D5.3), by the same rules as `calcCost`. A call that uses a bucket whose rate is null is unpriced
 * (`no_token_price`).
 */
export function resolveModelPrice(query: ModelPriceQuery, book: OpenedBook): ModelPrice | NoModelPrice {
  const { model, time } = query;
  const provider = query.provider === '' ? book.catalogue.deriveProvider(model) : query.provider;
  const price = book.resolvePrice({ ...query, provider, inputTokens: 0 });
  if (typeof price === 'string') return { provider, unpricedReason: price };

  const entry = price.source.kind === 'catalogue' ? book.catalogue.findEntry(provider, model) : null;
  const tiers = entry === null || typeof entry === 'string' ? [] : resolveTiers(entry, time).tiers;
  return {
    provider,
    source: price.source,
    rates: textsOf(price.rates),
    tiers: tiers.map(({ aboveInputTokens, rates }) => ({ aboveInputTokens, rates: textsOf(rates) })),
  };
}

function textsOf({ perMtok, perRequest }: TokenRates): RateTexts {
  const texts = usageBuckets.map((bucket) => [bucket, perMtok[bucket]?.text ?? null] as const);
  return {
    perMtok: Object.fromEntries(texts) as Record<UsageBucket, string | null>,
    perRequest: perRequest?.text ?? null,
  };
}
