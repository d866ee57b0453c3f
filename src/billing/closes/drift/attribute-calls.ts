import type { Day } from '../../../lib/days.ts';
import type { WideMoney } from '../../../lib/money.ts';
import type { DriftCause, DriftPart } from './drift-part.ts';

/** The day and customer under which calls are in an answer, and their cost. */
export interface PlacedCost {
  readonly day: Day;
  readonly customer: string;
  readonly cost: WideMoney;
}

/** As of a close and now, paired by event id. Pairs that differ only in cost are summed. */
export interface CallPairs {
  /** Undefined for calls that are only current. */
  readonly pinned: PlacedCost | undefined;
  /** Undefined for calls that are only as of the close. */
  readonly current: PlacedCost | undefined;
  /** Whether an erasure since the close has deleted its events, and none has come. */
  readonly isErased: boolean;
  /** Of calls without a pair: whether they are after the close's last day in the timezone of the other side. */
  readonly isOverEdge: boolean;
  readonly hasSameTime: boolean;
  readonly hasSameUsage: boolean;
  readonly hasSameBook: boolean;
  /** Whether a reread since the close has read its events otherwise. */
  readonly isReread: boolean;
}

/** Splits the difference of the pairs' costs by cause. The parts of a pair add up to its difference at each place. */
export const attributeCalls = (pairs: readonly CallPairs[]): DriftPart[] => pairs.flatMap(attributePair);

function attributePair(pair: CallPairs): DriftPart[] {
  const { pinned, current, isErased, isOverEdge } = pair;
  const ofEvents = isErased ? 'erasure' : 'late_events';
  if (!pinned) return current ? [partOf(current, isOverEdge ? 'timezone' : ofEvents, current.cost)] : [];
  if (!current) {
    const cause = isOverEdge && !isErased ? 'timezone' : ofEvents;
    return [partOf(pinned, cause, -pinned.cost)];
  }
  const isReprice = (pair.hasSameUsage && !pair.hasSameBook) || pair.isReread;
  const change = partOf(current, isReprice ? 'reprice' : ofEvents, current.cost - pinned.cost);
  const hasMoved = pinned.day !== current.day || pinned.customer !== current.customer;
  if (!hasMoved) return [change];
  const cause = pinned.day !== current.day && pair.hasSameTime ? 'timezone' : ofEvents;
  return [partOf(pinned, cause, -pinned.cost), partOf(current, cause, pinned.cost), change];
}

const partOf = ({ day, customer }: PlacedCost, cause: DriftCause, amount: WideMoney): DriftPart => ({
  day,
  customer,
  cause,
  of: 'cost',
  amount,
});
