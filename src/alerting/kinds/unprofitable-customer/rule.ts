import { Temporal } from 'temporal-polyfill';
import { type Day, dayOf, type Period } from '../../../lib/days.ts';
import { linkPath } from '../../../lib/link-path.ts';
import type { MarginRow } from '../../../reports/margin/run.ts';
import { askMargin, type LookContext } from '../../rule/ask.ts';
import type { Cause } from '../../rule/cause.ts';
import type { SettingsOf } from '../../rule/kind.ts';
import type { LookFor } from '../../rule/look.ts';
import { spellPaid, spellPct, spellUsd } from '../../rule/wording.ts';
import type { unprofitableCustomer } from './kind.ts';

/** A customer's row of `POST /api/margin/` for the month. */
type CustomerMargin = Pick<MarginRow, 'revenue' | 'cost' | 'margin' | 'margin_pct'> & { readonly customer: string };

/** Reads the margin of each customer in a month. A month that was over before the kind was watched is not judged. */
export async function lookAtMargins(look: LookFor<typeof unprofitableCustomer>): Promise<Cause[]> {
  const { project, watch, settings } = look;
  const month = resolveMonth(look.today);
  if (project.type !== 'revenue' || month.dateTo < dayOf(project.timezone, watch.since)) return [];
  if (!(await hasRevenue(look))) return [];
  const rows = await askMargin(look, {
    date_from: month.dateFrom,
    date_to: month.dateTo,
    aggregate: 'all',
    group_by: 'customer',
    apply_credits: settings.apply_credits,
  });
  return findUnprofitableCustomers(
    { rows: rows.map(({ customer = '', ...amounts }) => ({ customer, ...amounts })), month },
    settings,
  );
}

/** How many days of a month must be over before it is judged; until then the month before is. */
const leastDays = 7;

/** The month whose margin is judged today: the running one up to today, or in its first week the one before. */
export function resolveMonth(today: Day): Period {
  const day = Temporal.PlainDate.from(today);
  const first = day.with({ day: 1 });
  if (day.day > leastDays) return { dateFrom: first.toString(), dateTo: today };
  return { dateFrom: first.subtract({ months: 1 }).toString(), dateTo: first.subtract({ days: 1 }).toString() };
}

/** Whether revenue was ever entered: without it there is no margin to judge. */
async function hasRevenue({ project, sources }: LookContext): Promise<boolean> {
  const entry = await sources.control
    .selectFrom('revenue_entries')
    .select('external_id')
    .where('project_id', '=', project.id)
    .limit(1)
    .executeTakeFirst();
  return entry !== undefined;
}

/** A margin within this many percentage points above the limit keeps a firing open. */
const slackPoints = 2;

/**
 * Customers whose margin in the month is below the limit. Nothing fires for a month without any revenue, because then
 * none has been entered. Calls without a customer are left out.
 */
export function findUnprofitableCustomers(
  { rows, month }: { readonly rows: readonly CustomerMargin[]; readonly month: Period },
  { margin_below_pct: limit, least_cost: leastCost, apply_credits: credits }: SettingsOf<typeof unprofitableCustomer>,
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
          `From ${month.dateFrom} to ${month.dateTo}, ${customer} ${spellPaid(revenue, cost)} and cost ${spellUsd(cost, revenue)}: ` +
          `a margin of ${spellUsd(margin, cost)}${revenue > 0 ? `, or ${spellPct(marginPct)}` : ''}.`,
        path: linkPath(['customers', customer], {
          from: month.dateFrom,
          to: month.dateTo,
          ...(credits && { credits: 'true' }),
        }),
      },
    ];
  });
}
