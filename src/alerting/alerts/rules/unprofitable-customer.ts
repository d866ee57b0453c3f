import type { Period } from '../../../lib/days.ts';
import { pagePath } from '../../../lib/page-path.ts';
import type { Cause } from '../cause.ts';
import type { Settings } from '../settings.ts';
import { spellPct, spellUsd } from '../wording.ts';

/** A customer's row of `POST /api/margin/` for the month. */
export interface CustomerMargin {
  readonly customer: string;
  /** USD. */
  readonly revenue: number;
  /** USD. */
  readonly cost: number;
  /** USD. */
  readonly margin: number;
  readonly margin_pct: number;
}

/** A margin within this many percentage points above the limit keeps a firing open. */
const slackPoints = 2;

/**
 * Customers whose margin in the month is below the limit. Nothing fires for a month without any revenue, because then
 * none has been entered. Calls without a customer are left out.
 */
export function findUnprofitableCustomers(
  { rows, month }: { readonly rows: readonly CustomerMargin[]; readonly month: Period },
  { margin_below_pct: limit, least_cost: leastCost, apply_credits: credits }: Settings<'unprofitable_customer'>,
): Cause[] {
  if (!rows.some(({ revenue }) => revenue !== 0)) return [];
  return rows.flatMap(({ customer, revenue, cost, margin, margin_pct: marginPct }): Cause[] => {
    if (customer === '' || cost < leastCost || cost === 0 || marginPct >= limit + slackPoints) return [];
    return [
      {
        subject: { customer },
        customer,
        state: marginPct < limit ? 'holds' : 'lingers',
        numbers: {
          date_from: month.dateFrom,
          date_to: month.dateTo,
          revenue,
          cost,
          margin,
          margin_pct: marginPct,
          margin_below_pct: limit,
        },
        title:
          margin < 0 ? `${customer} costs more than it pays` : `The margin of ${customer} is ${spellPct(marginPct)}`,
        text:
          `From ${month.dateFrom} to ${month.dateTo}, ${customer} earned ${spellUsd(revenue)} and cost ${spellUsd(cost)}: ` +
          `a margin of ${spellUsd(margin)}${revenue > 0 ? `, or ${spellPct(marginPct)}` : ''}.`,
        path: pagePath(['customers', customer], {
          from: month.dateFrom,
          to: month.dateTo,
          ...(credits && { credits: 'true' }),
        }),
      },
    ];
  });
}
