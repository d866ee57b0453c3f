import { z } from 'zod';
import { parseMoney, toJsonNumber } from '../../lib/money.ts';
import type { Difference, RebuildComparison } from './comparison.ts';

/* The parts of comparisons that the routes of reprices and of rebuilds share. */

export const difference = {
  before: z.number().describe('USD, gross.'),
  after: z.number().describe('USD, gross.'),
};

export const byCauseField = z
  .array(z.object({ cause: z.enum(['reading', 'price']), ...difference }))
  .describe(
    'What changes the cost, step by step: the reading of events, then prices, assumed ones included. Empty until it is `done`.',
  );

export type CauseOfDifference = z.output<typeof byCauseField>[number];

/** The amounts as JSON numbers: the doubles nearest to the stored decimals (D5.1). */
export const toNumbers = ({ before, after }: Difference) => ({ before: Number(before), after: Number(after) });

/** The revenue, and the margins before and after, as JSON numbers; null where no revenue is known. */
export function toMargins({ before, after }: Difference, revenue: string | undefined) {
  if (revenue === undefined) return { revenue: null, margin_before: null, margin_after: null };
  const margin = (cost: string) => toJsonNumber((parseMoney(revenue) ?? 0n) - (parseMoney(cost) ?? 0n));
  return { revenue: Number(revenue), margin_before: margin(before), margin_after: margin(after) };
}

/** The causes of a difference; none before there is a comparison. */
export const toCauses = (comparison: Pick<RebuildComparison, 'by_cause'> | undefined) =>
  (comparison?.by_cause ?? []).map((row) => ({ cause: row.cause, ...toNumbers(row) }));
