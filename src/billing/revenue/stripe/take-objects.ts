import { parseJson } from '../../../lib/json.ts';
import { type ControlQueries, changeRows, putRows } from '../../../storage/control/control-store.ts';
import type { StripeObjectRow } from '../../../storage/control/schema/billing-rows.ts';
import { makeEntries } from './make-entries.ts';
import { remapCustomers } from './mapping.ts';
import { mergeObjects, type StripeObject, saysTheSame, writeObject } from './objects.ts';

export interface TakeContext {
  readonly projectId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Stores objects of Stripe, and computes the entries of the invoices that they change. States that are known or older
 * change nothing. Run it in a transaction that holds the project's lock.
 * @returns how many objects have changed
 */
export async function takeObjects(
  transaction: ControlQueries,
  context: TakeContext,
  objects: readonly StripeObject[],
): Promise<number> {
  const changed = await storeChanged(transaction, context, objects);
  if (changed.length === 0) return 0;
  const linked = await linkCharges(transaction, context, changed);
  const invoices = new Set([...linked, ...changed.flatMap(({ invoice_id: id }) => (id === null ? [] : [id]))]);
  await makeEntries(transaction, context, [...invoices]);
  const customers = changed.flatMap(({ kind, id }) => (kind === 'customer' ? [id] : []));
  await remapCustomers(transaction, context, customers);
  return changed.length;
}

/**
 * Merges objects with their stored states, and stores those that differ.
 * @returns the objects that changed in more than their time: entries do not depend on the time
 */
async function storeChanged(
  transaction: ControlQueries,
  { projectId, now }: TakeContext,
  objects: readonly StripeObject[],
): Promise<StripeObjectRow[]> {
  if (objects.length === 0) return [];
  const known = await transaction
    .selectFrom('stripe_objects')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', 'in', [...new Set(objects.map(({ id }) => id))])
    .execute();
  const before = new Map(known.map((row) => [row.id, row]));
  const merged = new Map<string, StripeObject>(
    known.map(({ id, content }) => [id, parseJson(content) as StripeObject]),
  );
  for (const object of objects) {
    const other = merged.get(object.id);
    merged.set(object.id, other === undefined ? object : mergeObjects(other, object));
  }
  const changed = [...merged.values()].flatMap((object): StripeObjectRow[] => {
    const content = writeObject(object);
    const old = before.get(object.id);
    if (old?.content === content) return [];
    const row = {
      project_id: projectId,
      id: object.id,
      kind: object.kind,
      invoice_id: invoiceOf(object) ?? old?.invoice_id ?? null,
      payment: 'payment' in object ? object.payment : null,
      stripe_customer: object.customer,
      content,
      updated_at: now,
    };
    return [row];
  });
  await putRows(transaction, 'stripe_objects', ['project_id', 'id'], changed);
  return changed.filter(({ id, content }) => {
    const old = before.get(id);
    return old === undefined || !saysTheSame(old.content, content);
  });
}

function invoiceOf(object: StripeObject): string | null {
  if (object.kind === 'invoice') return object.id;
  return object.kind === 'customer' ? null : object.invoice;
}

/**
 * Links charges to invoices where the API version does not name the invoice. Charge and payment name the same payment
 * intent, and either can come first. Returns the invoices that have a new charge.
 */
async function linkCharges(
  transaction: ControlQueries,
  { projectId }: TakeContext,
  changed: readonly StripeObjectRow[],
): Promise<string[]> {
  const payments = changed.flatMap(({ payment }) => (payment === null ? [] : [payment]));
  if (payments.length === 0) return [];
  const found = await transaction
    .selectFrom('stripe_objects')
    .select(['id', 'kind', 'payment', 'invoice_id'])
    .where('project_id', '=', projectId)
    .where('payment', 'in', payments)
    .orderBy('id')
    .execute();
  const invoices = new Map<string, string>();
  for (const { kind, payment, invoice_id: invoice } of found) {
    if (kind !== 'charge' && payment !== null && invoice !== null) invoices.set(payment, invoice);
  }
  const linked: string[] = [];
  for (const { id, kind, payment, invoice_id: known } of found) {
    const invoice = payment === null ? undefined : invoices.get(payment);
    if (kind !== 'charge' || known !== null || invoice === undefined) continue;
    await changeRows(transaction, 'stripe_objects', { project_id: projectId, id }, { invoice_id: invoice });
    linked.push(invoice);
  }
  return linked;
}
