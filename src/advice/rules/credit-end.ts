import { spellUsd } from '../../alerts/wording.ts';
import { findLastEnd, type GrantBalance, listInUse } from '../../credits/grant-end.ts';
import { addDays, type Day } from '../../lib/days.ts';
import { pagePath } from '../../lib/page-path.ts';
import { type Step, type StepDays, toMonth } from '../step.ts';

/** An end that is further away is no next step. */
const soonDays = 60;

interface CoveredCost {
  readonly grants: readonly (GrantBalance & { readonly used: number })[];
  readonly today: Day;
  /** What credits covered on the days, in USD. */
  readonly covered: number;
}

/** The cost to pay once the last credits end, if they end soon. */
export function findCreditEnd({ grants, today, covered }: CoveredCost, days: StepDays): Step[] {
  const last = findLastEnd(listInUse(grants, today));
  if (!last || last.day > addDays(today, soonDays)) return [];
  const amount = toMonth(covered, days);
  return [
    {
      kind: 'credit_end',
      subject: last.grant.name ?? last.grant.provider,
      amount_per_month: amount,
      reason: `Free credits cover ${spellUsd(amount)} of cost a month, and the last of them end on ${last.day}.`,
      link: pagePath(['credits']),
    },
  ];
}
