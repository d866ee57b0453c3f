import { parseJson } from '../../../lib/json.ts';
import type { ControlQueries } from '../../../storage/control/control-store.ts';
import type { NameOf } from './calc-entries.ts';
import type { StripeCustomer } from './objects.ts';

/** How the Stripe customers of a project map to its customers (D17.2). */
export interface Mapping {
  /** The customer that metadata name, by the keys of the project's hooks. */
  readonly nameOf: NameOf;
  /** The customer of a Stripe customer whose invoice names none: by its metadata, else by its pair, else its own id. */
  readonly customerOf: (stripeCustomer: string) => string;
}

/** Reads how these Stripe customers map. No other code decides this. */
export async function readMapping(
  control: ControlQueries,
  projectId: string,
  stripeCustomers: readonly string[],
): Promise<Mapping> {
  const nameOf = nameBy(await readCustomerKeys(control, projectId));
  const customers = new Map<string, string>();
  if (stripeCustomers.length === 0) return { nameOf, customerOf: (id) => id };
  const pairs = await control
    .selectFrom('stripe_customers')
    .select(['stripe_customer', 'customer'])
    .where('project_id', '=', projectId)
    .where('stripe_customer', 'in', stripeCustomers)
    .execute();
  for (const { stripe_customer: id, customer } of pairs) customers.set(id, customer);
  const described = await control
    .selectFrom('stripe_objects')
    .select(['id', 'content'])
    .where('project_id', '=', projectId)
    .where('kind', '=', 'customer')
    .where('id', 'in', stripeCustomers)
    .execute();
  for (const { id, content } of described) {
    const name = nameOf([(parseJson(content) as StripeCustomer).metadata]);
    if (name !== undefined) customers.set(id, name);
  }
  return { nameOf, customerOf: (id) => customers.get(id) ?? id };
}

/** The keys of the project's hooks, the oldest hook's first. The keys of deleted hooks come last. */
async function readCustomerKeys(control: ControlQueries, projectId: string): Promise<string[]> {
  const rows = await control
    .selectFrom('stripe_hooks')
    .select('customer_key')
    .where('project_id', '=', projectId)
    .where('customer_key', 'is not', null)
    .orderBy((row) => row.fn.coalesce('deleted_at', row.lit(0)))
    .orderBy('id')
    .execute();
  return rows.flatMap(({ customer_key: key }) => (key === null ? [] : [key]));
}

const nameBy =
  (keys: readonly string[]): NameOf =>
  (metadata) => {
    for (const one of metadata) {
      for (const key of keys) if (Object.hasOwn(one, key)) return one[key];
    }
    return undefined;
  };

/** Maps the revenue of these Stripe customers again, after a pair or the metadata of a customer has changed. */
export async function remapCustomers(
  transaction: ControlQueries,
  { projectId, now }: { readonly projectId: string; readonly now: number },
  stripeCustomers: readonly string[],
): Promise<void> {
  const { customerOf } = await readMapping(transaction, projectId, stripeCustomers);
  for (const id of stripeCustomers) {
    const customer = customerOf(id);
    await transaction
      .updateTable('revenue_entries')
      .set({ customer, updated_at: now })
      .where('project_id', '=', projectId)
      .where('stripe_customer', '=', id)
      .where('is_named', '=', 0)
      .where('customer', '!=', customer)
      .execute();
  }
}
