import { pagePath } from '../../../lib/page-path.ts';
import type { WasteCause } from '../../../reports/waste/causes.ts';
import type { Waste } from '../../../reports/waste/run.ts';
import { spellUsd } from '../../alerts/wording.ts';
import { type Step, type StepDays, toMonth } from '../step.ts';

/** The reason to give for each cause; model swaps are steps of their own. */
const reasons: Readonly<Record<Exclude<WasteCause, 'dearer_model'>, (amount: string) => string>> = {
  failed: (amount) => `Calls that failed cost ${amount} a month.`,
  retried: (amount) => `Calls that try again after a failure cost up to ${amount} a month.`,
  aborted: (amount) => `Calls whose answers were not read to the end cost ${amount} a month.`,
  uncached_input: (amount) =>
    `Prompts that follow others of their size within 5 minutes, and used no cache, cost up to ${amount} a month more than cached ones.`,
};

/** Money that was wasted, by cause. */
export const findWaste = ({ rows }: Pick<Waste, 'rows'>, days: StepDays): Step[] =>
  rows.flatMap(({ cause, amount: wasted }): Step[] => {
    if (cause === 'dearer_model') return [];
    const amount = toMonth(wasted, days);
    return [
      {
        kind: 'waste',
        subject: cause,
        amount_per_month: amount,
        reason: reasons[cause](spellUsd(amount)),
        link: pagePath(['calls'], { from: days.from, to: days.to, waste: [cause] }),
      },
    ];
  });
