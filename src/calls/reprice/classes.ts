import type { Day } from '../../lib/days.ts';
import { type Decimal, type Money, readMoney } from '../../lib/money.ts';
import type { BookInForce } from '../../pricing/books/price-books.ts';
import { type CallCost, type CostedCall, calcCost } from '../../pricing/cost.ts';
import { addsUp, type Linear, noteLines } from '../../pricing/sums.ts';
import { type AssumedPrices, calcAssumedCost, listCompared } from '../../pricing/what-if/assumed-prices.ts';
import { type AlikeRow, toCostedCall } from './alike.ts';

/** By what calls are priced: a book, or what a what-if assumes of it. */
export interface Pricing {
  readonly book: BookInForce;
  readonly assumed: AssumedPrices | undefined;
}

/** The share of tokens that is assumed to be read from the cache; null without. */
export const shareOf = ({ assumed }: Pricing): Decimal | null => assumed?.cachedShare ?? null;

/** What some calls of a day cost before and after. */
export interface PricedPart {
  readonly model: string;
  readonly calls: number;
  readonly before: Money;
  readonly after: Money;
  /** Of all together. */
  readonly cost: CallCost;
  /** Whether an assumption about the calls leaves them at their price. */
  readonly isUnchanged: boolean;
}

/** Alike calls of all days. */
export interface AlikeClass {
  readonly linear: Linear;
  /** The names of their units, and the fractional digits of their counts. */
  readonly unitNames: readonly string[];
  readonly digits: number;
  /** The amount of each call that is its cost: what its row has, or what was computed elsewhere. */
  readonly kept: 'none' | 'own' | 'elsewhere';
  /** Whether its prompts are read from the cache as assumed. */
  readonly sharesCache: boolean;
  /** The source, the provider and what is partly priced of each call's cost are those of this one. */
  readonly cost: CallCost;
  readonly parts: Map<Day, PricedPart>;
  /** Whether all parts are what their calls cost. */
  addsUp: boolean;
}

/** Adds the sum of the alike calls of a day to their class. */
export function addAlike(
  classes: Map<string, AlikeClass>,
  { key, date, ...row }: AlikeRow & { readonly key: string; readonly date: Day },
  pricing: Pricing,
): void {
  const call = toCostedCall(row, pricing.book.timezone, 'sum');
  const { cost, isUnchanged, priced } = price(call, pricing);
  let ofClass = classes.get(key);
  if (ofClass === undefined) {
    ofClass = {
      linear: { perToken: {}, perRequest: 0n, perUnit: {} },
      unitNames: row.unit_names,
      digits: row.digits,
      kept: cost.source !== 'reported' ? 'none' : call.reportedCost === null ? 'elsewhere' : 'own',
      sharesCache: priced !== call && shareOf(pricing) !== null,
      cost,
      parts: new Map(),
      addsUp: true,
    };
    classes.set(key, ofClass);
  }
  const { book, assumed } = pricing;
  const compared = assumed === undefined ? [call] : listCompared(call, assumed);
  const opened = assumed?.book ?? book.opened;
  if (!compared.every((each) => addsUp(each, opened, row.digits))) ofClass.addsUp = false;
  if (ofClass.addsUp) noteLines(ofClass.linear, cost, call, row.digits);
  ofClass.parts.set(date, toPart(row, cost, isUnchanged));
}

/** Calls that are equal: `cost` is that of one. */
export type EqualCalls = PricedPart;

export function priceEqual(row: AlikeRow, pricing: Pricing): EqualCalls {
  const { cost, isUnchanged } = price(toCostedCall(row, pricing.book.timezone, 'any'), pricing);
  const part = toPart(row, cost, isUnchanged);
  return { ...part, after: part.after * BigInt(part.calls) };
}

const price = (call: CostedCall, { book, assumed }: Pricing) =>
  assumed === undefined
    ? { cost: calcCost(call, book.opened), isUnchanged: false, priced: call }
    : calcAssumedCost(call, assumed);

const toPart = ({ model_, calls, before }: AlikeRow, cost: CallCost, isUnchanged: boolean): PricedPart => ({
  model: model_,
  calls: Number(calls),
  before: readMoney(before),
  after: cost.cost,
  cost,
  isUnchanged,
});
