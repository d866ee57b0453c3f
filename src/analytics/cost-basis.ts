import type { Parameters } from '../clickhouse/analytic-store.ts';

/**
 * What a call costs in an answer: its gross cost, or what free credits leave of it (D7.3). The expression is a decimal of
 * at most 30 fractional digits, to be summed up in `FROM calls FINAL <join> WHERE …`.
 */
export interface CostBasis {
  readonly expression: string;
  readonly join: string;
  readonly parameters: Parameters;
}

export const grossCost: CostBasis = { expression: 'cost', join: '', parameters: {} };
