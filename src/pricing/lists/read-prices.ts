import type { CataloguePrices } from '../catalogue-data.ts';
import { maxRate } from '../rates.ts';

/** Whether a value of a list is a price: a number from 0 that a rate can be. */
export const isPrice = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= maxRate / 1_000_000;

/** US dollars per million from US dollars for one, without the noise of the multiplication. */
export const perMillion = (price: number): number => Number((price * 1_000_000).toPrecision(12));

/** A price by the size of the prompt, if it has tiers. */
export function tiered(base: number, tiers: readonly { start: number; price: number }[]): CataloguePrices[string] {
  if (tiers.length === 0) return base;
  return { base, tiers: tiers.toSorted((a, b) => a.start - b.start) };
}

/** Whether one is above 0, or the name says that it is free: lists write 0 for what they don't know. */
export function isSold(prices: CataloguePrices, model: string): boolean {
  const amounts = Object.values(prices).map((price) => (typeof price === 'number' ? price : price.base));
  return amounts.some((amount) => amount > 0) || (amounts.length > 0 && /(?:^|[:/-])free$/.test(model));
}
