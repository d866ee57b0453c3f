import type { Selectable } from 'kysely';
import type { Clock } from '../../lib/clock.ts';
import type { Day } from '../../lib/days.ts';
import { formatMoney, type Money } from '../../lib/money.ts';
import { type Fault, Problem } from '../../lib/problem.ts';
import { rateOf } from '../../reports/facts/counted.ts';
import {
  type ControlQueries,
  type ControlStore,
  deleteRows,
  findRow,
  putRows,
  withProjectLock,
} from '../../storage/control/control-store.ts';
import type { RevenueEntryRow } from '../../storage/control/schema/billing-rows.ts';

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

/** An entry as it is stored, with the exchange rate of its day, which is null for USD and where none is known. */
export type StoredEntry = Selectable<RevenueEntryRow> & { readonly rate: string | null };

/**
 * Stores all entries or none. An entry replaces the stored one with the same `external_id` (D8.1). Ids must be
 * distinct.
 * @throws Problem `invalid_body` for the ids of entries from Stripe
 */
export async function storeEntries(
  control: ControlStore,
  projectId: string,
  entries: readonly RevenueEntry[],
  clock: Clock,
): Promise<void> {
  const now = clock();
  const rows = entries.map(({ externalId, customer, amount, dateFrom, dateTo }) => ({
    project_id: projectId,
    external_id: externalId,
    customer,
    amount: formatMoney(amount),
    date_from: dateFrom,
    date_to: dateTo,
    created_at: now,
    updated_at: now,
  }));
  await withProjectLock(control, projectId, async (transaction) => {
    await refuseIdsOfStripe(transaction, projectId, entries);
    await putRows(transaction, 'revenue_entries', ['project_id', 'external_id'], rows);
  });
}

/** Entries from Stripe are made again whenever its objects change, which would overwrite a posted entry. */
async function refuseIdsOfStripe(
  transaction: ControlQueries,
  projectId: string,
  entries: readonly RevenueEntry[],
): Promise<void> {
  const ids = entries.map(({ externalId }) => externalId);
  const taken = await transaction
    .selectFrom('revenue_entries')
    .select('external_id')
    .where('project_id', '=', projectId)
    .where('source', '=', 'stripe')
    .where('external_id', 'in', ids)
    .execute();
  if (taken.length === 0) return;
  const errors = taken
    .map(({ external_id: id }) => ids.indexOf(id))
    .sort((a, b) => a - b)
    .map((index): Fault => {
      const message = 'must not be the id of an entry from Stripe, which changes with what Stripe says';
      return { pointer: `/entries/${index}/external_id`, code: 'invalid_value', message };
    });
  throw new Problem('invalid_body', 'The body is not valid: see errors.', { errors });
}

/**
 * Deletes an entry; false when there is none.
 * @throws Problem `conflict` for an entry from Stripe
 */
export async function deleteEntry(control: ControlStore, projectId: string, externalId: string): Promise<boolean> {
  // No stored id holds a NUL, which PostgreSQL rejects in a query.
  if (externalId.includes('\0')) return false;
  const row = { project_id: projectId, external_id: externalId, source: 'api' } as const;
  if (await deleteRows(control, 'revenue_entries', row)) return true;
  const kept = await findRow(control, 'revenue_entries', { project_id: projectId, external_id: externalId });
  if (kept) throw new Problem('conflict', 'This entry comes from Stripe: void or refund it there.');
  return false;
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
): Promise<StoredEntry[]> {
  // No customer's name holds a NUL, which PostgreSQL rejects in a query.
  if (customer?.includes('\0')) return [];
  let query = control
    .selectFrom('revenue_entries')
    .selectAll()
    .select(rateOf.as('rate'))
    .where('project_id', '=', projectId);
  if (customer !== undefined) query = query.where('customer', '=', customer);
  if (dateFrom !== undefined) query = query.where('date_to', '>=', dateFrom);
  if (dateTo !== undefined) query = query.where('date_from', '<=', dateTo);
  if (after !== undefined) query = query.where('external_id', '>', after);
  return await query.orderBy('external_id').limit(limit).execute();
}
