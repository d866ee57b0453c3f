import { dollar, type Money, multiplyCount, multiplyRate } from '../lib/money.ts';
import { type PartName, type Terms, type UnitName, type Units, unitNames } from '../lib/units.ts';
import { inputBuckets, type OtherUsage, type Usage, type UsageBucket, usageBuckets } from '../lib/usage-buckets.ts';
import { findAssumed } from './assumed-rates.ts';
import type { NoEntryReason } from './catalogue-entry.ts';
import type { OpenedBook, PriceSubject } from './price-book.ts';
import type { PriceSource, TermChange, TokenPrice, UnitPrice, UnitRate } from './rates.ts';

/** The fields of a call that determine its cost. Absent names are empty strings. */
export type CostedCall = {
  provider: string;
  model: string;
  terms: Terms;
  /** Milliseconds since 1970. */
  time: number;
  /** YYYY-MM-DD in the project's timezone. */
  day: string;
  /** Null when no event of the call reports any. */
  usage: Usage | null;
  units: Units;
  /** The tokens of other models within the call, such as an advisor or a tool's, or those that did its work. */
  others?: readonly OtherUsage[] | undefined;
  /** Whether an event reports usage that no reader understands (D26.3). */
  hasUnknownUsage: boolean;
  /** Whether the report of an answered call says nothing of its usage. */
  isUsageMissing?: boolean;
  /** The cost that an event of the call reports (D3.11), or null. */
  reportedCost: Money | null;
  /** The cost that a gateway or another tool computed for the call (D16.1). It counts if Farthing has no price. */
  costElsewhere?: Money | undefined;
  /** Whether a gateway answered from its own cache, so that no provider was called (D16.1). */
  isFromGatewayCache?: boolean | undefined;
  /** The number of requests in the usage, if it is the sum of several (D16.2). */
  requests?: number | undefined;
  /** Whether the usage may be the sum of several requests, of an unknown number. */
  mayBeSum?: boolean;
  /** Set where it stands for many calls, which were added up (sums.ts). */
  summed?: SummedUp;
};

/** Of each of many alike calls that were added up. */
export type SummedUp = {
  /** The tokens of one prompt: those of all have the same price. */
  readonly promptTokens: number;
  /** How many tokens a what-if assumes to be read from the cache: rounded down for each call. */
  readonly cachedTokens: number;
};

/**
 * Where a call's cost comes from. `further_list`: a list that nobody here reviewed (D27.1). `none`: it failed or is free,
 * reports no usage, and costs 0. `unpriced`: it has no price or no usage, and costs 0 (D5.4). `gateway_cache`: a gateway answered from its own cache, which costs 0. `wrapper`: the usage and cost are
 * those of another call within it (D14.3).
 */
export const costSources = [
  'reported',
  'override',
  'catalogue',
  'further_list',
  'gateway_cache',
  'wrapper',
  'none',
  'unpriced',
] as const;

export type CostSource = (typeof costSources)[number];

/** Why a call with usage has no price. The list is closed: reasons are stored, and coverage counts calls by them. */
export const unpricedReasons = [
  /** The call names no model. */
  'no_model',
  /** The catalogue doesn't know the provider that the call names. */
  'unknown_provider',
  /** The provider, or any provider if none is named, has no entry for the model. */
  'unknown_model',
  /** The model has an entry without a price for a kind of token that the call used. */
  'no_token_price',
  /** The call used only units, and none of them has a known price. */
  'no_unit_price',
  /** The call reports usage that no reader understands. */
  'unknown_usage',
  /** Whoever reported the call said nothing of its usage. */
  'usage_not_reported',
  /** A count of tokens is not a whole number of at least 0, or a count of a unit is not above 0. */
  'invalid_usage',
] as const satisfies readonly (
  | NoEntryReason
  | 'no_token_price'
  | 'no_unit_price'
  | 'unknown_usage'
  | 'usage_not_reported'
  | 'invalid_usage'
)[];

export type UnpricedReason = (typeof unpricedReasons)[number];

/** One line of a cost: count × rate, rounded once (D5.3). `terms` are those that changed the rate. */
export type CostLine =
  | {
      bucket: UsageBucket;
      tokens: number;
      ratePerMtok: string;
      amount: Money;
      source: PriceSource;
      terms?: readonly TermChange[];
      /** The bucket whose rate this one has, because its own isn't known. */
      rateOf?: UsageBucket;
      /** The model that used the tokens, if it is not the call's. */
      model?: string;
    }
  | { bucket: 'request'; requests: 1; ratePerRequest: string; amount: Money; source: PriceSource }
  /** `count` is in units of 1e-12. */
  | { unit: UnitName; count: bigint; rate: UnitRate; amount: Money; source: PriceSource };

/** A call's gross cost and its derivation (D5.6). Unless reported, the cost is the sum of the lines. */
export type CallCost = {
  cost: Money;
  source: CostSource;
  /** Present exactly when `source` is `unpriced`. */
  unpricedReason?: UnpricedReason;
  /** The call's provider, or the maker of its model when the call names none (D4.4). */
  provider: string;
  /** What of the call has no known price, sorted (D26.3). Empty if the call is fully priced or unpriced. */
  partlyPriced: readonly PartName[];
  /** A line for each bucket with tokens, in the order of `usageBuckets`, for the price per request, and for each unit. */
  lines: readonly CostLine[];
};

