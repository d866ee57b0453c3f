import { findLastEnd, type GrantBalance, listInUse } from '../../../billing/credits/grant-end.ts';
import { addDays, type Day } from '../../../lib/days.ts';
import { type WideMoney, wideToJsonNumber } from '../../../lib/money.ts';
import { pagePath } from '../../../lib/page-path.ts';
import { type CoveredCosts, coveredShares, type DailyGross } from '../../../reports/facts/burn-down.ts';
import { openCovering } from '../../../reports/facts/covering.ts';
import { spellUsd } from '../../alerts/wording.ts';
import { type Step, type StepDays, toMonth } from '../step.ts';

/** An end that is further away is no next step. */
const soonDays = 60;

interface Credits {
  readonly grants: readonly (GrantBalance & { readonly used: number; readonly models: readonly string[] | null })[];
  /** The gross cost of the project by day, provider and model, and the shares that credits covered. */
  readonly costs: readonly DailyGross[];
  readonly burnDown: CoveredCosts;
  readonly today: Day;
}

/**
 * The cost to pay once credits end, if they end soon: for each grant, what credits covered of the models of which no
 * grant in use ends later. What a grant covered that is used up, of models that none in use covers, is paid already.
 */
export function findCreditEnds({ grants, costs, burnDown, today }: Credits, days: StepDays): Step[] {
  const inUse = listInUse(grants, today);
  const shareOf = coveredShares(burnDown);
  const grantsOf = openCovering(inUse);
  const covered = new Map<string, WideMoney>();
  const lastOf = new Map<string, ReturnType<typeof findLastEnd>>();
  for (const cost of costs) {
    const share = cost.day < days.from || cost.day > days.to ? 0n : shareOf(cost);
    if (share === 0n) continue;
    const key = JSON.stringify([cost.provider, cost.model]);
    if (!lastOf.has(key)) lastOf.set(key, findLastEnd([...grantsOf(cost)]));
    const id = lastOf.get(key)?.grant.id;
    if (id !== undefined) covered.set(id, (covered.get(id) ?? 0n) + cost.cost * share);
  }
  return inUse.flatMap((grant): Step[] => {
    const day = findLastEnd([grant])?.day;
    const total = covered.get(grant.id);
    if (total === undefined || day === undefined || day > addDays(today, soonDays)) return [];
    const amount = toMonth(wideToJsonNumber(total), days);
    return [
      {
        kind: 'credit_end',
        subject: grant.name ?? grant.provider,
        amount_per_month: amount,
        reason: `Free credits of ${grant.provider} cover ${spellUsd(amount)} of cost a month, and the last of them end on ${day}.`,
        link: pagePath(['credits']),
      },
    ];
  });
}
