import { dayOf } from '../../lib/days.ts';
import { type Decimal, readMoney } from '../../lib/money.ts';
import { noTerms, noUnits, type Terms, type Units } from '../../lib/units.ts';
import { bucketNames, inputBuckets, type Usage, type UsageBucket, usageBuckets } from '../../lib/usage-buckets.ts';
import type { CostedCall } from '../../pricing/cost.ts';
import { readPricedAs } from '../../pricing/priced-as.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { usageColumns } from '../../storage/analytic/tables/usage-columns.ts';
import { parseOtherUsage } from '../../usage/other-usage.ts';
import type { Turns } from './turns.ts';

const promptOf = (buckets: readonly UsageBucket[]): string =>
  `(${buckets.map((bucket) => `${bucketNames[bucket]}_tokens`).join(' + ') || '0'}) / requests`;

/** How many fractional digits the counts of a call's units have: none, three, six, or more. */
const digitsOfUnits = `if(empty(units), 0, arrayMax(count -> multiIf(floor(count) = count, 0, floor(count, 3) = count, 3, floor(count, 6) = count, 6, 12), mapValues(units)))`;

/** 0 without terms. */
const termsKey = `bitXor(sipHash64(terms), sipHash64(CAST(map(), 'Map(String, String)')))`;

/** Odd numbers without a pattern, one for each part of a key. */
const factors = [
  '0x9e3779b97f4a7c15',
  '0xbf58476d1ce4e5b9',
  '0x94d049bb133111eb',
  '0xd6e8feb86659fd93',
  '0xa0761d6478bd642f',
  '0xe7037ed1a0b428db',
  '0x8ebc6af09c88c6e3',
  '0x589965cc75374cc3',
  '0x1d8e4e27c47d124f',
  '0xc2b2ae3d27d4eb4f',
  '0x2545f4914f6cdd1d',
].map((hex) => String(BigInt(hex)));

/** What some of the calls have: columns in which none has anything are not read. */
export interface Seen {
  terms: boolean;
  units: boolean;
  costsElsewhere: boolean;
  otherUsage: boolean;
  gatewayCache: boolean;
  readonly prompt: Set<UsageBucket>;
}

const everything: Seen = {
  ...{ terms: true, units: true, costsElsewhere: true, otherUsage: true, gatewayCache: true },
  prompt: new Set<UsageBucket>(inputBuckets),
};

/**
 * The key of calls that are alike: what chooses their prices is the same, and so is which lines their costs have. Their
 * cost is that of the sums of their counts, unless a line is rounded. Each part is hashed by itself, because a hash of a
 * column with few values is computed once a value.
 */
export function alikeKey({ instantsMs, hourly, hourlyMs, sized, sizes }: Turns, seen: Seen = everything): Clause {
  const turn = (instants: string) => `roundDown(toUnixTimestamp64Milli(time), {${instants}:Array(Int64)})`;
  // Of one turn all calls are alike.
  const usual = instantsMs.length > 1 ? turn('turns') : '0';
  const prompt = promptOf([...seen.prompt]);
  const parts = [
    'sipHash64(model)',
    `sipHash64(provider) * (position(priced_as, 'no_provider') = 0)`,
    'sipHash64(priced_as)',
    seen.gatewayCache && `(cost_source = 'gateway_cache')`,
    seen.costsElsewhere && 'isNotNull(cost_elsewhere)',
    seen.otherUsage && `(other_usage != '')`,
    seen.terms && termsKey,
    seen.units && 'if(empty(units), 0, sipHash64(toString(mapKeys(units))))',
    seen.units && digitsOfUnits,
    `toUInt64(${hourly.length === 0 ? usual : `if(model IN {hourly:Array(String)}, ${turn('hourly_turns')}, ${usual})`})`,
    sized.length > 0 &&
      `if(model IN {sized:Array(String)}, ${sizes.map((_size, index) => `(${prompt} > {size_${index}:Float64})`).join(' + ')}, 0)`,
  ];
  return {
    sql: parts.flatMap((part, index) => (part === false ? [] : [`${part} * ${factors[index]}`])).join(' + '),
    parameters: {
      ...(instantsMs.length > 1 && { turns: instantsMs }),
      ...(hourly.length > 0 && { hourly, hourly_turns: hourlyMs }),
      ...(sized.length > 0 && { sized, ...Object.fromEntries(sizes.map((size, index) => [`size_${index}`, size])) }),
    },
  };
}

