import { type Decimal, formatDecimal, multiplyDecimals } from '../lib/money.ts';
import { rateTerms, type TermName, type Terms, termNames, type UnitName } from '../lib/units.ts';
import { usageBuckets } from '../lib/usage-buckets.ts';
import type { TieredRates } from './catalogue-entry.ts';
import { holdsWith, type OpenedSupplement } from './opened-supplement.ts';
import { type Rate, rateOf, type TermChange, type TokenRates, type UnitPrice } from './rates.ts';

/** The effects of a call's terms on its prices (D26.2). */
export type TermEffects = {
  /** The price list that replaces the catalogue's, or null. */
  readonly prices: { readonly tiers: TieredRates; readonly source: OpenedSupplement['source'] } | null;
  /** The product of all factors on the rates of tokens; null is 1. */
  readonly factor: Decimal | null;
  readonly changes: readonly TermChange[];
  /** Terms of the call that may change the rates of tokens, but whose prices are unknown, sorted. */
  readonly unknown: readonly TermName[];
  /** The terms of the call that the effects account for. */
  readonly known: ReadonlySet<TermName>;
  /** The known terms whose values mean the ordinary price. */
  readonly ordinary: ReadonlySet<TermName>;
};

/** The effects of `terms` (lower case) by `supplements`: those of the model that are in force, most specific first. */
export function resolveTermEffects(supplements: readonly OpenedSupplement[], terms: Terms): TermEffects {
  const holding = supplements.filter((supplement) => holdsWith(supplement, terms));
  const ofTokens = firstOfEachSet(holding.filter(({ prices, factor }) => prices !== null || factor !== null));
  const list = ofTokens.find(({ prices }) => prices !== null);
  const factors = ofTokens.filter((supplement) => supplement.factor !== null && !isIncludedIn(supplement, list));
  // A supplement without any price declares a value to mean the ordinary price.
  const ordinary = [
    ...holding.filter(({ prices, factor, units }) => prices === null && factor === null && units.size === 0),
    ...factors.filter(({ factor }) => isOne(factor)),
  ];
  const changing = factors.filter(({ factor }) => !isOne(factor));
  const explaining = [...(list === undefined ? [] : [list]), ...changing, ...ordinary];
  const known = new Set(explaining.flatMap(({ when }) => [...when.keys()]));
  return {
    prices: list?.prices ? { tiers: list.prices, source: list.source } : null,
    factor: changing.reduce<Decimal | null>(multiplyFactors, null),
    changes: [...(list === undefined ? [] : [list]), ...changing]
      .toSorted((a, b) => orderOf(a) - orderOf(b))
      .flatMap((supplement) => changesOf(supplement, terms)),
    unknown: rateTerms.filter((name) => terms[name] !== undefined && !known.has(name)).toSorted(),
    known,
    ordinary: new Set(ordinary.flatMap(({ when }) => [...when.keys()])),
  };
}

/** Of supplements with the same names in `when`, the first, which is the most specific. */
function firstOfEachSet(supplements: readonly OpenedSupplement[]): readonly OpenedSupplement[] {
  const firsts = new Map<string, OpenedSupplement>();
  for (const supplement of supplements) {
    const set = [...supplement.when.keys()].join(' ');
    if (!firsts.has(set)) firsts.set(set, supplement);
  }
  return [...firsts.values()];
}

/** Whether a factor is in the prices of `list`. A price list includes the factors of all its terms. */
const isIncludedIn = ({ when }: OpenedSupplement, list: OpenedSupplement | undefined): boolean =>
  list !== undefined && when.keys().every((name) => list.when.has(name));

const isOne = (factor: Decimal | null): boolean => factor !== null && factor.mantissa === 1n && factor.scale === 0;

const multiplyFactors = (product: Decimal | null, { factor }: OpenedSupplement): Decimal | null =>
  product === null || factor === null ? (product ?? factor) : multiplyDecimals(product, factor);

/** The position of its first term in `termNames`. */
const orderOf = ({ when }: OpenedSupplement): number => termNames.findIndex((name) => when.has(name));

function changesOf({ when, factor, source }: OpenedSupplement, terms: Terms): TermChange[] {
  const text = factor === null ? null : formatDecimal(factor);
  return [...when.keys()].map((name, index) => ({
    name,
    value: terms[name] ?? '',
    factor: index === 0 ? text : null,
    source,
  }));
}

/** Multiplies the token rates by `factor`. The price per request stays, because it is no token rate. */
export function multiplyRates({ perMtok, ...others }: TokenRates, factor: Decimal): TokenRates {
  const multiply = (rate: Rate | null) => (rate === null ? null : rateOf(multiplyDecimals(rate.amount, factor)));
  const multiplied = { ...perMtok };
  for (const bucket of usageBuckets) multiplied[bucket] = multiply(perMtok[bucket]);
  return { perMtok: multiplied, ...others };
}

/**
 * The price of a unit by the most specific of `supplements` (those of the model in force), or else `ofList`, the
 * catalogue's price for any terms. Null when there is none.
 */
export function resolveUnitPrice(
  supplements: readonly OpenedSupplement[],
  unit: UnitName,
  terms: Terms,
  { ordinary }: TermEffects,
  ofList: UnitPrice | null = null,
): UnitPrice | null {
  const pricing = supplements.filter(({ units }) => units.has(unit));
  const chosen = pricing.find((supplement) => holdsWith(supplement, terms));
  const rate = chosen?.units.get(unit) ?? ofList?.rate;
  const source = chosen?.source ?? ofList?.source;
  if (rate === undefined || source === undefined) return null;
  const isUnknown = (name: TermName) => terms[name] !== undefined && !chosen?.when.has(name) && !ordinary.has(name);
  // If some prices of the unit depend on a term, a price that ignores the term may be wrong for this call's value.
  const deciding = new Set(pricing.flatMap(({ when }) => [...when.keys()]));
  return {
    rate,
    source,
    unknownTerms: [...deciding].filter(isUnknown).toSorted(),
    unknownTermsAlone: [...new Set([...deciding, ...rateTerms])].filter(isUnknown).toSorted(),
  };
}
