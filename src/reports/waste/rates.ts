import { dayOf, earlierOf, type Period, startOfDay } from '../../lib/days.ts';
import { inTurns } from '../../lib/in-turns.ts';
import { parseMoney } from '../../lib/money.ts';
import { Problem, toPointer } from '../../lib/problem.ts';
import { noTerms, type Terms } from '../../lib/units.ts';
import { usageBuckets } from '../../lib/usage-buckets.ts';
import type { BookInForce } from '../../pricing/books/price-books.ts';
import { type RateTexts, resolveModelPrice, type TieredTexts } from '../../pricing/model-price.ts';
import { foldTerms } from '../../pricing/terms.ts';
import type { Alternatives } from './parse.ts';

/** A model of a provider with terms that change its prices, as calls name them. */
export interface CalledModel {
  readonly provider: string;
  readonly model: string;
  /** Of `rateTerms` alone. */
  readonly terms: Terms;
}

/** Values by prompt size, ascending. The last value whose bound the prompt exceeds applies. */
export type BySize<Value> = readonly { readonly above: bigint; readonly value: Value }[];

/** The prices of a model that the rules need, in 1e-18 USD. */
export interface WasteRates extends CalledModel {
  /** The price of an input token, less that of a token read from the cache; empty without a price. */
  readonly saving: BySize<bigint>;
  /** The alternative's prices for a token of each bucket, and for the call itself; −1 for a missing price. */
  readonly alternative: BySize<readonly bigint[]>;
}

/** The inputs of a price lookup: the price list in force now, and a day. */
export interface PriceList {
  readonly book: Pick<BookInForce, 'opened' | 'timezone'>;
  readonly day: string;
}

/** The last day of a range, or today if that is earlier. */
export const priceListOf = ({ dateTo }: Period, book: PriceList['book'], nowMs: number): PriceList => ({
  book,
  day: earlierOf(dateTo, dayOf(book.timezone, nowMs)),
});

/** The rates of models, by the terms of their calls. @throws Problem `invalid_body` for an unpriced alternative */
export async function listRates(
  models: readonly CalledModel[],
  alternatives: Alternatives,
  list: PriceList,
): Promise<WasteRates[]> {
  refuseUnpriced(models, alternatives, list);
  const rates: WasteRates[] = [];
  await inTurns(models, (called) => {
    const other = alternatives.get(called.model);
    const price = findPrice(called, list);
    const otherPrice = other === undefined ? undefined : findAlternative({ ...called, model: other }, list);
    rates.push({
      ...called,
      saving: price ? bySize(price, toSaving) : [],
      alternative: otherPrice ? bySize(otherPrice, toPrices) : [],
    });
  });
  return rates;
}

function refuseUnpriced(models: readonly CalledModel[], alternatives: Alternatives, list: PriceList): void {
  const errors = [...alternatives].flatMap(([from, to]) => {
    const providers = models.filter(({ model }) => model === from).map(({ provider }) => provider);
    const isPriced = ['', ...new Set(providers)].some((provider) =>
      findPrice({ provider, model: to, terms: noTerms }, list),
    );
    if (isPriced) return [];
    const message = `${to} has no price`;
    return [{ pointer: toPointer(['alternatives', from]), code: 'invalid_value' as const, message }];
  });
  if (errors.length === 0) return;
  const unpriced = new Set(errors.map(({ message }) => message));
  throw new Problem('invalid_body', `${[...unpriced].join(', ')}. Choose a model with a price, or add one.`, {
    errors,
  });
}

function findPrice({ provider, model, terms }: CalledModel, { book, day }: PriceList): TieredTexts | undefined {
  const time = startOfDay(book.timezone, day);
  const price = resolveModelPrice({ provider, model, terms: foldTerms(terms), time, day }, book.opened);
  return 'unpricedReason' in price || price.source === null ? undefined : price;
}

/** The price at the calls' provider, or at the provider that makes the model. */
const findAlternative = (called: CalledModel, list: PriceList): TieredTexts | undefined =>
  findPrice(called, list) ?? findPrice({ ...called, provider: '' }, list);

/** The values of all tiers. The first bound is −1, which every prompt exceeds. */
const bySize = <Value>({ rates, tiers }: TieredTexts, toValue: (rates: RateTexts) => Value): BySize<Value> => [
  { above: -1n, value: toValue(rates) },
  ...tiers.map(({ aboveInputTokens, rates: own }) => ({ above: BigInt(aboveInputTokens), value: toValue(own) })),
];

/** Picodollars per million tokens are 1e-18 USD per token. */
const perToken = (text: string | null): bigint | null => (text === null ? null : parseMoney(text));

function toSaving({ perMtok }: RateTexts): bigint {
  const [input, cacheRead] = [perToken(perMtok.input), perToken(perMtok.cacheRead)];
  return input === null || cacheRead === null || cacheRead > input ? 0n : input - cacheRead;
}

const noPrice = -1n;
/** Picodollars are a million of 1e-18 USD. */
const microsPerPico = 1_000_000n;

const toPrices = ({ perMtok, perRequest }: RateTexts): bigint[] => [
  ...usageBuckets.map((bucket) => perToken(perMtok[bucket]) ?? noPrice),
  (perToken(perRequest) ?? 0n) * microsPerPico,
];
