import { inTurns } from '../../lib/in-turns.ts';
import { parseMoney, parseWideMoney, type WideMoney } from '../../lib/money.ts';
import type { UnitName } from '../../lib/units.ts';
import { type UsageBucket, usageBuckets } from '../../lib/usage-buckets.ts';
import type { Parts } from './causes.ts';
import type { ListPrices, Totals } from './group.ts';
import { splitGroup } from './split.ts';
import type { GroupRecord, Owner } from './sql.ts';

/** A group's costs in both ranges, and the parts of their difference. */
export interface GroupChange {
  readonly owner: string;
  readonly model: string;
  readonly costBefore: WideMoney;
  readonly cost: WideMoney;
  readonly parts: Parts;
}

/** The groups of one range, and the list prices at its end. */
export interface RangeGroups {
  readonly records: readonly GroupRecord[];
  readonly pricesOf: (provider: string, model: string) => ListPrices;
}

/** Splits the difference of every group with calls in at least one of the ranges. */
export async function splitGroups(
  owner: Owner,
  { before, now }: { readonly before: RangeGroups; readonly now: RangeGroups },
): Promise<GroupChange[]> {
  const [recordsBefore, recordsNow] = [before, now].map(
    ({ records }) => new Map(records.map((one) => [keyOf(one), one])),
  );
  const [callsBefore, callsNow] = [before, now].map(({ records }) => countCalls(records));
  const changes: GroupChange[] = [];
  const keys = new Map([...before.records, ...now.records].map((one) => [keyOf(one), one]));
  await inTurns(keys, ([key, { owner: name, group_provider: provider, group_model: model }]) => {
    const [totalsBefore, totalsNow] = [toTotals(recordsBefore?.get(key)), toTotals(recordsNow?.get(key))];
    const group = {
      before: {
        totals: totalsBefore,
        prices: before.pricesOf(provider, model),
        ownerCalls: callsBefore?.get(name) ?? 0n,
      },
      now: { totals: totalsNow, prices: now.pricesOf(provider, model), ownerCalls: callsNow?.get(name) ?? 0n },
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

const keyOf = ({ owner, group_provider, group_model }: GroupRecord): string =>
  JSON.stringify([owner, group_provider, group_model]);

/** The calls of each owner with all models. */
function countCalls(records: readonly GroupRecord[]): ReadonlyMap<string, bigint> {
  const calls = new Map<string, bigint>();
  for (const { owner, sum_calls } of records) calls.set(owner, (calls.get(owner) ?? 0n) + BigInt(sum_calls));
  return calls;
}

function toTotals(record: GroupRecord | undefined): Totals {
  const units = Object.entries(record?.sum_units ?? {});
  return {
    calls: BigInt(record?.sum_calls ?? 0),
    failed: BigInt(record?.sum_errors ?? 0),
    // One entry for each bucket.
    tokens: Object.fromEntries(
      usageBuckets.map((bucket, index) => [bucket, BigInt(record?.tokens[index] ?? 0)]),
    ) as Record<UsageBucket, bigint>,
    // Events can only name these units.
    units: new Map(units.map(([name, count]) => [name as UnitName, parseMoney(count) ?? 0n])),
    cost: parseWideMoney(record?.sum_cost ?? '0'),
  };
}
