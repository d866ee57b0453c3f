import { byName } from '../../lib/by-name.ts';
import { type UnitName, unitNames } from '../../lib/units.ts';
import { type UsageBucket, usageBuckets } from '../../lib/usage-buckets.ts';
import type { ChangeGroup, ListPrices, Side } from './group.ts';
import { type Half, toHalf } from './shapley.ts';

/** The kinds of usage that can be cached. The buckets of a kind differ only in how the provider's cache was used. */
const cachedKinds: readonly (readonly UsageBucket[])[] = [
  ['input', 'cacheRead', 'cacheWrite', 'cacheWrite1h'],
  ['inputAudio', 'cacheReadAudio'],
  ['inputImage', 'cacheReadImage'],
];
const tokenKinds: readonly (readonly UsageBucket[])[] = [
  ...cachedKinds,
  ...usageBuckets.filter((bucket) => !cachedKinds.flat().includes(bucket)).map((own) => [own]),
];

/** An amount of usage in one bucket, and its price. */
interface Priced {
  readonly amount: bigint;
  /** In 1e-30 USD for one of `amount`. */
  readonly price: bigint;
}

/** A kind of usage, with an entry for each bucket. Both sides have the same order. */
type Kind = readonly Priced[];

/** The usage of the successful calls of one range, and their cost. */
interface Usage {
  readonly kinds: readonly Kind[];
  readonly successes: bigint;
  readonly cost: bigint;
  /** The cost of `kinds` at their prices. `cost` is proportional to it. */
  readonly listCost: bigint;
}

/**
 * The cost of a successful call: Σ (tokens of a kind per call × share of a bucket in the kind × price of the bucket).
 * The price of a bucket is its list price × (the group's cost ÷ the group's cost at list prices), so the sum is exactly
 * the cost. If a value is unknown in one range, that of the other range is used.
 */
export function costSuccess(group: ChangeGroup): ScaledHalf {
  const [before, now] = fillUsage(...priceUsage(group));
  // A kind's denominator is the product of its amounts in both ranges. The product of these is that of all kinds.
  const kinds = before.kinds.map((kind, index) => toKindPair(kind, now.kinds[index] ?? [])).filter(hasCost);
  const wholes = kinds.reduce((product, { whole }) => (whole === 1n ? product : product * whole), 1n);
  const scaled = kinds.map(({ amounts, costs, whole }) => {
    const scale = whole === wholes ? 1n : wholes / whole;
    return { amounts: scale === 1n ? amounts : ([amounts[0] * scale, amounts[1] * scale] as const), costs };
  });
  const levels = [before.cost * now.listCost, now.cost * before.listCost] as const;
  const successes = [now.successes, before.successes] as const;
  const values = toHalf((tokens, cached, prices) => {
    const list = scaled.reduce((sum, { amounts, costs }) => sum + amounts[tokens] * costs[at(cached, prices)], 0n);
    return list * successes[tokens] * levels[prices];
  });
  return {
    values,
    denominator: before.successes * now.successes * wholes * before.listCost * now.listCost,
  };
}

interface KindPair {
  /** The amount of the kind before and now. */
  readonly amounts: readonly [bigint, bigint];
  /** The cost of one, times `whole`: at the shares and prices of before or now. */
  readonly costs: readonly [bigint, bigint, bigint, bigint];
  readonly whole: bigint;
}

const at = (cached: 0 | 1, prices: 0 | 1) => (cached + 2 * prices) as 0 | 1 | 2 | 3;
const hasCost = ({ costs }: KindPair): boolean => costs.some((cost) => cost !== 0n);

function toKindPair(before: Kind, now: Kind): KindPair {
  const [amountBefore, amountNow] = [amountOf(before), amountOf(now)];
  const amounts = [amountBefore, amountNow] as const;
  if (before.length === 1 || (amountBefore === 0n && amountNow === 0n)) {
    const [priceBefore = 0n, priceNow = 0n] = [before[0]?.price, now[0]?.price];
    return { amounts, costs: [priceBefore, priceBefore, priceNow, priceNow], whole: 1n };
  }
  // If a range lacks this kind, its shares are unknown, so those of the other range are used.
  const [sharesBefore, sharesNow] = [amountBefore === 0n ? now : before, amountNow === 0n ? before : now];
  const [wholeBefore, wholeNow] = [amountBefore || amountNow, amountNow || amountBefore];
  return {
    amounts,
    costs: [
      costOf(sharesBefore, before) * wholeNow,
      costOf(sharesNow, before) * wholeBefore,
      costOf(sharesBefore, now) * wholeNow,
      costOf(sharesNow, now) * wholeBefore,
    ],
    whole: wholeBefore * wholeNow,
  };
}

/** The cost of amounts at prices, which may be those of the other range. */
const costOf = (amounts: Kind, prices: Kind): bigint =>
  amounts.reduce((sum, { amount }, index) => (amount === 0n ? sum : sum + amount * (prices[index]?.price ?? 0n)), 0n);

const amountOf = (kind: Kind): bigint => kind.reduce((sum, { amount }) => sum + amount, 0n);

