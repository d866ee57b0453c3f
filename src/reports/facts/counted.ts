import { type SelectQueryBuilder, sql } from 'kysely';
import type { Day } from '../../lib/days.ts';
import { decimal, type Money, multiplyDecimals, parseDecimal, toMoney } from '../../lib/money.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import type { ControlSchema, RevenueEntryRow } from '../../storage/control/schema/schema.ts';

/** Revenue as answers count it: in USD, with the customer that it maps to. */
export interface CountedRevenue {
  readonly externalId: string;
  readonly customer: string;
  readonly amount: Money;
  /** First and last day, inclusive. */
  readonly dateFrom: Day;
  readonly dateTo: Day;
}

export interface CountedPage {
  /** Only entries after this external id, in code-point order. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A page of the revenue that a project counts, by external id: mapped to its customers and converted to USD (D17). */
export async function readCountedRevenue(
  control: ControlQueries,
  projectId: string,
  { after, limit }: CountedPage,
): Promise<CountedRevenue[]> {
  let query = selectCounted(control, projectId);
  if (after !== undefined) query = query.where('external_id', '>', after);
  const rows = await query
    .select(['external_id', 'customer', 'amount', 'date_from', 'date_to', rateOf.as('rate')])
    .orderBy('external_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    externalId: row.external_id,
    customer: row.customer,
    amount: toUsd(row.amount, row.rate),
    dateFrom: row.date_from,
    dateTo: row.date_to,
  }));
}

/** The entries of a project that count: those in USD, and those in a currency with a rate on or before their day. */
export const selectCounted = (
  control: ControlQueries,
  projectId: string,
): SelectQueryBuilder<ControlSchema, 'revenue_entries', object> =>
  control
    .selectFrom('revenue_entries')
    .where('revenue_entries.project_id', '=', projectId)
    .where(
      sql<boolean>`(revenue_entries.currency = 'USD' or exists (
        select 1 from exchange_rates where ${isRateOfEntry}))`,
    );

const isRateOfEntry = sql`exchange_rates.project_id = revenue_entries.project_id
  and exchange_rates.currency = revenue_entries.currency and exchange_rates.day <= revenue_entries.rate_day`;

/** USD, the last rate on or before an entry's day (D17.3); null for an entry in USD, or without a rate. */
export const rateOf = sql<string | null>`case when revenue_entries.currency = 'USD' then null else (
  select exchange_rates.usd from exchange_rates where ${isRateOfEntry} order by exchange_rates.day desc limit 1) end`;

/** In USD, rounded once, half-even, to 12 digits; a `rate` of null is that of USD. */
export function toUsd(amount: string, rate: string | null): Money {
  const exact = parseAmount(amount);
  const each = rate === null ? null : parseDecimal(rate);
  return each === null ? exact : toMoney(multiplyDecimals(decimal(exact, 12), each));
}

/** An amount as `formatMoney` writes it, with 12 fractional digits. Simple for speed. */
export const parseAmount = (text: string): Money => BigInt(text.replace('.', ''));

/** A revenue entry that counts, with its amount as it is stored. */
type CountedEntryRow = Pick<RevenueEntryRow, 'customer' | 'amount' | 'date_from' | 'date_to'> & {
  /** The exchange rate that converts the amount; null for an amount in USD. */
  rate: string | null;
};

/** Counted revenue entries to select from, under the name `entries`. */
export type CountedEntries = SelectQueryBuilder<ControlSchema & { entries: CountedEntryRow }, 'entries', object>;

export const countedNow = (control: ControlQueries, projectId: string): CountedEntries =>
  control.selectFrom(
    selectCounted(control, projectId)
      .select(['customer', 'amount', 'date_from', 'date_to', rateOf.as('rate')])
      .as('entries'),
  );

export const countedAtClose = (control: ControlQueries, closeId: string): CountedEntries =>
  control.selectFrom((from) =>
    from
      .selectFrom('pinned_revenue')
      .where('close_id', '=', closeId)
      .select(({ lit }) => [
        'customer',
        'amount',
        'date_from',
        'date_to',
        lit(null).$castTo<string | null>().as('rate'),
      ])
      .as('entries'),
  );