/**
 * The gross cost of a call. The README of this folder has the rules and their order. Never throws; a call that can't be
 * costed is unpriced.
 */
export function calcCost(call: CostedCall, book: OpenedBook): CallCost {
  const { model, reportedCost, costElsewhere } = call;
  const provider = call.provider === '' ? book.catalogue.deriveProvider(model) : call.provider;
  const plain = { provider, partlyPriced: nothing, lines: [] };
  if (call.isFromGatewayCache) return { ...plain, cost: 0n, source: 'gateway_cache' };
  if (reportedCost !== null) return { ...plain, cost: reportedCost, source: 'reported' };
  const cost = priceUsage(call, provider, book);
  const hasNoPrice = cost.source === 'unpriced' || cost.source === 'none';
  return hasNoPrice && costElsewhere !== undefined ? { ...plain, cost: costElsewhere, source: 'reported' } : cost;
}

/** Whether two prices have the same rates, or are none. */
const areAlike = (one: TokenPrice | string, other: TokenPrice | string): boolean =>
  typeof one === 'string' ||
  typeof other === 'string' ||
  usageBuckets.every((bucket) => one.rates.perMtok[bucket]?.text === other.rates.perMtok[bucket]?.text);

function priceUsage(call: CostedCall, provider: string, book: OpenedBook): CallCost {
  const { model, terms, time, day, usage, units, others = noOthers, requests = 1 } = call;
  const hasUnits = isNotEmpty(units);
  if (usage === null && !hasUnits && others.length === 0) {
    if (call.hasUnknownUsage) return unpriced('unknown_usage', provider);
    if (call.isUsageMissing && !isFree(call, provider, book)) return unpriced('usage_not_reported', provider);
    return { cost: 0n, source: 'none', provider, partlyPriced: nothing, lines: [] };
  }
  const isValid = isValidUsage(usage) && others.every((other) => isValidUsage(other.usage));
  if (!isValid || (hasUnits && !areValidUnits(units))) return unpriced('invalid_usage', provider);

  // If the usage sums several requests, the average prompt decides prices that depend on a prompt's size.
  const inputTokens = call.summed?.promptTokens ?? (usage === null ? 0 : sumInput(usage) / requests);
  const subject = { provider, model, terms, time, day, inputTokens };
  const whole = book.resolvePrice(subject);
  const bill: Bill = { lines: [], unknown: [] };
  // Of a sum, each request may have been small.
  const least = call.mayBeSum === true ? book.resolvePrice({ ...subject, inputTokens: 0 }) : whole;
  const price = areAlike(least, whole) ? whole : least;
  if (price !== whole) bill.unknown.push('prompt_sizes');
  // An override of the whole is final, also for what other models did of it.
  const isOverride = typeof price !== 'string' && price.source.kind === 'override';
  const isOfParts = !isOverride && others.some(({ isPart }) => isPart);
  const own = isOfParts ? null : usage;
  if (typeof price === 'string') {
    if ((!hasUnits && others.length === 0) || hasTokens(own)) {
      return unpriced(isSoldBy(book, subject) ? 'no_token_price' : price, provider);
    }
  } else if (own !== null && !addTokens(bill, own, price, model)) return unpriced('no_token_price', provider);
  for (const other of others) if (isOfParts || !other.isPart) addOther(bill, other, subject, book);
  const request = typeof price === 'string' ? book.resolveUnitPrice(subject, 'requests') : price.request;
  if (request !== null || hasUnits) {
    const counted = request === null || requests === 1 ? units : { requests: BigInt(requests) * dollar, ...units };
    addUnits(bill, counted, request, (unit) => book.resolveUnitPrice(subject, unit));
  }
  if (bill.lines.length === 0 && !hasUnits && others.length === 0 && call.isUsageMissing) {
    return unpriced('usage_not_reported', provider);
  }
  if ((hasUnits || others.length > 0) && bill.lines.length === 0) {
    const isKnown = typeof price !== 'string' || isSoldBy(book, subject);
    return unpriced(isKnown ? 'no_unit_price' : price, provider);
  }

  const { lines, unknown } = bill;
  let cost: Money = 0n;
  for (const line of lines) cost += line.amount;
  const first = lines.find((line) => 'unit' in line) ?? lines[0];
  const source = sourceOf(typeof price === 'string' || isOfParts ? first?.source : price.source);
  const partlyPriced = unknown.length === 0 ? nothing : [...new Set(unknown)].sort();
  return { cost, source, provider, partlyPriced, lines };
}

/** Whether all tokens of the model cost nothing, as those of moderations do, and so do its requests. */
function isFree({ model, terms, time, day }: CostedCall, provider: string, book: OpenedBook): boolean {
  const price = book.resolvePrice({ provider, model, terms, time, day, inputTokens: 0 });
  if (typeof price === 'string' || price.request !== null) return false;
  return usageBuckets.every((bucket) => price.rates.perMtok[bucket]?.amount.mantissa === 0n);
}

