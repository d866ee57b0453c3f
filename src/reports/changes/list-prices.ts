import { byName } from '../../lib/by-name.ts';
import { type Decimal, divideHalfEven, parseMoney, widen } from '../../lib/money.ts';
import { noTerms, type UnitName } from '../../lib/units.ts';
import { usageBuckets } from '../../lib/usage-buckets.ts';
import { type ListedUnit, type ModelPrice, resolveModelPrice } from '../../pricing/model-price.ts';
import type { OpenedBook } from '../../pricing/price-book.ts';
import type { ListPrices } from './group.ts';

/** The time for which prices are looked up. */
export interface PriceDate {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The same day, in the timezone of the price book. */
  readonly day: string;
}

/** Looks up list prices by provider and model; each model is looked up once. */
export function openListPrices(book: OpenedBook, { time, day }: PriceDate) {
  const found = new Map<string, ListPrices>();
  return (provider: string, model: string): ListPrices => {
    const key = JSON.stringify([provider, model]);
    const known = found.get(key);
    if (known) return known;
    const price = resolveModelPrice({ provider, model, terms: noTerms, time, day }, book);
    const prices = 'unpricedReason' in price ? noPrices : toListPrices(price);
    found.set(key, prices);
    return prices;
  };
}

const noPrices: ListPrices = { tokens: byName(usageBuckets, () => 0n), units: new Map(), request: 0n };

const tokensPerRate = 1_000_000n;

function toListPrices({ rates, units }: ModelPrice): ListPrices {
  const toWide = (text: string | null) => widen(text === null ? 0n : (parseMoney(text) ?? 0n));
  return {
    tokens: byName(usageBuckets, (bucket) => toWide(rates.perMtok[bucket]) / tokensPerRate),
    units: toUnitPrices(units),
    request: toWide(rates.perRequest),
  };
}

/** The price of 1e-12 of each unit for any terms. If a unit has only prices for some terms, one of these. */
function toUnitPrices(units: readonly ListedUnit[]): ReadonlyMap<UnitName, bigint> {
  const prices = new Map<UnitName, bigint>();
  for (const { unit, rate } of [...units].sort((a, b) => a.when.size - b.when.size)) {
    if (!prices.has(unit)) prices.set(unit, priceOfUnit(rate.usd.amount, rate.per));
  }
  return prices;
}

/** The price in 1e-30 USD for 1e-12 of a unit, which equals 1e-18 USD for one. */
const priceOfUnit = ({ mantissa, scale }: Decimal, per: number): bigint =>
  divideHalfEven(mantissa * 10n ** 18n, BigInt(per) * 10n ** BigInt(scale));
