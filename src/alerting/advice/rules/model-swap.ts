import { pagePath } from '../../../lib/page-path.ts';
import type { Alternatives } from '../../../reports/waste/parse.ts';
import { spellUsd } from '../../alerts/wording.ts';
import { type Step, type StepDays, toMonth } from '../step.ts';

/** What the calls of a model cost above the same usage, on the same terms, of its alternative. */
export interface DearerModel {
  readonly model: string;
  /** USD. */
  readonly amount: number;
}

/** Models whose usage would cost less with the next smaller model of their family, as waste has it. */
export const findModelSwaps = (dearer: readonly DearerModel[], smaller: Alternatives, days: StepDays): Step[] =>
  dearer.map(({ model, amount: saved }): Step => {
    const amount = toMonth(saved, days);
    const other = smaller.get(model) ?? '';
    return {
      kind: 'model_swap',
      subject: `${model} → ${other}`,
      amount_per_month: amount,
      reason: `The calls of ${model} would cost ${spellUsd(amount)} a month less with ${other}, if a trial shows that its answers are good enough.`,
      link: pagePath(['calls'], { from: days.from, to: days.to, models: [model] }),
    };
  });