/** Whether the model has a price of its own, maybe of other units: a video may be charged by seconds, which the call lacks. */
const isSoldBy = (book: OpenedBook, subject: PriceSubject): boolean => book.findTariff(subject).isSold();

/** Of the tokens, or of the units of a call without a price of tokens. */
function sourceOf(source: PriceSource | undefined): CostSource {
  return source?.kind === 'override' || source?.kind === 'further_list' ? source.kind : 'catalogue';
}

const nothing: CallCost['partlyPriced'] = [];

/** The lines of a call so far, and its parts without a known price. */
type Bill = { readonly lines: CostLine[]; readonly unknown: PartName[] };

/** False when a bucket with tokens has no price. */
function addTokens({ lines, unknown }: Bill, usage: Usage, price: TokenPrice, model: string): boolean {
  const { rates, source, terms, unknownTerms, cacheWrite } = price;
  for (const bucket of usageBuckets) {
    const tokens = usage[bucket];
    if (tokens === 0) continue;
    const rate = rates.perMtok[bucket];
    if (rate === null) return false;
    const assumed = findAssumed(bucket, price, model);
    if (assumed !== undefined) unknown.push(assumed.part);
    const line = {
      bucket,
      tokens,
      ratePerMtok: rate.text,
      amount: multiplyRate(tokens, rate.amount, 1_000_000),
      source,
    };
    const changes = bucket === 'cacheWrite' ? cacheWrite.terms : terms;
    const rateOf = assumed?.rateOf;
    lines.push(
      changes.length === 0 && rateOf === undefined
        ? line
        : { ...line, ...(changes.length > 0 && { terms: changes }), ...(rateOf && { rateOf }) },
    );
  }
  if (lines.length > 0 && unknownTerms.length > 0) unknown.push(...unknownTerms);
  if (usage.cacheWrite > 0) unknown.push(...cacheWrite.unknownTerms);
  return true;
}

/** At the prices of the other model, which the call's provider made. Tokens without a price make it partly priced. */
function addOther(bill: Bill, { model, usage }: OtherUsage, subject: PriceSubject, book: OpenedBook): void {
  const price = book.resolvePrice({ ...subject, model, inputTokens: sumInput(usage) });
  const own: Bill = { lines: [], unknown: [] };
  if (typeof price === 'string' || !addTokens(own, usage, price, model)) bill.unknown.push('other_models');
  else {
    bill.lines.push(...own.lines.map((line) => ('tokens' in line ? { ...line, model } : line)));
    bill.unknown.push(...own.unknown);
  }
}

const noOthers: readonly OtherUsage[] = [];

/** Adds units. `request` is the price of the call itself. It is charged once, unless the call counts its requests. */
function addUnits(
  { lines, unknown }: Bill,
  units: Units,
  request: UnitPrice | null,
  priceOf: (unit: UnitName) => UnitPrice | null,
): void {
  const isWithoutTokens = lines.length === 0;
  const add = (unit: UnitName, count: bigint | undefined, price: UnitPrice | null) => {
    if (price === null) return unknown.push(unit);
    lines.push(toUnitLine(unit, count, price));
    return unknown.push(...(isWithoutTokens ? price.unknownTermsAlone : price.unknownTerms));
  };
  if (request !== null) add('requests', units.requests, request);
  for (const unit of unitNames) {
    const count = units[unit];
    if (count !== undefined && !(unit === 'requests' && request !== null)) add(unit, count, priceOf(unit));
  }
}

/** Without a count, the call is one request. */
function toUnitLine(unit: UnitName, count: bigint | undefined, { rate, source }: UnitPrice): CostLine {
  return count === undefined
    ? {
        bucket: 'request',
        requests: 1,
        ratePerRequest: rate.usd.text,
        amount: multiplyRate(1, rate.usd.amount, rate.per),
        source,
      }
    : { unit, count, rate, amount: multiplyCount(count, rate.usd.amount, rate.per), source };
}

/** The cost of a call whose usage is that of another call within it (D14.3). */
export const costOfWrapper = (provider: string): CallCost => ({
  cost: 0n,
  source: 'wrapper',
  provider,
  partlyPriced: nothing,
  lines: [],
});

function unpriced(unpricedReason: UnpricedReason, provider: string): CallCost {
  return { cost: 0n, source: 'unpriced', unpricedReason, provider, partlyPriced: nothing, lines: [] };
}

function isNotEmpty(units: Units): boolean {
  for (const _ in units) return true;
  return false;
}

const isValidUsage = (usage: Usage | null): boolean =>
  usage === null || usageBuckets.every((bucket) => Number.isSafeInteger(usage[bucket]) && usage[bucket] >= 0);

function areValidUnits(units: Units): boolean {
  for (const unit of unitNames) if ((units[unit] ?? 1n) <= 0n) return false;
  return true;
}

const hasTokens = (usage: Usage | null): boolean => usage !== null && usageBuckets.some((bucket) => usage[bucket] > 0);

function sumInput(usage: Usage): number {
  let tokens = 0;
  for (const bucket of inputBuckets) tokens += usage[bucket];
  return tokens;
}
