import { type SelectQueryBuilder, sql } from 'kysely';
import type { Day } from '../../lib/days.ts';
import { decimal, type Money, multiplyDecimals, parseDecimal, toMoney } from '../../lib/money.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';
import type { ControlSchema } from '../../storage/control/schema.ts';

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

/**
 * The exchange rate of an entry, in USD: the last rate on or before its day (D17.3). Null for an entry in USD and when
 * there is no rate.
 */
export const rateOf = sql<string | null>`case when revenue_entries.currency = 'USD' then null else (
  select exchange_rates.usd from exchange_rates where ${isRateOfEntry} order by exchange_rates.day desc limit 1) end`;

/**
 * Converts an amount of an entry to USD, rounded once, half-even, to 12 digits.
 * @param rate null for an amount in USD
 */
export function toUsd(amount: string, rate: string | null): Money {
  const exact = parseAmount(amount);
  const each = rate === null ? null : parseDecimal(rate);
  return each === null ? exact : toMoney(multiplyDecimals(decimal(exact, 12), each));
}

/**
 * Parses an amount as `formatMoney` writes it, always with 12 fractional digits. Simple for speed: an answer can read
 * thousands.
 */
export const parseAmount = (text: string): Money => BigInt(text.replace('.', ''));