/** Usage at list prices; if a cost has none, all usage at one price; without usage, all calls at one price. */
function priceUsage({ before, now }: ChangeGroup): [Usage, Usage] {
  // Both sides have the kinds that any of the ranges used.
  const used = {
    tokens: tokenKinds.filter((kind) =>
      kind.some((bucket) => before.totals.tokens[bucket] > 0n || now.totals.tokens[bucket] > 0n),
    ),
    units: unitNames.filter((unit) => before.totals.units.has(unit) || now.totals.units.has(unit)),
  };
  for (const priceOf of pricings) {
    const sides: [Usage, Usage] = [toUsage(before, used, priceOf(before)), toUsage(now, used, priceOf(now))];
    if (sides.every(({ cost, listCost }) => cost === 0n || listCost !== 0n)) return sides;
  }
  throw new RangeError('A cost without calls');
}

const onePrice: ListPrices = {
  tokens: byName(usageBuckets, () => 10n ** 12n),
  units: new Map(unitNames.map((unit) => [unit, 1n])),
  request: 0n,
};
const byCall: ListPrices = { tokens: byName(usageBuckets, () => 0n), units: new Map(), request: 1n };

const pricings: readonly ((side: Side) => ListPrices)[] = [({ prices }) => prices, () => onePrice, () => byCall];

interface Used {
  readonly tokens: readonly (readonly UsageBucket[])[];
  readonly units: readonly UnitName[];
}

function toUsage(side: Side, { tokens, units }: Used, prices: ListPrices): Usage {
  const { totals } = side;
  const successes = successesOf(side);
  const kinds: Kind[] = [
    ...tokens.map((kind) => kind.map((bucket) => ({ amount: totals.tokens[bucket], price: prices.tokens[bucket] }))),
    ...units.map((unit) => [{ amount: totals.units.get(unit) ?? 0n, price: prices.units.get(unit) ?? 0n }]),
    [{ amount: successes, price: prices.request }],
  ];
  const listCost = listCostOf(kinds, kinds);
  // Only the ratio of both costs matters. Nearly all groups cost exactly the list price, and 1 multiplies faster.
  const isByList = listCost !== 0n && listCost === totals.cost;
  return { kinds, successes, cost: isByList ? 1n : totals.cost, listCost: isByList ? 1n : listCost };
}

const listCostOf = (amounts: readonly Kind[], prices: readonly Kind[]): bigint =>
  amounts.reduce((sum, kind, index) => sum + costOf(kind, prices[index] ?? []), 0n);

/** Takes from the other range what is unknown: all if no call succeeded, the prices if nothing had a price. */
function fillUsage(before: Usage, now: Usage): readonly [Usage, Usage] {
  if (before.successes === 0n) return [now, now];
  if (now.successes === 0n) return [before, before];
  return [fillPrices(before, now), fillPrices(now, before)];
}

function fillPrices(side: Usage, other: Usage): Usage {
  if (side.listCost !== 0n) return side;
  // The usage has a price in the other range, so it was free in this one.
  if (listCostOf(side.kinds, other.kinds) !== 0n) return { ...side, listCost: 1n };
  const kinds = side.kinds.map((kind, index) =>
    kind.map(({ amount }, at) => ({ amount, price: other.kinds[index]?.[at]?.price ?? 0n })),
  );
  return { ...side, kinds, cost: other.cost, listCost: other.listCost };
}

/** A half of the factors, as whole numbers with a common denominator. */
interface ScaledHalf {
  readonly values: Half;
  readonly denominator: bigint;
}

interface Ratio {
  readonly part: bigint;
  readonly whole: bigint;
}

/** The owner's calls × the group's share × the share that succeeded; an unknown share is the other range's. */
export function countSuccesses({ before, now }: ChangeGroup): ScaledHalf {
  const [mixBefore, mixNow] = fill(
    { part: before.totals.calls, whole: before.ownerCalls },
    { part: now.totals.calls, whole: now.ownerCalls },
  );
  const [okBefore, okNow] = fill(
    { part: successesOf(before), whole: before.totals.calls },
    { part: successesOf(now), whole: now.totals.calls },
  );
  const ownerCalls = [before.ownerCalls, now.ownerCalls] as const;
  const share = [mixBefore.part * mixNow.whole, mixNow.part * mixBefore.whole] as const;
  const ok = [okBefore.part * okNow.whole, okNow.part * okBefore.whole] as const;
  const values = toHalf((calls, mix, failures) => ownerCalls[calls] * share[mix] * ok[failures]);
  return { values, denominator: mixBefore.whole * mixNow.whole * okBefore.whole * okNow.whole };
}

/** The calls by which a side's cost is divided: those that succeeded, or all calls if only failed ones have a cost. */
function successesOf({ totals: { calls, failed, cost } }: Side): bigint {
  return calls === failed && cost !== 0n ? calls : calls - failed;
}

/** Replaces an unknown ratio by that of the other range. */
const fill = (before: Ratio, now: Ratio): readonly [Ratio, Ratio] => [
  before.whole === 0n ? now : before,
  now.whole === 0n ? before : now,
];
