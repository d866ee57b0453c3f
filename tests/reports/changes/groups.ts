// Groups of calls for the tests of their split.
import fc from 'fast-check';
import type { UnitName } from '../../../src/lib/units.ts';
import { type UsageBucket, usageBuckets } from '../../../src/lib/usage-buckets.ts';
import type { ChangeGroup, ListPrices, Side } from '../../../src/reports/changes/group.ts';

export const perBucket = (own: Partial<Record<UsageBucket, bigint>>): Record<UsageBucket, bigint> =>
  Object.fromEntries(usageBuckets.map((bucket) => [bucket, own[bucket] ?? 0n])) as Record<UsageBucket, bigint>;

/** A dollar per million tokens, in 1e-30 USD for a token. */
export const perMtok = 10n ** 24n;

const buckets = [
  'input',
  'cacheRead',
  'cacheWrite',
  'cacheWrite1h',
  'inputAudio',
  'cacheReadAudio',
  'cacheReadImage',
  'output',
  'reasoning',
] as const;
const units = ['web_searches', 'requests'] as const satisfies readonly UnitName[];

const optionally = <Value>(arbitrary: fc.Arbitrary<Value>, otherwise: Value) =>
  fc.oneof({ weight: 2, arbitrary }, { weight: 1, arbitrary: fc.constant(otherwise) });

const amounts = (largest: bigint) =>
  fc
    .record(Object.fromEntries(buckets.map((bucket) => [bucket, optionally(fc.bigInt(0n, largest), 0n)])))
    .map((record) => perBucket(record));

const unitMap = (largest: bigint) =>
  fc
    .tuple(...units.map((unit) => optionally(fc.bigInt(0n, largest), 0n).map((count) => [unit, count] as const)))
    .map((entries) => new Map<UnitName, bigint>(entries.filter(([, count]) => count > 0n)));

const prices: fc.Arbitrary<ListPrices> = fc.record({
  tokens: optionally(amounts(30n * perMtok), perBucket({})),
  units: unitMap(10n ** 17n),
  request: optionally(fc.bigInt(0n, 10n ** 27n), 0n),
});

/** Calls of an owner in one range: none, some that failed, some without usage, and any cost, also none. */
const side: fc.Arbitrary<Side> = fc
  .record({
    calls: fc.bigInt(0n, 6n),
    failedOf7: fc.bigInt(0n, 7n),
    otherCalls: fc.bigInt(0n, 5n),
    tokens: amounts(2_000n),
    units: unitMap(3n * 10n ** 12n),
    cost: optionally(fc.bigInt(0n, 10n ** 31n), 0n),
    prices,
  })
  .map(({ calls, failedOf7, otherCalls, tokens, units: counts, cost, prices: list }) => ({
    totals:
      calls === 0n
        ? { calls, failed: 0n, tokens: perBucket({}), units: new Map(), cost: 0n }
        : { calls, failed: (calls * failedOf7) / 7n, tokens, units: counts, cost },
    prices: list,
    ownerCalls: calls + otherCalls,
  }));

/** Some of them with the same prices in both ranges, as nearly all groups have. */
export const anyGroup: fc.Arbitrary<ChangeGroup> = fc
  .record({ before: side, now: side, isSamePrice: fc.boolean(), canBeNew: fc.boolean() })
  .map(({ before, now, isSamePrice, canBeNew }) => ({
    before,
    now: isSamePrice ? { ...now, prices: before.prices } : now,
    canBeNew,
  }));
