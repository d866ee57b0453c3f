import { byName } from '../../lib/by-name.ts';
import { unitNames } from '../../lib/units.ts';
import { type UsageBucket, usageBuckets } from '../../lib/usage-buckets.ts';
import type { Group, ListPrices, Side } from './group.ts';
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
interface Used {
  readonly amount: bigint;
  /** In 1e-30 USD for one of `amount`. */
  readonly price: bigint;
}

/** A kind of usage, with an entry for each bucket. Both sides have the same order. */
type Kind = readonly Used[];

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
export function costSuccess(group: Group): ScaledHalf {
  const [before, now] = fillUsage(...priceUsage(group));
  // A kind's denominator is the product of its amounts in both ranges. The product of these is that of all kinds.
  const kinds = before.kinds.map((kind, index) => toKindPair(kind, now.kinds[index] ?? []));
  const wholes = kinds.reduce((product, { whole }) => product * whole, 1n);
  const values = toHalf(([tokens, cached, prices]) => {
    const level = prices ? now.cost * before.listCost : before.cost * now.listCost;
    const list = kinds.reduce((sum, kind) => sum + kind.costOf(tokens, cached, prices) * (wholes / kind.whole), 0n);
    return list * (tokens ? before.successes : now.successes) * level;
  });
  return {
    values,
    denominator: before.successes * now.successes * wholes * before.listCost * now.listCost,
  };
}

interface KindPair {
  /** The denominator of `costOf`. */
  readonly whole: bigint;
  costOf(tokens: boolean, cached: boolean, prices: boolean): bigint;
}

function toKindPair(before: Kind, now: Kind): KindPair {
  const [amountBefore, amountNow] = [amountOf(before), amountOf(now)];
  const amount = (isNow: boolean) => (isNow ? amountNow : amountBefore);
  if (before.length === 1 || (amountBefore === 0n && amountNow === 0n)) {
    const price = (isNow: boolean) => (isNow ? now : before)[0]?.price ?? 0n;
    return { whole: 1n, costOf: (tokens, _cached, prices) => amount(tokens) * price(prices) };
  }
  // If a range lacks this kind, its shares are unknown, so those of the other range are used.
  const [sharesBefore, sharesNow] = [amountBefore === 0n ? now : before, amountNow === 0n ? before : now];
  const [wholeBefore, wholeNow] = [amountOf(sharesBefore), amountOf(sharesNow)];
  return {
    whole: wholeBefore * wholeNow,
    costOf: (tokens, cached, prices) => {
      const shares = cached ? sharesNow : sharesBefore;
      const priced = prices ? now : before;
      const weighted = shares.reduce((sum, { amount: own }, index) => sum + own * (priced[index]?.price ?? 0n), 0n);
      return amount(tokens) * weighted * (cached ? wholeBefore : wholeNow);
    },
  };
}

const amountOf = (kind: Kind): bigint => kind.reduce((sum, { amount }) => sum + amount, 0n);

/** Usage at list prices; if a cost has none, all usage at one price; without usage, all calls at one price. */
function priceUsage({ before, now }: Group): [Usage, Usage] {
  for (const priceOf of pricings) {
    const sides: [Usage, Usage] = [toUsage(before, now, priceOf), toUsage(now, before, priceOf)];
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

/** Lists the kinds that any of the ranges used, so that both sides have the same kinds. */
function toUsage(side: Side, other: Side, priceOf: (side: Side) => ListPrices): Usage {
  const prices = priceOf(side);
  const { totals } = side;
  const successes = successesOf(side);
  const kinds: Kind[] = [
    ...tokenKinds
      .map((kind) => kind.map((bucket) => ({ bucket, amount: totals.tokens[bucket], price: prices.tokens[bucket] })))
      .filter((kind) => kind.some(({ bucket, amount }) => amount > 0n || other.totals.tokens[bucket] > 0n)),
    ...unitNames
      .filter((unit) => totals.units.has(unit) || other.totals.units.has(unit))
      .map((unit) => [{ amount: totals.units.get(unit) ?? 0n, price: prices.units.get(unit) ?? 0n }]),
    [{ amount: successes, price: prices.request }],
  ];
  const listCost = listCostOf(kinds, kinds);
  // Only the ratio of both costs matters. Nearly all groups cost exactly the list price, and 1 multiplies faster.
  const isByList = listCost !== 0n && listCost === totals.cost;
  return { kinds, successes, cost: isByList ? 1n : totals.cost, listCost: isByList ? 1n : listCost };
}

/** The cost of amounts at prices, which may be those of the other range. */
const listCostOf = (amounts: readonly Kind[], prices: readonly Kind[]): bigint =>
  amounts.reduce(
    (sum, kind, index) =>
      sum + kind.reduce((own, { amount }, at) => own + amount * (prices[index]?.[at]?.price ?? 0n), 0n),
    0n,
  );

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
export function countSuccesses({ before, now }: Group): ScaledHalf {
  const [mixBefore, mixNow] = fill(
    { part: before.totals.calls, whole: before.ownerCalls },
    { part: now.totals.calls, whole: now.ownerCalls },
  );
  const [okBefore, okNow] = fill(
    { part: successesOf(before), whole: before.totals.calls },
    { part: successesOf(now), whole: now.totals.calls },
  );
  const values = toHalf(([calls, mix, failures]) => {
    const ownerCalls = calls ? now.ownerCalls : before.ownerCalls;
    const share = mix ? mixNow.part * mixBefore.whole : mixBefore.part * mixNow.whole;
    const ok = failures ? okNow.part * okBefore.whole : okBefore.part * okNow.whole;
    return ownerCalls * share * ok;
  });
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
