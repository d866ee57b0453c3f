import type { Insertable } from 'kysely';
import { chunksOf } from '../../../lib/chunks.ts';
import { earliestDay, latestDay } from '../../../lib/day-field.ts';
import { addDays, type Day, dayOf, earlierOf, laterOf } from '../../../lib/days.ts';
import { parseJson } from '../../../lib/json.ts';
import { formatMoney } from '../../../lib/money.ts';
import { type ControlQueries, requireRow } from '../../../storage/control/control-store.ts';
import { newValues } from '../../../storage/control/new-values.ts';
import type { RevenueEntryRow } from '../../../storage/control/schema/billing-rows.ts';
import { maxEntryDays } from '../parse.ts';
import { calcEntries, type InvoiceState, type StripeEntry } from './calc-entries.ts';
import { toMajor } from './currencies.ts';
import { type Mapping, readMapping } from './mapping.ts';
import type { StripeObject } from './objects.ts';

/** How many invoices are read at once. */
const atOnce = 200;

/**
 * Computes the entries of these invoices from all their stored objects, and replaces the stored entries. Entries that
 * stay the same are not written. Run it in a transaction that holds the project's lock.
 */
export async function makeEntries(
  transaction: ControlQueries,
  { projectId, now }: { readonly projectId: string; readonly now: number },
  invoices: readonly string[],
): Promise<void> {
  for (const ids of chunksOf(invoices, atOnce)) {
    const entries = await calcRows(transaction, projectId, ids, now);
    await replaceEntries(transaction, projectId, ids, entries);
  }
}

type EntryRow = Insertable<RevenueEntryRow> & { readonly currency: string };

async function calcRows(
  control: ControlQueries,
  projectId: string,
  invoices: readonly string[],
  now: number,
): Promise<EntryRow[]> {
  const { timezone } = await requireRow(control, 'projects', { id: projectId });
  const rows = await control
    .selectFrom('stripe_objects')
    .select('content')
    .select('invoice_id')
    .where('project_id', '=', projectId)
    .where('invoice_id', 'in', invoices)
    .execute();
  const byInvoice = Map.groupBy(rows, ({ invoice_id: id }) => id);
  const states = [...byInvoice.values()].flatMap((ofInvoice) =>
    toState(ofInvoice.map(({ content }) => parseJson(content) as StripeObject)),
  );
  const customers = states.flatMap(({ invoice: { customer } }) => (customer === null ? [] : [customer]));
  const mapping = await readMapping(control, projectId, [...new Set(customers)]);
  return states.flatMap((state) =>
    calcEntries(state, mapping.nameOf).map((entry) => toRow(entry, { projectId, timezone, now, state, mapping })),
  );
}

/** Empty while the invoice itself is not known. */
function toState(objects: readonly StripeObject[]): InvoiceState[] {
  const invoice = objects.find((object) => object.kind === 'invoice');
  if (!invoice) return [];
  const creditNotes = objects.filter((object) => object.kind === 'credit_note');
  return [{ invoice, creditNotes, charges: objects.filter((object) => object.kind === 'charge') }];
}

interface RowContext {
  readonly projectId: string;
  readonly timezone: string;
  readonly now: number;
  readonly state: InvoiceState;
  readonly mapping: Mapping;
}

function toRow(
  { externalId, name, amount, from, to }: StripeEntry,
  { projectId, timezone, now, state: { invoice }, mapping }: RowContext,
): EntryRow {
  const { currency } = invoice;
  const dateFrom = dayAt(timezone, from * 1_000);
  const last = laterOf(dateFrom, lastDayBefore(timezone, to));
  const longest = addDays(dateFrom, maxEntryDays - 1);
  return {
    project_id: projectId,
    external_id: externalId,
    customer: name ?? (invoice.customer === null ? invoice.id : mapping.customerOf(invoice.customer)),
    amount: formatMoney(toMajor(amount, currency)),
    date_from: dateFrom,
    date_to: earlierOf(last, longest),
    created_at: now,
    updated_at: now,
    currency,
    source: 'stripe',
    // One rate for the whole invoice, so that a full refund leaves nothing.
    rate_day: currency === 'USD' ? null : dayAt(timezone, invoice.paidAt * 1_000),
    stripe_customer: invoice.customer,
    stripe_invoice: invoice.id,
    is_named: name === undefined ? 0 : 1,
  };
}

/**
 * The last day of a period that ends at this instant, in seconds. It is the day before, also when the instant is in the
 * middle of a day: the next period begins then, and has that day. A period may also end in the last minute of its last day.
 */
const lastDayBefore = (timezone: string, to: number): Day => addDays(dayAt(timezone, (to + 60) * 1_000), -1);

/** The day of a time, clamped to the days that Farthing accepts. */
const dayAt = (timezone: string, timeMs: number): Day =>
  earlierOf(latestDay, laterOf(earliestDay, dayOf(timezone, timeMs)));

/** The columns that are computed from the invoice. */
const derived = [
  ...(['customer', 'amount', 'date_from', 'date_to', 'currency', 'source', 'rate_day'] as const),
  ...(['stripe_customer', 'stripe_invoice', 'is_named'] as const),
];

async function replaceEntries(
  transaction: ControlQueries,
  projectId: string,
  invoices: readonly string[],
  entries: readonly EntryRow[],
): Promise<void> {
  const known = await transaction
    .selectFrom('revenue_entries')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('stripe_invoice', 'in', invoices)
    .execute();
  const wanted = new Set(entries.map(({ external_id: id }) => id));
  const gone = known.filter(({ external_id: id }) => !wanted.has(id)).map(({ external_id: id }) => id);
  if (gone.length > 0) {
    await transaction
      .deleteFrom('revenue_entries')
      .where('project_id', '=', projectId)
      .where('external_id', 'in', gone)
      .execute();
  }
  const before = new Map(known.map((row) => [row.external_id, row]));
  const changed = entries.filter((entry) => {
    const old = before.get(entry.external_id);
    return old === undefined || derived.some((column) => old[column] !== entry[column]);
  });
  if (changed.length === 0) return;
  await transaction
    .insertInto('revenue_entries')
    .values(changed)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'external_id']).doUpdateSet(newValues(...derived, 'updated_at')),
    )
    .execute();
}
