import { pagePath } from '../../../lib/page-path.ts';
import { spellCount, spellUsd } from '../../alerts/wording.ts';
import { type ModelUsage, sumTokens } from '../model-usage.ts';
import { type Step, type StepDays, toMonth } from '../step.ts';

/**
 * Models with calls that have no price, unless they have one by now. Their cost is estimated with the average price of a token of the models whose
 * calls all have a price. Without such a model there is no estimate.
 */
export function findUnpricedModels(
  models: readonly ModelUsage[],
  pricedNow: ReadonlySet<string>,
  days: StepDays,
): Step[] {
  const priced = models.filter(({ unpricedCalls }) => unpricedCalls === 0);
  const tokens = priced.reduce((sum, model) => sum + sumTokens(model), 0);
  if (tokens === 0) return [];
  const average = priced.reduce((sum, { cost }) => sum + cost, 0) / tokens;
  return models.flatMap((model): Step[] => {
    const { model: subject, unpricedCalls, calls } = model;
    if (unpricedCalls === 0 || pricedNow.has(subject)) return [];
    const amount = toMonth(average * sumTokens(model) * (unpricedCalls / calls), days);
    return [
      {
        kind: 'unpriced_model',
        subject,
        amount_per_month: amount,
        reason: `${spellCount(unpricedCalls, 'call')} of ${subject || 'no model'} ${unpricedCalls === 1 ? 'has' : 'have'} no price: about ${spellUsd(amount)} a month at the average price of a token of your other models.`,
        link: pagePath(['calls'], { from: days.from, to: days.to, models: [subject] }),
      },
    ];
  });
}
