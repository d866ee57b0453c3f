import { startOfDay, toDay } from '../../../lib/days.ts';
import { type Decimal, divideHalfEven, type Money, parseMoney } from '../../../lib/money.ts';
import { noTerms, type UnitName } from '../../../lib/units.ts';
import { type UsageBucket, usageBuckets } from '../../../lib/usage-buckets.ts';
import type { BookInForce } from '../../../pricing/books/price-books.ts';
import { resolveModelPrice } from '../../../pricing/model-price.ts';
import type { LineUsage } from './usage.ts';

/** The prices of a model: for a million tokens of each bucket, for a call, and for one of each unit. */
export interface ListRates {
  readonly perMtok: Readonly<Record<UsageBucket, Money | null>>;
  readonly perRequest: Money | null;
  readonly units: ReadonlyMap<UnitName, Money>;
}

/** Returns a model's prices on a day (a number since 1970); undefined when its tokens have none. */
export type RatesOf = (provider: string, model: string, day: number) => ListRates | undefined;

/** The prices of a book in force, without the terms of a call. */
export const openRates =
  ({ opened, timezone }: Pick<BookInForce, 'opened' | 'timezone'>): RatesOf =>
  (provider, model, dayNumber) => {
    const day = toDay(dayNumber);
    const price = resolveModelPrice({ provider, model, terms: noTerms, time: startOfDay(timezone, day), day }, opened);
    if ('unpricedReason' in price || price.source === null) return undefined;
    const toAmount = (text: string | null) => (text === null ? null : parseMoney(text));
    const units = new Map<UnitName, Money>();
    // Take the most general price of a unit, because the calls' terms are unknown here.
    for (const { unit, rate } of [...price.units].sort((a, b) => a.when.size - b.when.size)) {
      if (!units.has(unit)) units.set(unit, priceOfOne(rate.usd.amount, rate.per));
    }
    return {
      perMtok: Object.fromEntries(
        usageBuckets.map((bucket) => [bucket, toAmount(price.rates.perMtok[bucket])]),
      ) as ListRates['perMtok'],
      perRequest: toAmount(price.rates.perRequest),
      units,
    };
  };

const priceOfOne = ({ mantissa, scale }: Decimal, per: number): Money =>
  divideHalfEven(mantissa * 10n ** 12n, BigInt(per) * 10n ** BigInt(scale));

/** Costs by rates are in 1e-6 picodollars, because rates are for a million tokens. */
export const microsPerPico = 1_000_000n;

/** The scale of a unit's count, which has as many digits as money. */
const countScale = 10n ** 12n;

/** The cost of usage at some rates, in 1e-6 picodollars. */
export function costByRates(
  { tokens, units, calls }: LineUsage,
  { perMtok, perRequest, units: unitRates }: ListRates,
): bigint {
  let sum = calls * (perRequest ?? 0n) * microsPerPico;
  usageBuckets.forEach((bucket, place) => {
    sum += (tokens[place] ?? 0n) * (perMtok[bucket] ?? 0n);
  });
  for (const [name, count] of units) sum += (count * (unitRates.get(name) ?? 0n) * microsPerPico) / countScale;
  return sum;
}
