import { spellUsd } from '../../alerts/wording.ts';
import { pagePath } from '../../lib/page-path.ts';
import { bucketNames, usageBuckets } from '../../lib/usage-buckets.ts';
import type { ModelUsage } from '../model-usage.ts';
import { type Step, type StepDays, toMonth } from '../step.ts';

/** A smaller model of the same family, and its prices in USD per million tokens of each bucket; null is no price. */
export interface SmallerModel {
  readonly name: string;
  readonly perMtok: Readonly<Record<(typeof usageBuckets)[number], number | null>>;
  /** USD per call. */
  readonly perRequest: number;
}

/**
 * Models whose usage would cost less with the next smaller model of their family. Only models whose calls all have a
 * price, and are charged by tokens alone.
 */
export const findModelSwaps = (
  models: readonly ModelUsage[],
  smallerOf: (model: string) => SmallerModel | undefined,
  days: StepDays,
): Step[] =>
  models.flatMap((usage): Step[] => {
    const { model, unpricedCalls, hasUnits, cost } = usage;
    if (unpricedCalls > 0 || hasUnits || cost === 0) return [];
    const smaller = smallerOf(model);
    const other = smaller && costWith(usage, smaller);
    if (!smaller || other === undefined || other >= cost) return [];
    const amount = toMonth(cost - other, days);
    return [
      {
        kind: 'model_swap',
        subject: `${model} → ${smaller.name}`,
        amount_per_month: amount,
        reason: `The calls of ${model} would cost ${spellUsd(amount)} a month less with ${smaller.name}, if a trial shows that its answers are good enough.`,
        link: pagePath(['calls'], { from: days.from, to: days.to, models: [model] }),
      },
    ];
  });

/** What the same usage costs, in USD; undefined where a kind of token has no price. */
function costWith({ tokens, calls }: ModelUsage, { perMtok, perRequest }: SmallerModel): number | undefined {
  let cost = calls * perRequest;
  for (const bucket of usageBuckets) {
    const count = tokens[bucketNames[bucket]] ?? 0;
    const rate = perMtok[bucket];
    if (count > 0 && rate === null) return undefined;
    cost += (count * (rate ?? 0)) / 1_000_000;
  }
  return cost;
}
