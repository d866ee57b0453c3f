import { Temporal } from 'temporal-polyfill';
import type { Day, Period } from '../../../lib/days.ts';
import type { CustomerMargin } from '../rules/unprofitable-customer.ts';
import { type Asker, askMargin } from './ask.ts';

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
export async function hasRevenue({ project, sources }: Asker): Promise<boolean> {
  const entries = await sources.control
    .selectFrom('revenue_entries')
    .select('external_id')
    .where('project_id', '=', project.id)
    .limit(1)
    .execute();
  return entries.length > 0;
}

/** The margin of each customer in a month. */
export async function readCustomerMargins(
  asker: Asker,
  { month, applyCredits }: { readonly month: Period; readonly applyCredits: boolean },
): Promise<CustomerMargin[]> {
  const rows = await askMargin(asker, {
    date_from: month.dateFrom,
    date_to: month.dateTo,
    aggregate: 'all',
    group_by: 'customer',
    apply_credits: applyCredits,
  });
  return rows.map(({ customer = '', revenue, cost, margin, margin_pct }) => ({
    customer,
    revenue,
    cost,
    margin,
    margin_pct,
  }));
}
