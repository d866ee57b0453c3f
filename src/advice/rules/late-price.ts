import { spellCount, spellUsd } from '../../alerts/wording.ts';
import { pagePath } from '../../lib/page-path.ts';
import type { LatePrice } from '../late-prices.ts';
import { type Step, type StepDays, toMonth } from '../step.ts';

/** Prices that came after the calls: the page of the link previews a reprice of just these days, and applies it. */
export const findLatePrices = (late: readonly LatePrice[], days: StepDays): Step[] =>
  late.map(
    ({ model, calls, from, to, cost }): Step => ({
      kind: 'late_price',
      subject: model,
      amount_per_month: toMonth(cost, days),
      reason: `${spellCount(calls, 'call')} of ${model} from ${from} to ${to} had no price, and ${calls === 1 ? 'has' : 'have'} one now: to reprice these days adds about ${spellUsd(cost)}.`,
      link: pagePath(['prices'], { from, to }),
    }),
  );
