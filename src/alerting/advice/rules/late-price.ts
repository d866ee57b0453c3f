import { pagePath } from '../../../lib/page-path.ts';
import { spellCount, spellUsd } from '../../alerts/wording.ts';
import type { LatePrice } from '../late-prices.ts';
import { mostGroups } from '../late-prices-sql.ts';
import { type Step, type StepDays, toMonth } from '../step.ts';

const cut = ` Only the ${spellCount(mostGroups, 'kind')} of alike calls with most calls are counted: a reprice covers all.`;

/** Prices that came after the calls: the page of the link previews a reprice of just these days, and applies it. */
export const findLatePrices = (late: readonly LatePrice[], days: StepDays): Step[] =>
  late.map(
    (price): Step => ({
      kind: 'late_price',
      subject: price.model,
      amount_per_month: toMonth(Math.abs(price.difference), days),
      reason: `${spellWhat(price)}: to reprice these days ${price.difference < 0 ? 'takes off' : 'adds'} ${spellUsd(Math.abs(price.difference))}.${price.isCut ? cut : ''}`,
      link: pagePath(['prices'], { from: price.from, to: price.to }),
    }),
  );

function spellWhat({ model, calls, unpricedCalls, from, to }: LatePrice): string {
  const named = `${spellCount(calls, 'call')} of ${model} from ${from} to ${to}`;
  const have = calls === 1 ? 'has' : 'have';
  if (unpricedCalls === calls) return `${named} had no price, and ${have} one now`;
  const without = unpricedCalls === 0 ? '' : `, ${unpricedCalls} of which had none,`;
  return `${named}${without} ${have} another price now`;
}
