import { byName } from '../../lib/by-name.ts';
import { inTurns } from '../../lib/in-turns.ts';
import { divideHalfEven, parseMoney, parseWideMoney, type WideMoney } from '../../lib/money.ts';
import type { UnitName } from '../../lib/units.ts';
import { usageBuckets } from '../../lib/usage-buckets.ts';
import { factors, noParts, type Parts } from './causes.ts';
import { costSuccess, countSuccesses } from './cost-of-success.ts';
import type { ChangeGroup, ListPrices, Totals } from './group.ts';
import { shareScale, splitProduct } from './shapley.ts';
import type { GroupRecord, Owner } from './sql.ts';

export interface GroupChange {
  readonly owner: string;
  readonly model: string;
  readonly costBefore: WideMoney;
  readonly cost: WideMoney;
  readonly parts: Parts;
}

export interface RangeGroups {
  readonly records: readonly GroupRecord[];
  readonly pricesOf: (provider: string, model: string) => ListPrices;
}

/** Splits the difference of every group with calls in at least one of the ranges. */
export async function splitGroups(
  owner: Owner,
  { before, now }: { readonly before: RangeGroups; readonly now: RangeGroups },
): Promise<GroupChange[]> {
  const [callsBefore, callsNow] = [countCalls(before.records), countCalls(now.records)];
  const changes: GroupChange[] = [];
  const pairs = new Map(before.records.map((record) => [keyOf(record), [record, undefined] as Pair]));
  for (const record of now.records) {
    const key = keyOf(record);
    pairs.set(key, [pairs.get(key)?.[0], record]);
  }
  await inTurns(pairs.values(), ([recordBefore, recordNow]) => {
    const record = recordBefore ?? recordNow;
    if (!record) return;
    const { owner: name, group_provider: provider, group_model: model } = record;
    const [totalsBefore, totalsNow] = [toTotals(recordBefore), toTotals(recordNow)];
    const group = {
      before: {
        totals: totalsBefore,
        prices: before.pricesOf(provider, model),
        ownerCalls: callsBefore.get(name) ?? 0n,
      },
      now: { totals: totalsNow, prices: now.pricesOf(provider, model), ownerCalls: callsNow.get(name) ?? 0n },
      // Calls without a customer belong to nobody who could be new. Features are never new: they get more calls.
      canBeNew: owner === 'customer' && name !== '',
    };
    changes.push({
      owner: name,
      model,
      costBefore: totalsBefore.cost,
      cost: totalsNow.cost,
      parts: splitGroup(group),
    });
  });
  return changes;
}

/** The records of a group in both ranges. */
type Pair = readonly [GroupRecord | undefined, GroupRecord | undefined];

const keyOf = ({ owner, group_provider, group_model }: GroupRecord): string =>
  JSON.stringify([owner, group_provider, group_model]);

function countCalls(records: readonly GroupRecord[]): ReadonlyMap<string, bigint> {
  const calls = new Map<string, bigint>();
  for (const { owner, sum_calls } of records) calls.set(owner, (calls.get(owner) ?? 0n) + BigInt(sum_calls));
  return calls;
}

const noTokens = byName(usageBuckets, () => 0n);
const noTotals: Totals = { calls: 0n, failed: 0n, tokens: noTokens, units: new Map(), cost: 0n };

function toTotals(record: GroupRecord | undefined): Totals {
  if (!record) return noTotals;
  const tokens = { ...noTokens };
  // Most groups use few of the buckets.
  usageBuckets.forEach((bucket, place) => {
    const count = record.tokens[place] ?? '0';
    if (count !== '0') tokens[bucket] = BigInt(count);
  });
  return {
    calls: BigInt(record.sum_calls),
    failed: BigInt(record.sum_errors),
    tokens,
    // Events can only name these units.
    units: new Map(
      Object.entries(record.sum_units).map(([name, count]) => [name as UnitName, parseMoney(count) ?? 0n]),
    ),
    cost: parseWideMoney(record.sum_cost),
  };
}

/** Splits a difference by cause (README.md): the parts add up exactly, and change signs if ranges are swapped. */
export function splitGroup(group: ChangeGroup): Parts {
  const [before, now] = [group.before.totals.cost, group.now.totals.cost];
  if (before === 0n && now === 0n) return noParts;
  if (group.canBeNew && group.before.ownerCalls === 0n) return { ...noParts, new_customers: now };
  if (group.canBeNew && group.now.ownerCalls === 0n) return { ...noParts, vanished_customers: -before };
  const successes = countSuccesses(group);
  const cost = costSuccess(group);
  const shares = splitProduct(successes.values, cost.values);
  const amounts = roundShares(shares, shareScale * successes.denominator * cost.denominator, now - before);
  const parts = { ...noParts };
  factors.forEach((factor, index) => {
    parts[factor] = amounts[index] ?? 0n;
  });
  return parts;
}

/** Rounds half-even to 1e-30 USD. The remainder, a few units at most, goes to the first of the largest shares. */
function roundShares(shares: readonly bigint[], denominator: bigint, whole: WideMoney): WideMoney[] {
  const rounded = shares.map((share) => divideHalfEven(share, denominator));
  const size = (share: bigint) => (share < 0n ? -share : share);
  const largest = shares.reduce((best, share, index) => (size(share) > size(shares[best] ?? 0n) ? index : best), 0);
  const rest = rounded.reduce((left, share) => left - share, whole);
  return rounded.map((share, index) => (index === largest ? share + rest : share));
}
