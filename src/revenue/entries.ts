import { type ControlStore, lockProject } from '../control/control-store.ts';
import type { RevenueEntryRow } from '../control/schema.ts';
import type { Clock } from '../lib/clock.ts';
import type { Day } from '../lib/days.ts';
import { formatMoney, type Money } from '../lib/money.ts';

/** Revenue of a customer, earned evenly over its days (D8.1). */
export interface RevenueEntry {
  /** The caller's own id of the entry. An entry with the same id replaces this one. */
  readonly externalId: string;
  readonly customer: string;
  /** May be negative: a refund. */
  readonly amount: Money;
  /** First and last day, inclusive. */
  readonly dateFrom: Day;
  readonly dateTo: Day;
}

export interface StoredRevenueEntry extends RevenueEntry {
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * Stores all entries or none. An entry replaces the stored one with the same `external_id` (D8.1). Ids must be
 * distinct.
 */
export async function storeEntries(
  control: ControlStore,
  projectId: string,
  entries: readonly RevenueEntry[],
  clock: Clock,
): Promise<void> {
  const now = clock();
  const rows = entries.map(
    ({ externalId, customer, amount, dateFrom, dateTo }): RevenueEntryRow => ({
      project_id: projectId,
      external_id: externalId,
      customer,
      amount: formatMoney(amount),
      date_from: dateFrom,
      date_to: dateTo,
      created_at: now,
      updated_at: now,
    }),
  );
  await control.transaction().execute(async (transaction) => {
    await lockProject(transaction, projectId);
    await transaction
      .insertInto('revenue_entries')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'external_id']).doUpdateSet((row) => ({
          customer: row.ref('excluded.customer'),
          amount: row.ref('excluded.amount'),
          date_from: row.ref('excluded.date_from'),
          date_to: row.ref('excluded.date_to'),
          updated_at: row.ref('excluded.updated_at'),
        })),
      )
      .execute();
  });
}

/** Deletes an entry; false when there is none. */
export async function deleteEntry(control: ControlStore, projectId: string, externalId: string): Promise<boolean> {
  const result = await control
    .deleteFrom('revenue_entries')
    .where('project_id', '=', projectId)
    .where('external_id', '=', externalId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export interface EntryFilter {
  readonly customer: string | undefined;
  /** Only entries with a day from `dateFrom` to `dateTo`, inclusive; undefined leaves that end open. */
  readonly dateFrom: Day | undefined;
  readonly dateTo: Day | undefined;
}

/** The entries that the filter selects, by external id in code-point order, after `after`, at most `limit`. */
export async function listEntries(
  control: ControlStore,
  projectId: string,
  { customer, dateFrom, dateTo }: EntryFilter,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<StoredRevenueEntry[]> {
  // No customer's name holds a NUL, which PostgreSQL rejects in a query.
  if (customer?.includes('\0')) return [];
  let query = control.selectFrom('revenue_entries').selectAll().where('project_id', '=', projectId);
  if (customer !== undefined) query = query.where('customer', '=', customer);
  if (dateFrom !== undefined) query = query.where('date_to', '>=', dateFrom);
  if (dateTo !== undefined) query = query.where('date_from', '<=', dateTo);
  if (after !== undefined) query = query.where('external_id', '>', after);
  const rows = await query.orderBy('external_id').limit(limit).execute();
  return rows.map((row) => ({
    externalId: row.external_id,
    customer: row.customer,
    amount: parseAmount(row.amount),
    dateFrom: row.date_from,
    dateTo: row.date_to,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}

/**
 * Parses an amount as `formatMoney` writes it, always with 12 fractional digits. Simple for speed: an answer can read
 * thousands.
 */
export const parseAmount = (text: string): Money => BigInt(text.replace('.', ''));
