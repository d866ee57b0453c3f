import { type Decimal, dollar, type Money, parseDecimal } from '../lib/money.ts';
import type { UnitName } from '../lib/units.ts';
import { type UsageBucket, usageBuckets } from '../lib/usage-buckets.ts';
import { findAssumed } from './assumed-rates.ts';
import type { CallCost, CostedCall } from './cost.ts';
import type { OpenedBook } from './price-book.ts';
import type { UnitPrice } from './rates.ts';

/** Rates of more fractional digits give fractions of a picodollar for a token, which each call rounds. */
const exactRateScale = 6;

/**
 * Whether the cost of a sum of alike calls is the sum of their costs, because no line of theirs is rounded, and each has
 * the same lines. `digits` are the fractional digits that counts of units have at most.
 */
export function addsUp(call: CostedCall, book: OpenedBook, digits: number): boolean {
  const { usage, units, requests = 1 } = call;
  if (call.isFromGatewayCache || call.reportedCost !== null) return true;
  if (call.others !== undefined || !Number.isSafeInteger(requests)) return false;
  if (usage !== null && usageBuckets.some((bucket) => !Number.isSafeInteger(usage[bucket]))) return false;
  const provider = call.provider === '' ? book.catalogue.deriveProvider(call.model) : call.provider;
  const subject = { ...call, provider, inputTokens: call.summed?.promptTokens ?? 0 };
  const sizes = call.mayBeSum ? [subject.inputTokens, 0] : [subject.inputTokens];
  const prices = sizes.map((inputTokens) => book.resolvePrice({ ...subject, inputTokens }));
  const isExact = (bucket: UsageBucket) =>
    usage === null ||
    usage[bucket] === 0 ||
    prices.every((price) => {
      if (typeof price === 'string') return true;
      const rate = price.rates.perMtok[bucket];
      // What is partly priced of a call depends on which of such buckets have tokens.
      const isAssumed = findAssumed(bucket, price, call.model) !== undefined;
      return rate !== null && rate.amount.scale <= exactRateScale && !isAssumed;
    });
  const requestPrices = prices.map((price) =>
    typeof price === 'string' ? book.resolveUnitPrice(subject, 'requests') : price.request,
  );
  return (
    usageBuckets.every(isExact) &&
    requestPrices.every((price) => price === null || isWhole(price, digits)) &&
    Object.keys(units).every((unit) => isWhole(book.resolveUnitPrice(subject, unit as UnitName), digits))
  );
}

/** Whether the smallest count of a unit costs whole picodollars. */
function isWhole(price: UnitPrice | null, digits: number): boolean {
  if (price === null) return true;
  const { usd, per } = price.rate;
  return (usd.amount.mantissa * 10n ** BigInt(12 - digits)) % (BigInt(per) * 10n ** BigInt(usd.amount.scale)) === 0n;
}

/** What each of alike calls costs that add up: its counts, each times so many picodollars. */
export interface Linear {
  readonly perToken: Partial<Record<UsageBucket, bigint>>;
  perRequest: bigint;
  /** For one of the last fractional digit that counts of units have. */
  readonly perUnit: Partial<Record<UnitName, bigint>>;
}

/** Adds what the lines of a sum of alike calls say of the others. */
export function noteLines(linear: Linear, { lines }: CallCost, call: CostedCall, digits: number): void {
  for (const line of lines) {
    if ('tokens' in line) linear.perToken[line.bucket] = toPerToken(parseDecimal(line.ratePerMtok));
    else if ('requests' in line) linear.perRequest = line.amount;
    else if (line.unit === 'requests' && call.units.requests === undefined) {
      linear.perRequest = (line.amount * dollar) / line.count;
    } else linear.perUnit[line.unit] = (line.amount * 10n ** BigInt(12 - digits)) / line.count;
  }
}

function toPerToken(rate: Decimal | null): Money {
  if (rate === null) throw new Error('a line without a rate');
  return rate.mantissa * 10n ** BigInt(exactRateScale - rate.scale);
}
