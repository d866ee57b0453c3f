import type { WideMoney } from '../../lib/money.ts';
import type { Problem } from '../../lib/problem.ts';
import { type Budget, type BudgetSpan, beginOf, isAllowed, type Window } from './budget.ts';

/** What was spent, by the value of `each`; a budget without `each` has one sum, under `''`. */
export type Sums = ReadonlyMap<string, WideMoney>;

/** What was spent in a slot, which begins at this instant, in milliseconds since 1970. */
export type SlotSum = readonly [slot: number, spent: WideMoney];
/** As `Sums`, by slot, in order. */
export interface SlotSums {
  readonly byValue: ReadonlyMap<string, readonly SlotSum[]>;
  /** How many sums there are. */
  readonly size: number;
}

/** What was spent on a budget in the period of an instant. */
export interface Spending {
  readonly budget: Budget;
  readonly span: BudgetSpan;
  /** Sums to add up: those of sealed days, and those of open days. */
  readonly parts: readonly Sums[];
  /** Of a window: the sums of its first day, which it leaves slot by slot. */
  readonly leaving: readonly SlotSums[];
  /** Why the sums are not known: there are `too_many` values, or reading was refused. */
  readonly failure: 'too_many' | Problem | undefined;
}

type SpentParts = Pick<Spending, 'parts' | 'leaving' | 'span'>;

/** What is spent at an instant for which the spending was read (`isInSpan`), in milliseconds since 1970. */
export const spentOf = (spending: SpentParts, nowMs: number, of = ''): WideMoney =>
  spending.parts.reduce((sum, part) => sum + (part.get(of) ?? 0n), 0n) + sumSlots(inWindow(spending, nowMs, of));

/** Sums by value, added up over the parts. */
export function totalOf(spending: SpentParts, nowMs: number): Map<string, WideMoney> {
  const total = new Map<string, WideMoney>();
  const add = (of: string, sum: WideMoney) => total.set(of, (total.get(of) ?? 0n) + sum);
  for (const part of spending.parts) for (const [of, sum] of part) add(of, sum);
  for (const { byValue } of spending.leaving) {
    for (const of of byValue.keys()) add(of, 0n);
  }
  if (spending.leaving.length > 0) {
    for (const [of, sum] of total) total.set(of, sum + sumSlots(inWindow(spending, nowMs, of)));
  }
  return total;
}

/** The slots of a window's first day that are still in it. */
function inWindow({ leaving, span: { times } }: SpentParts, nowMs: number, of: string): SlotSum[] {
  if (!times?.window || leaving.length === 0) return [];
  const from = beginOf(times.window, nowMs);
  return leaving.flatMap(({ byValue }) => (byValue.get(of) ?? []).filter(([slot]) => slot >= from));
}

const sumSlots = (slots: readonly SlotSum[]): WideMoney => slots.reduce((sum, [, spent]) => sum + spent, 0n);

/**
 * When more may be spent again: when the next period begins. For a window, when so much has left it that less than the
 * amount is in it; undefined while more may be spent, and where its whole first day does not suffice.
 */
export function calcResetsAt(
  spending: SpentParts & Pick<Spending, 'budget'>,
  nowMs: number,
  of = '',
): number | undefined {
  const { span, budget } = spending;
  const window = span.times?.window;
  if (!window) return span.resetsAt;
  let spent = spentOf(spending, nowMs, of);
  if (isAllowed(budget, spent)) return undefined;
  for (const [slot, sum] of inWindow(spending, nowMs, of).sort(([a], [b]) => a - b)) {
    spent -= sum;
    if (isAllowed(budget, spent)) return leavesAt(window, slot);
  }
  // What is spent since is not held by slot.
  return undefined;
}

const leavesAt = ({ lengthMs, slotMs }: Window, slot: number): number => slot + lengthMs + slotMs;

/** How many sums a spending holds. */
export const sizeOf = ({ parts, leaving }: Pick<Spending, 'parts' | 'leaving'>): number =>
  [...parts, ...leaving].reduce((sum, { size }) => sum + size, 0);
