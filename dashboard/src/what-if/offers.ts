// What could be changed about the dearest models, and what that would have saved. Pure.

import type { Assumption, ModelPrice, RepriceDetail } from '../api/types.ts';
import { toName, toPercent } from '../lib/format.ts';

/** A change that can be tried, and what the calls that it is about cost with it. */
export interface Offer {
  readonly id: string;
  readonly title: string;
  readonly assume: Assumption;
  /** USD on the days shown, as it was and if so. */
  readonly before: number;
  readonly after: number;
}

/** Which smaller model each of these could be; undefined where none has one. */
export function toSwaps(prices: readonly ModelPrice[]): Readonly<Record<string, string>> | undefined {
  const swaps = prices.flatMap(({ model, smaller_model: smaller }) => (smaller === null ? [] : [[model, smaller]]));
  return swaps.length > 0 ? Object.fromEntries(swaps) : undefined;
}

/** Whether one of them has a price for batches. */
export const hasBatches = (prices: readonly ModelPrice[]): boolean =>
  prices.some(({ term_prices: terms }) => terms.some(({ when }) => when.service_tier?.includes('batch')));

interface CachedInput {
  readonly name: string;
  /** Tokens of the prompts, and those of them that a cache read. */
  readonly input: number;
  readonly cached: number;
}

/** A feature with less of all input is no example. */
const leastShare = 0.1;

/** The feature that has most of its input cached, and that share to four digits; undefined where none has any. */
export function findBestCached(
  features: readonly CachedInput[],
): { readonly name: string; readonly share: number } | undefined {
  const whole = features.reduce((sum, { input, cached }) => sum + input + cached, 0);
  const [best] = features
    .filter(({ name, input, cached }) => name !== '' && cached > 0 && input + cached >= leastShare * whole)
    .map(({ name, input, cached }) => ({ name, share: Number((cached / (input + cached)).toFixed(4)) }))
    .toSorted((a, b) => b.share - a.share);
  return best;
}

/** A smaller model for each, by what the answer about all of them says of each. */
export function offerSwaps(swaps: Readonly<Record<string, string>>, { by_model: rows }: RepriceDetail): Offer[] {
  return Object.entries(swaps).flatMap(([model, smaller]): Offer[] => {
    const row = rows.find((one) => one.model === model);
    const assume = { models: { [model]: smaller } };
    return row ? [{ id: model, title: `${model} → ${smaller}`, assume, before: row.before, after: row.after }] : [];
  });
}

/** A change to all calls. */
export const offerAll = (id: string, title: string, assume: Assumption, { before, after }: RepriceDetail): Offer => ({
  ...{ id, title, assume },
  before: before ?? 0,
  after: after ?? 0,
});

export const toCachedTitle = ({ name, share }: { readonly name: string; readonly share: number }): string =>
  `${toPercent(100 * share)} of all input cached, as in ${toName(name)}`;

/** A smaller saving is none worth a look: USD on the days shown. */
const leastSaved = 0.005;

/** Those that save something, the most first. */
export const rankOffers = (offers: readonly Offer[]): Offer[] =>
  offers
    .filter(({ before, after }) => before - after >= leastSaved)
    .toSorted((a, b) => b.before - b.after - (a.before - a.after));
