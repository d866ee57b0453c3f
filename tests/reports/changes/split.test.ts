// D21: a group's difference of cost, split by cause, against all orders of the factors in exact fractions.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ChangeCause, causes, factors, noParts, type Parts } from '../../../src/reports/changes/causes.ts';
import type { ChangeGroup, Side } from '../../../src/reports/changes/group.ts';
import { splitGroup } from '../../../src/reports/changes/split-groups.ts';
import { usualOrLong } from '../../support/effort.ts';
import { splitByBruteForce } from './brute-force.ts';
import { anyGroup, perBucket, perMtok } from './groups.ts';

const numRuns = usualOrLong(100, 10_000);
const sum = (parts: Parts) => causes.reduce((total, cause) => total + parts[cause], 0n);
const differenceOf = ({ before, now }: ChangeGroup) => now.totals.cost - before.totals.cost;
const isNewOrVanished = ({ before, now, canBeNew }: ChangeGroup) =>
  canBeNew && (before.ownerCalls === 0n || now.ownerCalls === 0n);

test('D21: each part is the average over all orders of the factors, rounded by at most three units of 1e-30 USD', () => {
  fc.assert(
    fc.property(anyGroup, (group) => {
      fc.pre(!isNewOrVanished(group) && (group.before.totals.cost > 0n || group.now.totals.cost > 0n));
      const parts = splitGroup(group);
      for (const [factor, { over, under }] of splitByBruteForce(group)) {
        const error = parts[factor] * under - over;
        expect(error <= 4n * under && error >= -4n * under, `${factor}: ${parts[factor]}, not ${over / under}`).toBe(
          true,
        );
        if (over === 0n) expect(parts[factor]).toBe(0n);
      }
      expect([parts.new_customers, parts.vanished_customers]).toEqual([0n, 0n]);
    }),
    // The brute force goes through hundreds of orders each time.
    { numRuns: usualOrLong(40, 10_000) },
  );
});

test('D21: the parts add up to the difference exactly, and swapping the ranges negates each', () => {
  fc.assert(
    fc.property(anyGroup, (group) => {
      const parts = splitGroup(group);
      expect(sum(parts)).toBe(differenceOf(group));
      const swapped = splitGroup({ ...group, before: group.now, now: group.before });
      for (const factor of factors) expect(swapped[factor]).toBe(-parts[factor]);
      expect(swapped.vanished_customers).toBe(-parts.new_customers);
      expect(swapped.new_customers).toBe(-parts.vanished_customers);
    }),
    { numRuns: 10 * numRuns },
  );
});

test('D21: a customer with calls in one range only is a part of its own; a feature has more or fewer calls', () => {
  fc.assert(
    fc.property(anyGroup, ({ before, now }) => {
      const none: Side = { ...before, ownerCalls: 0n, totals: { ...before.totals, calls: 0n, failed: 0n, cost: 0n } };
      const only = { before: none, now: { ...now, ownerCalls: now.ownerCalls + 1n } };
      const { cost } = now.totals;
      expect(splitGroup({ ...only, canBeNew: true })).toEqual({ ...noParts, new_customers: cost });
      expect(splitGroup({ before: only.now, now: only.before, canBeNew: true })).toEqual({
        ...noParts,
        vanished_customers: -cost,
      });
      if (now.totals.calls > 0n) expect(splitGroup({ ...only, canBeNew: false })).toEqual({ ...noParts, calls: cost });
    }),
    { numRuns },
  );
});

/** A hundred successful calls at $2.50 in, $1.25 cached and $10 out. */
const list = {
  tokens: perBucket({
    input: 10n * perMtok,
    cacheRead: 5n * perMtok,
    cacheWrite: 12n * perMtok,
    output: 40n * perMtok,
  }),
  units: new Map(),
  request: 0n,
};
const usual: Side = {
  totals: {
    calls: 100n,
    failed: 0n,
    tokens: perBucket({ input: 40_000n, cacheRead: 60_000n, output: 10_000n }),
    units: new Map(),
    cost: 0n,
  },
  prices: list,
  ownerCalls: 100n,
};

