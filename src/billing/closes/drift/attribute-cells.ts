import type { WideMoney } from '../../../lib/money.ts';
import type { PlacedCost } from './attribute-calls.ts';
import type { DriftCause, DriftPart } from './drift-part.ts';

export interface CellSums extends PlacedCost {
  readonly calls: number;
  /** The share of the cost that credits cover. */
  readonly covered: WideMoney;
}

/** Both sides of a day and customer; a side without calls is undefined. */
interface Sides {
  pinned?: CellSums;
  current?: CellSums;
}

function pairUp(pinned: readonly CellSums[], current: readonly CellSums[]): Sides[] {
  const places = new Map<string, Sides>();
  const at = ({ day, customer }: CellSums): Sides => {
    const key = JSON.stringify([day, customer]);
    const known = places.get(key) ?? {};
    places.set(key, known);
    return known;
  };
  for (const sums of pinned) at(sums).pinned = sums;
  for (const sums of current) at(sums).current = sums;
  return [...places.values()];
}

/** The difference of days whose calls are deleted, by cause. Each side has each day and customer at most once. */
export const attributeCells = (pinned: readonly CellSums[], current: readonly CellSums[]): DriftPart[] =>
  pairUp(pinned, current).flatMap((sides) =>
    partOf(sides, {
      cause: sides.pinned?.calls === sides.current?.calls ? 'reprice' : 'late_events',
      of: 'cost',
      amount: (sides.current?.cost ?? 0n) - (sides.pinned?.cost ?? 0n),
    }),
  );

/** The difference of what credits cover. Each side has each day and customer at most once. */
export const attributeCredits = (pinned: readonly CellSums[], current: readonly CellSums[]): DriftPart[] =>
  pairUp(pinned, current).flatMap((sides) =>
    partOf(sides, {
      cause: 'credits',
      of: 'credits',
      amount: (sides.current?.covered ?? 0n) - (sides.pinned?.covered ?? 0n),
    }),
  );

function partOf(
  { pinned, current }: Sides,
  part: { readonly cause: DriftCause; readonly of: 'cost' | 'credits'; readonly amount: WideMoney },
): DriftPart[] {
  const place = current ?? pinned;
  return place && part.amount !== 0n ? [{ day: place.day, customer: place.customer, ...part }] : [];
}
