import { z } from 'zod';
import type { TaggedDimension } from '../../lib/dimensions.ts';
import { parseJson } from '../../lib/json.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';

/** Up to a time: a customer's objects and pairs, and all of invoices with its entries, which are deleted later. */
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

/** The customers that explain an unusual cost. */
const explained = z.object({ explanation: z.object({ customers: z.array(z.object({ customer: z.string() })) }) });

/** Deletes the firings of alerts that are about a customer or user, and those whose explanation names one. */
export async function eraseFirings(
  transaction: ControlQueries,
  projectId: string,
  { dimension, name }: { readonly dimension: TaggedDimension; readonly name: string },
): Promise<void> {
  await transaction.deleteFrom('firings').where('project_id', '=', projectId).where(dimension, '=', name).execute();
  if (dimension === 'user') return;
  const anomalies = await transaction
    .selectFrom('firings')
    .select(['id', 'numbers'])
    .where('project_id', '=', projectId)
    .where('kind', '=', 'anomaly')
    .execute();
  for (const { id, numbers } of anomalies) {
    const { data } = explained.safeParse(parseJson(numbers));
    const isNamed = data?.explanation.customers.some(({ customer }) => customer === name);
    if (isNamed) await transaction.deleteFrom('firings').where('id', '=', id).execute();
  }
}
