import { noTerms } from '../../lib/units.ts';
import { bucketNames, type UsageBucket, usageBuckets } from '../../lib/usage-buckets.ts';
import type { Catalogue } from '../catalogue.ts';
import type { TokenPrice } from '../rates.ts';

/** A model as calls name it. An empty provider is derived. */
export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

/**
 * Rates by name, as decimal texts in lowest terms: USD per million tokens of a bucket, and `request`, USD per call.
 * Names of rates for large prompts end in `_above_` and the number of tokens.
 */
export type RatesByName = ReadonlyMap<string, string>;

export interface ListedRates {
  /** The catalogue's names of provider and entry. All names of one model have the same. */
  readonly provider: string;
  readonly entry: string;
  readonly rates: RatesByName;
}

/** The list price of a model at a time, in milliseconds since 1970; undefined when the catalogue has none. */
export function findListedRates(
  catalogue: Catalogue,
  { provider, model }: ModelName,
  timeMs: number,
): ListedRates | undefined {
  const tariff = catalogue.findTariff(provider, model, noTerms);
  const prices = tariff.tokenPrices(timeMs);
  if (typeof tariff.entry === 'string' || typeof prices === 'string') return undefined;
  const rates = new Map<string, string>();
  addRates(rates, prices.base, '');
  for (const { aboveInputTokens, price } of prices.tiers) addRates(rates, price, `_above_${aboveInputTokens}`);
  return { provider: tariff.entry.provider, entry: tariff.entry.id, rates };
}

function addRates(rates: Map<string, string>, { rates: { perMtok }, request }: TokenPrice, suffix: string): void {
  for (const bucket of usageBuckets) {
    const rate = perMtok[bucket];
    if (rate) rates.set(nameOf(bucket, suffix), rate.text);
  }
  if (request) rates.set(`request${suffix}`, request.rate.usd.text);
}

const nameOf = (bucket: UsageBucket, suffix = ''): string => `${bucketNames[bucket]}${suffix}`;
