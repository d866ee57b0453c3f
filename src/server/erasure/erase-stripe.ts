import type { ControlQueries } from '../../storage/control/control-store.ts';

/**
 * Deletes what Stripe sent about a customer up to a time: the objects and pairs of its Stripe customers, and all
 * objects of invoices with an entry of the customer. Run it before the customer's entries are deleted.
 */
export async function eraseStripeObjects(
  transaction: ControlQueries,
  projectId: string,
  { name, until }: { readonly name: string; readonly until: number },
): Promise<void> {
  const pairs = transaction
    .selectFrom('stripe_customers')
    .select('stripe_customer')
    .where('project_id', '=', projectId)
    .where('customer', '=', name)
    .where('updated_at', '<=', until);
  const entries = transaction
    .selectFrom('revenue_entries')
    .where('project_id', '=', projectId)
    .where('customer', '=', name)
    .where('updated_at', '<=', until);
  const invoices = entries.select('stripe_invoice').where('stripe_invoice', 'is not', null);
  // Entries of invoices that name their customer don't count: other customers may share their Stripe customer.
  const stripeCustomers = entries
    .select('stripe_customer')
    .where('stripe_customer', 'is not', null)
    .where('is_named', '=', 0);
  await transaction
    .deleteFrom('stripe_objects')
    .where('project_id', '=', projectId)
    .where('updated_at', '<=', until)
    .where((row) =>
      row.or([
        row('stripe_customer', '=', name),
        row('stripe_customer', 'in', pairs),
        row('stripe_customer', 'in', stripeCustomers),
        row('invoice_id', 'in', invoices),
      ]),
    )
    .execute();
  await transaction
    .deleteFrom('stripe_customers')
    .where('project_id', '=', projectId)
    .where('updated_at', '<=', until)
    .where((row) => row.or([row('customer', '=', name), row('stripe_customer', '=', name)]))
    .execute();
}
