import { compareCodePoints } from '../../lib/code-points.ts';
import type { WideMoney } from '../../lib/money.ts';

export interface Figures {
  readonly cost: WideMoney;
  readonly calls: number;
  readonly errors: number;
  readonly unpricedCalls: number;
}

export const noFigures: Figures = { cost: 0n, calls: 0, errors: 0, unpricedCalls: 0 };

export const addFigures = (a: Figures, b: Figures): Figures => ({
  cost: a.cost + b.cost,
  calls: a.calls + b.calls,
  errors: a.errors + b.errors,
  unpricedCalls: a.unpricedCalls + b.unpricedCalls,
});

/** The values that have a series of their own, and the figures of all others together. */
export interface Kept {
  /** By cost, the highest first. */
  readonly named: readonly (readonly [value: string, figures: Figures])[];
  /** Undefined when every value is named. */
  readonly rest: Figures | undefined;
}

/** Keeps the `most` values that cost most. Values with equal costs are ordered by more calls, then by name. */
export function keepDearest(figures: ReadonlyMap<string, Figures>, most: number): Kept {
  const sorted = [...figures].sort(([a, ofA], [b, ofB]) => {
    if (ofA.cost !== ofB.cost) return ofA.cost > ofB.cost ? -1 : 1;
    return ofB.calls - ofA.calls || compareCodePoints(a, b);
  });
  const others = sorted.slice(most);
  return {
    named: sorted.slice(0, most),
    rest: others.length === 0 ? undefined : others.reduce((sum, [, one]) => addFigures(sum, one), noFigures),
  };
}