/** How many tokens of a call a what-if assumes to be read from the cache, or 0. */
export const cachedTokens = (share: Decimal | null): string =>
  share === null
    ? '0'
    : `intDiv((input_tokens + cache_read_tokens) * ${share.mantissa}, ${10n ** BigInt(share.scale)})`;

/** What is alike of calls, and the sums of the rest. Of equal calls (`any`) the counts of one. */
export function alikeColumns(share: Decimal | null, counts: 'sum' | 'any'): string {
  const unitCounts = counts === 'sum' ? 'sumForEach(mapValues(units))' : 'any(mapValues(units))';
  return `any(model) AS model_, any(provider) AS provider_, any(priced_as) AS priced_as_, any(terms) AS terms_,
    any(cost_source = 'gateway_cache') AS is_cached, any(other_usage) AS other_usage_, any(${digitsOfUnits}) AS digits,
    toUnixTimestamp64Milli(any(time)) AS time_ms, any(${promptOf(inputBuckets)}) AS prompt_tokens, any(mapKeys(units)) AS unit_names,
    count() AS calls, sum(cost) AS before, ${counts}(requests) AS requests_, ${counts}(cost_elsewhere) AS elsewhere,
    sum(${cachedTokens(share)}) AS cached, ${unitCounts} AS unit_counts,
    [${usageColumns.map((name) => `${counts}(${name})`).join(', ')}] AS tokens`;
}

/** With the key of alike calls, the columns by which calls are equal. */
export const equalColumns = `${usageColumns.join(', ')}, units, requests, cost_elsewhere, other_usage`;

/** A row of `alikeColumns`. */
export interface AlikeRow {
  readonly model_: string;
  readonly provider_: string;
  readonly priced_as_: string;
  readonly is_cached: number;
  readonly other_usage_: string;
  readonly terms_: Terms;
  readonly digits: number;
  readonly time_ms: string;
  readonly prompt_tokens: number;
  readonly calls: string;
  /** In decimal dollars, as `elsewhere`. */
  readonly before: string;
  readonly requests_: string;
  readonly elsewhere: string | null;
  readonly cached: string;
  readonly unit_names: readonly string[];
  readonly unit_counts: readonly string[];
  readonly tokens: readonly string[];
}

/** The sum of alike calls as one call, or one of equal ones. `timezone` is that of the price book. */
export function toCostedCall(row: AlikeRow, timezone: string, counts: 'sum' | 'any'): CostedCall {
  const traits = readPricedAs(row.priced_as_);
  const time = Number(row.time_ms);
  return {
    ...traits,
    provider: traits.namesProvider ? row.provider_ : '',
    model: row.model_,
    terms: hasAny(row.terms_) ? row.terms_ : noTerms,
    time,
    day: dayOf(timezone, time),
    usage: traits.hasUsage ? toUsage(row.tokens) : null,
    units: row.unit_names.length === 0 ? noUnits : toUnits(row.unit_names, row.unit_counts),
    others: row.other_usage_ === '' ? undefined : parseOtherUsage(row.other_usage_),
    reportedCost: traits.hasOwnCost ? readMoney(row.before) : null,
    costElsewhere: row.elsewhere === null ? undefined : readMoney(row.elsewhere),
    isFromGatewayCache: row.is_cached === 1,
    requests: Number(row.requests_),
    ...(counts === 'sum' && { summed: { promptTokens: row.prompt_tokens, cachedTokens: Number(row.cached) } }),
  };
}

function hasAny(terms: Terms): boolean {
  for (const _ in terms) return true;
  return false;
}

function toUsage(tokens: readonly string[]): Usage {
  const usage: Partial<Usage> = {};
  for (const [index, bucket] of usageBuckets.entries()) usage[bucket] = Number(tokens[index] ?? 0);
  return usage as Usage;
}

const toUnits = (names: readonly string[], counts: readonly string[]): Units =>
  Object.fromEntries(names.map((name, index) => [name, readMoney(counts[index])]));
