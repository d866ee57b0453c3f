import type { WideMoney } from '../../lib/money.ts';

/** The figures of some calls. */
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
