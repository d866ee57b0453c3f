import { type Money, multiplyRate } from '../lib/money.ts';
import { inputBuckets, type Usage, type UsageBucket, usageBuckets } from '../lib/usage-buckets.ts';
import type { NoEntryReason } from './catalogue.ts';
import type { OpenedBook } from './price-book.ts';
import type { PriceSource, UnitPrice } from './rates.ts';

/** The fields of a call that determine its cost. Absent names are empty strings. */
export type CostedCall = {
  provider: string;
  model: string;
  serviceTier: string;
  /** Milliseconds since 1970. */
  time: number;
  /** YYYY-MM-DD in the project's timezone. */
  day: string;
  /** Null when no event of the call reports any. */
  usage: Usage | null;
  /** The cost that an event of the call reports (D3.11), or null. */
  reportedCost: Money | null;
};

/** Where a call's cost comes from. `none`: it reports no usage and costs 0. `unpriced`: it has no price and costs 0 (D5.4). */
export type CostSource = 'reported' | 'override' | 'catalogue' | 'none' | 'unpriced';

/** Why a call with usage has no price. A closed list: reasons are stored, and coverage counts by them. */
export const unpricedReasons = [
  /** The call names no model. */
  'no_model',
  /** The catalogue doesn't know the provider that the call names. */
  'unknown_provider',
  /** The provider, or any provider if none is named, has no entry for the model. */
  'unknown_model',
  /** The model has an entry without a price for a kind of token that the call used (transcription billed by the hour). */
  'no_token_price',
  /** A token count is not a whole number of at least 0. */
  'invalid_usage',
] as const satisfies readonly (NoEntryReason | 'no_token_price' | 'invalid_usage')[];

export type UnpricedReason = (typeof unpricedReasons)[number];

/** One line of a cost: units × rate, rounded once (D5.3). */
export type CostLine =
  | { bucket: UsageBucket; tokens: number; ratePerMtok: string; amount: Money; source: PriceSource }
  | { bucket: 'request'; requests: 1; ratePerRequest: string; amount: Money; source: PriceSource };

/** A call's gross cost and its derivation (D5.6). Unless reported, the cost is the sum of the lines. */
export type CallCost = {
  cost: Money;
  source: CostSource;
  /** Present exactly when `source` is `unpriced`. */
  unpricedReason?: UnpricedReason;
  /** The call's provider, or the maker of its model when the call names none (D4.4). */
  provider: string;
  /** The units and terms without a known price, sorted: the cost is that of all else (D26.3). */
  partlyPriced: readonly string[];
  /** One for each bucket with tokens, in the order of `usageBuckets`, then one for the price per request. */
  lines: readonly CostLine[];
};

/** The gross cost of a call; this folder's README has the rules and their order. Never throws: calls that can't be costed are unpriced. */
export function calcCost(call: CostedCall, book: OpenedBook): CallCost {
  const provider = call.provider === '' ? book.catalogue.deriveProvider(call.model) : call.provider;
  if (call.reportedCost !== null)
    return { cost: call.reportedCost, source: 'reported', provider, partlyPriced: [], lines: [] };
  if (call.usage === null) return { cost: 0n, source: 'none', provider, partlyPriced: [], lines: [] };
  if (!isValidUsage(call.usage)) return unpriced('invalid_usage', provider);

  const price = book.resolvePrice({ ...call, provider, inputTokens: sumInput(call.usage) });
  if (typeof price === 'string') return unpriced(price, provider);
  const lines = calcLines(call.usage, price);
  if (lines === null) return unpriced('no_token_price', provider);
  let cost: Money = 0n;
  for (const line of lines) cost += line.amount;
  return { cost, source: price.source.kind, provider, partlyPriced: [], lines };
}

/** Null when a bucket with tokens has no price. */
function calcLines(usage: Usage, { rates, source }: UnitPrice): CostLine[] | null {
  const lines: CostLine[] = [];
  for (const bucket of usageBuckets) {
    const tokens = usage[bucket];
    if (tokens === 0) continue;
    const rate = rates.perMtok[bucket];
    if (rate === null) return null;
    lines.push({
      bucket,
      tokens,
      ratePerMtok: rate.text,
      amount: multiplyRate(tokens, rate.amount, 1_000_000),
      source,
    });
  }
  if (rates.perRequest !== null) {
    const { amount, text } = rates.perRequest;
    lines.push({ bucket: 'request', requests: 1, ratePerRequest: text, amount: multiplyRate(1, amount, 1), source });
  }
  return lines;
}

function unpriced(unpricedReason: UnpricedReason, provider: string): CallCost {
  return { cost: 0n, source: 'unpriced', unpricedReason, provider, partlyPriced: [], lines: [] };
}

function isValidUsage(usage: Usage): boolean {
  return usageBuckets.every((bucket) => Number.isSafeInteger(usage[bucket]) && usage[bucket] >= 0);
}

function sumInput(usage: Usage): number {
  let tokens = 0;
  for (const bucket of inputBuckets) tokens += usage[bucket];
  return tokens;
}
