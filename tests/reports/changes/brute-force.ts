// The split of a group by its definition (D21): all 720 orders of the factors, in exact fractions.

import { unitNames } from '../../../src/lib/units.ts';
import { usageBuckets } from '../../../src/lib/usage-buckets.ts';
import { type Factor, factors } from '../../../src/reports/changes/causes.ts';
import type { ChangeGroup, ListPrices, Side } from '../../../src/reports/changes/group.ts';
import { type Fraction, fraction, overOneDenominator, sumOf, times } from './fraction.ts';

type Pair<Value> = { readonly before: Value; readonly now: Value };
type When = keyof Pair<unknown>;
const whens = ['before', 'now'] as const satisfies readonly When[];

/** What is used: a bucket of tokens, a unit, or the call itself. Those of one kind differ in their place in the cache. */
const items: readonly { readonly name: string; readonly kind: string }[] = [
  ...usageBuckets.map((name) => ({ name, kind: kindOf(name) })),
  ...unitNames.map((name) => ({ name, kind: name })),
  { name: 'request', kind: 'request' },
];

function kindOf(bucket: string): string {
  if (['input', 'cacheRead', 'cacheWrite', 'cacheWrite1h'].includes(bucket)) return 'text that is read';
  if (['inputAudio', 'cacheReadAudio'].includes(bucket)) return 'sound that is read';
  if (['inputImage', 'cacheReadImage'].includes(bucket)) return 'images that are read';
  return bucket;
}

/** `over / under`; undefined for a share of nothing. */
const share = (over: bigint, under: bigint) => (under === 0n ? undefined : fraction(over, under));

/** What one range doesn't tell is as in the other. */
const known = <Value>(of: (when: When) => Value | undefined): Pair<Value | undefined> => ({
  before: of('before') ?? of('now'),
  now: of('now') ?? of('before'),
});

const successes = ({ totals }: Side) =>
  totals.failed === totals.calls && totals.cost > 0n ? totals.calls : totals.calls - totals.failed;

function amountsOf(side: Side): Map<string, bigint> {
  return new Map<string, bigint>([
    ...usageBuckets.map((name) => [name, side.totals.tokens[name]] as const),
    ...side.totals.units,
    ['request', successes(side)],
  ]);
}

const listed = (prices: ListPrices): Map<string, bigint> =>
  new Map<string, bigint>([
    ...usageBuckets.map((name) => [name, prices.tokens[name]] as const),
    ...prices.units,
    ['request', prices.request],
  ]);

const costAt = (amounts: Map<string, bigint>, prices: Map<string, bigint>): bigint =>
  items.reduce((sum, { name }) => sum + (amounts.get(name) ?? 0n) * (prices.get(name) ?? 0n), 0n);

/** The price of each item in each range, so that the amounts cost what the range cost. */
function pricesOf(group: ChangeGroup): Pair<Map<string, Fraction> | undefined> {
  const everything = new Map<string, bigint>([
    ...usageBuckets.map((name) => [name, 10n ** 12n] as const),
    ...unitNames.map((name) => [name, 1n] as const),
  ]);
  const lists: readonly Pair<Map<string, bigint>>[] = [
    { before: listed(group.before.prices), now: listed(group.now.prices) },
    { before: everything, now: everything },
    { before: new Map([['request', 1n]]), now: new Map([['request', 1n]]) },
  ];
  const list = lists.find((prices) =>
    whens.every((when) => group[when].totals.cost === 0n || costAt(amountsOf(group[when]), prices[when]) > 0n),
  );
  if (!list) throw new Error('no list explains the costs');
  return known((when) => {
    const amounts = amountsOf(group[when]);
    const isPriced = whens.some((other) => costAt(amounts, list[other]) > 0n);
    if (successes(group[when]) === 0n || !isPriced) return undefined;
    const level = share(group[when].totals.cost, costAt(amounts, list[when])) ?? fraction(0n);
    return new Map([...list[when]].map(([name, price]) => [name, times(fraction(price), level)]));
  });
}

/** The cost of the group if some factors are as now and the others as before. */
function valueFunction(group: ChangeGroup): (now: ReadonlySet<Factor>) => Fraction {
  const side = (when: When) => group[when];
  const counts = known((when) => (successes(side(when)) === 0n ? undefined : when));
  const mix = known((when) => share(side(when).totals.calls, side(when).ownerCalls));
  const ok = known((when) => share(successes(side(when)), side(when).totals.calls));
  const prices = pricesOf(group);
  const kinds = [...new Set(items.map(({ kind }) => kind))].map((kind) => {
    const own = items.filter((item) => item.kind === kind).map(({ name }) => name);
    const amount = (when: When, names: readonly string[]) => {
      const amounts = amountsOf(side(when));
      return names.reduce((sum, name) => sum + (amounts.get(name) ?? 0n), 0n);
    };
    const perCall = known(
      (when) => (counts[when] === when && share(amount(when, own), successes(side(when)))) || undefined,
    );
    const shares = new Map(
      own.map((name) => [
        name,
        known((when) => (counts[when] === when ? share(amount(when, [name]), amount(when, own)) : undefined)),
      ]),
    );
    return { own, perCall, shares };
  });
  return (now) => {
    const at = (factor: Factor): When => (now.has(factor) ? 'now' : 'before');
    const ofCall = kinds.flatMap(({ own, perCall, shares }) =>
      own.map((name) => {
        const parts = [
          perCall[at('tokens_per_call')],
          shares.get(name)?.[at('cached_share')],
          prices[at('prices')]?.get(name),
        ];
        return parts.reduce<Fraction>((product, part) => times(product, part ?? fraction(0n)), fraction(1n));
      }),
    );
    const calls = fraction(side(at('calls')).ownerCalls);
    const shareOfCalls = mix[at('mix')] ?? fraction(0n);
    return [calls, shareOfCalls, ok[at('failures')] ?? fraction(0n), sumOf(ofCall)].reduce(times);
  };
}

function ordersOf<Item>(list: readonly Item[]): Item[][] {
  if (list.length === 0) return [[]];
  return list.flatMap((first) => ordersOf(list.filter((item) => item !== first)).map((rest) => [first, ...rest]));
}

/** Each factor's part: what it adds when the factors change one after the other, on average over all orders. */
export function splitByBruteForce(group: ChangeGroup): ReadonlyMap<Factor, Fraction> {
  const valueAt = valueFunction(group);
  const subsets = Array.from(
    { length: 2 ** factors.length },
    (_, bits) => new Set(factors.filter((_factor, index) => Math.floor(bits / 2 ** index) % 2 === 1)),
  );
  const { overs, under } = overOneDenominator(subsets.map(valueAt));
  const sums = new Map<Factor, bigint>(factors.map((factor) => [factor, 0n]));
  const orders = ordersOf([...factors.keys()]);
  for (const order of orders) {
    let bits = 0;
    for (const index of order) {
      const next = bits + 2 ** index;
      const factor = factors[index] ?? 'calls';
      sums.set(factor, (sums.get(factor) ?? 0n) + (overs[next] ?? 0n) - (overs[bits] ?? 0n));
      bits = next;
    }
  }
  return new Map([...sums].map(([factor, sum]) => [factor, fraction(sum, under * BigInt(orders.length))]));
}
