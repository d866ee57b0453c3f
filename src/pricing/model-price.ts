import { formatDecimal } from '../lib/money.ts';
import { type TermName, type Terms, type UnitName, unitNames } from '../lib/units.ts';
import { type UsageBucket, usageBuckets } from '../lib/usage-buckets.ts';
import { type AssumedPart, findAssumed } from './assumed-rates.ts';
import { hasHours, type NoEntryReason, type TieredRates } from './catalogue-entry.ts';
import type { OpenedSupplement } from './opened-supplement.ts';
import type { OpenedOverride } from './overrides.ts';
import type { OpenedBook } from './price-book.ts';
import type { PriceSource, Rate, TermChange, TokenPrice, TokenRates, UnitRate } from './rates.ts';
import type { PricesBySize } from './tariff.ts';

/** The model, terms and time of a price. Absent names are empty strings. */
export type ModelPriceQuery = {
  /** Derived from the model when empty (D4.4). */
  provider: string;
  model: string;
  terms: Terms;
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

export type TieredTexts = {
  /** For prompts that exceed no bound of `tiers`. */
  readonly rates: RateTexts;
  /** Ascending. The last one whose bound the whole prompt exceeds, cached tokens included, prices the whole request. */
  readonly tiers: readonly { readonly aboveInputTokens: number; readonly rates: RateTexts }[];
};

/** The price of a model for calls at one time and day, and its source (D5.6). */
export type ModelPrice = TieredTexts & {
  /** The provider of the query, or the derived one; the empty string when there is none. */
  readonly provider: string;
  /** The source of the token rates; null when the model has only prices of units. */
  readonly source: PriceSource | null;
  /** Whether the list has other rates for other hours of a day. */
  readonly isByHour: boolean;
  readonly terms: readonly TermChange[];
  /** The terms of the query that may change the rates, but whose prices are unknown. */
  readonly unknownTerms: readonly TermName[];
  /** The kinds of token that have the rate of a wider one, because their own isn't known. */
  readonly assumed: readonly AssumedPart[];
  /** Most specific first. Empty for an override, whose rates no term changes. */
  readonly termPrices: readonly TermPrice[];
  /** The prices of units, most specific first. For each unit, the first price whose terms a call names counts. */
  readonly units: readonly ListedUnit[];
};

export type TermPrice = {
  readonly when: When;
  /** Decimal text; null with `prices`, which replace the rates. */
  readonly factor: string | null;
  readonly prices: TieredTexts | null;
  readonly source: OpenedSupplement['source'];
};

export type ListedUnit = {
  readonly unit: UnitName;
  readonly when: When;
  readonly rate: UnitRate;
  readonly source: PriceSource;
};

/** For each term, the values with which a price holds. */
export type When = OpenedSupplement['when'];

/** Why a model has no price. */
export type NoModelPrice = { readonly provider: string; readonly unpricedReason: NoEntryReason };

/**
 * The price of a model by `book` (D5.2, D5.3, D26.2), by the same rules as `calcCost`. A call that uses a bucket whose
 * rate is null is unpriced (`no_token_price`).
 */
export function resolveModelPrice(query: ModelPriceQuery, book: OpenedBook): ModelPrice | NoModelPrice {
  const { model, time } = query;
  const provider = query.provider === '' ? book.catalogue.deriveProvider(model) : query.provider;
  const subject = { ...query, provider, inputTokens: 0 };
  const override = book.findOverride(subject);
  const tariff = book.findTariff(subject);
  const supplements = tariff.supplementsAt(time);
  const prices: PricesBySize | NoEntryReason = override
    ? { base: override.tokens, tiers: [] }
    : tariff.tokenPrices(time);
  const units = [...(override ? unitsOfOverride(override) : []), ...supplements.flatMap(unitsOfSupplement)];
  // A unit price for all models of a provider does not prove that the name is one of its models.
  const isPricedByUnits = override !== undefined || supplements.some(({ match, units: own }) => match && own.size > 0);
  if (typeof prices === 'string' && !isPricedByUnits) return { provider, unpricedReason: prices };
  const base = typeof prices === 'string' ? null : prices.base;
  return {
    provider,
    source: base !== null && hasRates(base) ? base.source : null,
    isByHour: !override && typeof tariff.entry !== 'string' && hasHours(tariff.entry),
    rates: base === null ? noRates : textsOfPrice(base),
    tiers:
      typeof prices === 'string'
        ? []
        : prices.tiers.map(({ aboveInputTokens, price }) => ({ aboveInputTokens, rates: textsOfPrice(price) })),
    terms: base?.terms ?? [],
    unknownTerms: base?.unknownTerms ?? [],
    assumed: base === null ? [] : usageBuckets.flatMap((bucket) => findAssumed(bucket, base, model)?.part ?? []),
    termPrices: override ? [] : supplements.flatMap(toTermPrice),
    units,
  };
}

/** Whether a price list has a price of a token or of a request; it may have those of units alone. */
const hasRates = ({ rates: { perMtok }, request }: TokenPrice): boolean =>
  request !== null || usageBuckets.some((bucket) => perMtok[bucket] !== null);

function unitsOfOverride({ units }: OpenedOverride): ListedUnit[] {
  return unitNames.flatMap((unit) => {
    const price = units.get(unit);
    return price === undefined ? [] : [{ unit, when: new Map(), rate: price.rate, source: price.source }];
  });
}

const unitsOfSupplement = ({ units, when, source }: OpenedSupplement): ListedUnit[] =>
  [...units].map(([unit, rate]) => ({ unit, when, rate, source }));

function toTermPrice({ when, factor, prices, source }: OpenedSupplement): TermPrice[] {
  if (when.size === 0 || (factor === null && prices === null)) return [];
  return [{ when, factor: factor && formatDecimal(factor), prices: prices && textsOfList(prices), source }];
}

const textsOfList = ({ base, tiers }: TieredRates): TieredTexts => ({
  rates: textsOf(base, base.perRequest),
  tiers: tiers.map(({ aboveInputTokens, rates }) => ({ aboveInputTokens, rates: textsOf(rates, rates.perRequest) })),
});

const textsOfPrice = ({ rates, request }: TokenPrice): RateTexts => textsOf(rates, request?.rate.usd ?? null);

function textsOf({ perMtok }: Pick<TokenRates, 'perMtok'>, perRequest: Rate | null): RateTexts {
  const texts = usageBuckets.map((bucket) => [bucket, perMtok[bucket]?.text ?? null] as const);
  return {
    perMtok: Object.fromEntries(texts) as Record<UsageBucket, string | null>,
    perRequest: perRequest?.text ?? null,
  };
}

const noRates: RateTexts = {
  perMtok: Object.fromEntries(usageBuckets.map((bucket) => [bucket, null])) as Record<UsageBucket, null>,
  perRequest: null,
};
