import { sql } from 'kysely';
import { type Period, toDayNumber } from '../../lib/days.ts';
import type { Money } from '../../lib/money.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import { allocate, calcEarned } from './allocation.ts';
import { parseAmount, rateOf, selectCounted, toUsd } from './counted.ts';

/** Entries of one Stripe customer or currency, with their summed earnings in a range. */
export interface RevenueGroup {
  readonly name: string;
  readonly amount: Money;
  readonly entries: number;
}

/** In USD, of Stripe customers that neither metadata nor a pair maps to a customer (D17.2). */
export async function readUnmappedRevenue(
  control: ControlQueries,
  projectId: string,
  range: Period,
): Promise<RevenueGroup[]> {
  const rows = await selectCounted(control, projectId)
    .select(['stripe_customer', 'amount', 'date_from', 'date_to', rateOf.as('rate')])
    .where('stripe_customer', 'is not', null)
    .where('is_named', '=', 0)
    .whereRef('customer', '=', 'stripe_customer')
    .where('date_to', '>=', range.dateFrom)
    .where('date_from', '<=', range.dateTo)
    .where(
      sql<boolean>`not exists (select 1 from stripe_customers as pairs where pairs.project_id = revenue_entries.project_id
        and pairs.stripe_customer = revenue_entries.stripe_customer)`,
    )
    .execute();
  return sumGroups(
    rows.map((row) => ({ ...row, name: row.stripe_customer ?? '', money: toUsd(row.amount, row.rate) })),
    range,
  );
}

/** Revenue with a day in the range that does not count for lack of an exchange rate, by its currency (D17.3). */
export async function readRevenueWithoutRate(
  control: ControlQueries,
  projectId: string,
  range: Period,
): Promise<RevenueGroup[]> {
  const rows = await control
    .selectFrom('revenue_entries')
    .select(['currency', 'amount', 'date_from', 'date_to'])
    .where('project_id', '=', projectId)
    .where('currency', '!=', 'USD')
    .where(rateOf, 'is', null)
    .where('date_to', '>=', range.dateFrom)
    .where('date_from', '<=', range.dateTo)
    .execute();
  return sumGroups(
    rows.map((row) => ({ ...row, name: row.currency, money: parseAmount(row.amount) })),
    range,
  );
}

interface GroupedEntry {
  readonly name: string;
  readonly money: Money;
  readonly date_from: string;
  readonly date_to: string;
}

/** The groups, those with the most money first. */
function sumGroups(rows: readonly GroupedEntry[], range: Period): RevenueGroup[] {
  const span = { from: toDayNumber(range.dateFrom), to: toDayNumber(range.dateTo) };
  const groups = [...Map.groupBy(rows, ({ name }) => name)].map(([name, entries]) => ({
    name,
    amount: entries.reduce((sum, { money, date_from: from, date_to: to }) => {
      const days = { from: toDayNumber(from), to: toDayNumber(to) };
      return sum + calcEarned(allocate(money, days), span);
    }, 0n),
    entries: entries.length,
  }));
  return groups.sort((a, b) => (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1));
}