/** The side with the cost of its tokens by its prices. */
function priced(side: Side): Side {
  const { tokens } = side.totals;
  const cost = (['input', 'cacheRead', 'cacheWrite', 'output'] as const).reduce(
    (total, bucket) => total + tokens[bucket] * side.prices.tokens[bucket],
    0n,
  );
  return { ...side, totals: { ...side.totals, cost } };
}

const withTotals = (side: Side, totals: Partial<Side['totals']>): Side => ({
  ...side,
  totals: { ...side.totals, ...totals },
});
const twice = (tokens: Side['totals']['tokens']) =>
  perBucket({ input: 2n * tokens.input, cacheRead: 2n * tokens.cacheRead, output: 2n * tokens.output });

const doubled = withTotals(usual, { calls: 200n, tokens: twice(usual.totals.tokens) });
const of = (ownerCalls: bigint, side: Side): Side => ({ ...side, ownerCalls });
const reading = (tokens: Partial<Side['totals']['tokens']>) => withTotals(usual, { tokens: perBucket(tokens) });

const byCause: readonly { name: string; cause: ChangeCause; before?: Side; now: Side }[] = [
  { name: 'twice the calls', cause: 'calls', now: of(200n, doubled) },
  { name: 'twice the share of the calls', cause: 'mix', before: of(400n, usual), now: of(400n, doubled) },
  {
    name: 'half of the calls fail and cost nothing',
    cause: 'failures',
    before: of(200n, doubled),
    now: of(200n, withTotals(usual, { calls: 200n, failed: 100n })),
  },
  {
    name: '30 % longer prompts',
    cause: 'tokens_per_call',
    now: reading({ input: 52_000n, cacheRead: 78_000n, output: 10_000n }),
  },
  {
    name: 'longer answers',
    cause: 'tokens_per_call',
    now: reading({ input: 40_000n, cacheRead: 60_000n, output: 25_000n }),
  },
  {
    name: 'less of the prompt is cached',
    cause: 'cached_share',
    now: reading({ input: 85_000n, cacheRead: 10_000n, cacheWrite: 5_000n, output: 10_000n }),
  },
  {
    name: 'another price of output',
    cause: 'prices',
    now: { ...usual, prices: { ...list, tokens: { ...list.tokens, output: 99n * perMtok } } },
  },
];

test.each(byCause)('D21: $name: $cause has the whole difference, and every other part is 0', (changed) => {
  const { cause, before = usual, now } = changed;
  const group = { before: priced(before), now: priced(now), canBeNew: true };
  expect(differenceOf(group)).not.toBe(0n);
  expect(splitGroup(group)).toEqual({ ...noParts, [cause]: differenceOf(group) });
});

test('D21: a model that a known customer did not use before is another mix, at the price and length of now', () => {
  const unused = { ...withTotals(usual, { calls: 0n, tokens: perBucket({}), cost: 0n }), ownerCalls: 100n };
  const now = priced({ ...usual, ownerCalls: 100n });
  const parts = splitGroup({ before: unused, now, canBeNew: true });
  expect(parts).toEqual({ ...noParts, mix: now.totals.cost });
});

test('D21: a price that the list does not know is one price for all tokens, or for a call without any', () => {
  const unlisted = { ...usual, prices: { tokens: perBucket({}), units: new Map(), request: 0n } };
  const tokensTo = (cost: bigint) => withTotals(unlisted, { cost });
  expect(splitGroup({ before: tokensTo(10n ** 30n), now: tokensTo(3n * 10n ** 30n), canBeNew: true })).toEqual({
    ...noParts,
    prices: 2n * 10n ** 30n,
  });
  const callsTo = (cost: bigint, calls: bigint) => ({
    ...withTotals(unlisted, { cost, calls, tokens: perBucket({}) }),
    ownerCalls: calls,
  });
  expect(splitGroup({ before: callsTo(10n ** 30n, 1n), now: callsTo(5n * 10n ** 30n, 5n), canBeNew: true })).toEqual({
    ...noParts,
    calls: 4n * 10n ** 30n,
  });
});
