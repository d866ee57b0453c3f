import { chunksOf } from '../../lib/chunks.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Day } from '../../lib/days.ts';
import { formatMoney } from '../../lib/money.ts';
import { parseAmount } from '../../reports/facts/counted.ts';
import {
  type ControlQueries,
  type ControlStore,
  putRows,
  withProjectLock,
} from '../../storage/control/control-store.ts';
import type { InvoiceEntryRow } from '../../storage/control/schema/billing-rows.ts';
import type { InvoiceEntry } from './entry.ts';

export interface StoredInvoiceEntry extends InvoiceEntry {
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Rows that one statement deletes: SQLite takes at most 32,766 values. */
const chunkRows = 1_000;

/** All or none. An entry replaces the one with the same `external_id` (D18.1). Ids must be distinct. */
export async function storeInvoices(
  control: ControlStore,
  projectId: string,
  entries: readonly InvoiceEntry[],
  clock: Clock,
): Promise<void> {
  const now = clock();
  const rows = entries.map((entry) => toRow(projectId, entry, now));
  await withProjectLock(control, projectId, (transaction) => putEntries(transaction, rows));
}

const putEntries = (transaction: ControlQueries, rows: readonly InvoiceEntryRow[]) =>
  putRows(transaction, 'invoice_entries', ['project_id', 'external_id'], rows);

/** Entries whose ids begin with `${source}:`, and the days that all of them begin on. */
export interface EntriesOfSource {
  readonly source: string;
  readonly dateFrom: Day;
  readonly dateTo: Day;
}

/** Makes these the only entries of a source that begin on the days. Returns how many rows changed. */
export async function replaceInvoices(
  transaction: ControlQueries,
  projectId: string,
  { source, dateFrom, dateTo }: EntriesOfSource,
  entries: readonly InvoiceEntry[],
  now: number,
): Promise<number> {
  const stored = await transaction
    .selectFrom('invoice_entries')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('external_id', '>=', `${source}:`)
    .where('external_id', '<', `${source};`)
    .where('date_from', '>=', dateFrom)
    .where('date_from', '<=', dateTo)
    .execute();
  const known = new Map(stored.map((row) => [row.external_id, row]));
  const changed = entries
    .map((entry) => toRow(projectId, entry, now))
    .filter((row) => {
      const before = known.get(row.external_id);
      known.delete(row.external_id);
      return before === undefined || !isSame(before, row);
    });
  await putEntries(transaction, changed);
  const gone = [...known.keys()];
  for (const ids of chunksOf(gone, chunkRows)) {
    await transaction
      .deleteFrom('invoice_entries')
      .where('project_id', '=', projectId)
      .where('external_id', 'in', ids)
      .execute();
  }
  return changed.length + gone.length;
}

const isSame = (one: InvoiceEntryRow, other: InvoiceEntryRow): boolean =>
  (['provider', 'date_from', 'date_to', 'model', 'amount', 'kind', 'description'] as const).every(
    (name) => one[name] === other[name],
  );

const toRow = (projectId: string, entry: InvoiceEntry, now: number): InvoiceEntryRow => ({
  project_id: projectId,
  external_id: entry.externalId,
  provider: entry.provider,
  date_from: entry.dateFrom,
  date_to: entry.dateTo,
  model: entry.model ?? null,
  amount: formatMoney(entry.amount),
  kind: entry.kind,
  description: entry.description ?? null,
  created_at: now,
  updated_at: now,
});

/** Deletes a provider's entries all of whose days are in the range. Returns how many. */
export async function deleteInvoicesWithin(
  control: ControlStore,
  projectId: string,
  { provider, dateFrom, dateTo }: { readonly provider: string; readonly dateFrom: Day; readonly dateTo: Day },
): Promise<number> {
  const result = await control
    .deleteFrom('invoice_entries')
    .where('project_id', '=', projectId)
    .where('provider', '=', provider)
    .where('date_from', '>=', dateFrom)
    .where('date_to', '<=', dateTo)
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}

export interface InvoiceFilter {
  readonly provider: string | undefined;
  /** Only entries with a day from `dateFrom` to `dateTo`, inclusive; undefined leaves that end open. */
  readonly dateFrom: Day | undefined;
  readonly dateTo: Day | undefined;
}

/** The entries that the filter selects, by external id in code-point order, after `after`, at most `limit`. */
export async function listInvoices(
  control: ControlQueries,
  projectId: string,
  { provider, dateFrom, dateTo }: InvoiceFilter,
  { after, limit }: { readonly after?: string | undefined; readonly limit?: number } = {},
): Promise<StoredInvoiceEntry[]> {
  // No provider's name holds a NUL, which PostgreSQL rejects in a query.
  if (provider?.includes('\0')) return [];
  let query = control.selectFrom('invoice_entries').selectAll().where('project_id', '=', projectId);
  if (provider !== undefined) query = query.where('provider', '=', provider);
  if (dateFrom !== undefined) query = query.where('date_to', '>=', dateFrom);
  if (dateTo !== undefined) query = query.where('date_from', '<=', dateTo);
  if (after !== undefined) query = query.where('external_id', '>', after);
  query = query.orderBy('external_id');
  const rows = await (limit === undefined ? query : query.limit(limit)).execute();
  return rows.map((row) => ({
    externalId: row.external_id,
    provider: row.provider,
    dateFrom: row.date_from,
    dateTo: row.date_to,
    model: row.model ?? undefined,
    amount: parseAmount(row.amount),
    kind: row.kind,
    description: row.description ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}
