import { byName } from '../../lib/by-name.ts';
import { compareCodePoints } from '../../lib/code-points.ts';
import type { WatchedDimension } from '../../lib/dimensions.ts';
import { type WideMoney, wideToJsonNumber } from '../../lib/money.ts';
import { type ChangeCause, causes, noParts, type Parts } from './causes.ts';

/** Costs in both ranges, and their difference as parts. */
export interface Change {
  readonly costBefore: WideMoney;
  readonly cost: WideMoney;
  readonly parts: Parts;
}

/** What is ranked by each dimension. */
export type RankedBy<Ranked> = Readonly<Record<`by_${WatchedDimension}`, Ranked>>;
/** Rows by each dimension, with the name of each under that of its dimension. */
export type RowsBy<Row> = RankedBy<{
  readonly rows: readonly (Row & Readonly<Partial<Record<WatchedDimension, string>>>)[];
}>;

export function sumChanges(changes: Iterable<Change>): Change {
  const [sum, parts] = [{ costBefore: 0n, cost: 0n }, { ...noParts }];
  for (const change of changes) {
    sum.costBefore += change.costBefore;
    sum.cost += change.cost;
    for (const cause of causes) parts[cause] += change.parts[cause];
  }
  return { ...sum, parts };
}

const differenceOf = ({ costBefore, cost }: Change): WideMoney => cost - costBefore;

export const toAmounts = (change: Change) => ({
  cost_before: wideToJsonNumber(change.costBefore),
  cost: wideToJsonNumber(change.cost),
  difference: wideToJsonNumber(differenceOf(change)),
  parts: byName(causes, (cause) => wideToJsonNumber(change.parts[cause])),
});

/**
 * By the values of a dimension or a tag: at most `limit` rows, the largest first, and all others; and the same for each cause.
 * Rows, and causes, add up to the whole difference.
 */
export function rankBy<D extends WatchedDimension | 'tag', Item extends Change>(
  dimension: D,
  items: readonly Item[],
  nameOf: (item: Item) => string,
  limit: number,
) {
  const names = Array.from(Map.groupBy(items, nameOf), ([name, of]) => ({ name, change: sumChanges(of) }));
  const named = <Fields extends object>(name: string, fields: Fields) =>
    // The computed key is the name of the dimension, or `tag`.
    ({ [dimension]: name, ...fields }) as { [K in D]: string } & Fields;
  const { first, rest } = cut(names, ({ change }) => differenceOf(change), limit);
  return {
    rows: first.map(({ name, change }) => named(name, toAmounts(change))),
    others: { count: rest.length, ...toAmounts(sumChanges(rest.map(({ change }) => change))) },
    causes: sortByAmount(
      causes.map((cause) => ({ name: cause, rows: names.filter(({ change }) => change.parts[cause] !== 0n) })),
      ({ name: cause, rows }) => sum(rows, cause),
    ).map(({ name: cause, rows }) => {
      const ofCause = cut(rows, ({ change }) => change.parts[cause], limit);
      return {
        cause,
        amount: wideToJsonNumber(sum(rows, cause)),
        rows: ofCause.first.map(({ name, change }) => named(name, { amount: wideToJsonNumber(change.parts[cause]) })),
        others: { count: ofCause.rest.length, amount: wideToJsonNumber(sum(ofCause.rest, cause)) },
      };
    }),
  };
}

const sum = (rows: readonly { readonly change: Change }[], cause: ChangeCause): WideMoney =>
  rows.reduce((total, { change }) => total + change.parts[cause], 0n);

/** The largest change first, whether up or down; equal changes in the order of their names. */
function sortByAmount<Item extends { readonly name: string }>(
  items: readonly Item[],
  amountOf: (item: Item) => WideMoney,
): Item[] {
  const size = (item: Item) => {
    const amount = amountOf(item);
    return amount < 0n ? -amount : amount;
  };
  return items
    .map((item) => ({ item, size: size(item) }))
    .sort((a, b) => (a.size === b.size ? compareCodePoints(a.item.name, b.item.name) : a.size > b.size ? -1 : 1))
    .map(({ item }) => item);
}

function cut<Item extends { readonly name: string }>(
  items: readonly Item[],
  amountOf: (item: Item) => WideMoney,
  limit: number,
): { readonly first: Item[]; readonly rest: Item[] } {
  const sorted = sortByAmount(items, amountOf);
  return { first: sorted.slice(0, limit), rest: sorted.slice(limit) };
}
