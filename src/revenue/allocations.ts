import type { ControlQueries } from '../control/control-store.ts';
import type { Day } from '../lib/days.ts';
import { type Allocation, allocate } from './allocation.ts';
import { readAmount } from './entries.ts';

/** An entry made ready for sums, and whose it is. */
export interface CustomerAllocation extends Allocation {
  readonly customer: string;
}

export interface AllocationsQuery {
  /** The entries that have a day from the first to the second, inclusive. */
  readonly dateFrom: Day;
  readonly dateTo: Day;
  /** Only the entries of these customers; left out: of all. */
  readonly customers?: readonly string[] | undefined;
  /** Only the entries of customers after this one in code-point order. */
  readonly afterCustomer?: string | undefined;
  /** Only the entries of the first of the customers found, so many. */
  readonly maxCustomers?: number | undefined;
  /** At most so many entries, whichever they are. */
  readonly maxEntries?: number | undefined;
}

/** Reads the entries of a project that the query selects, in no order. */
export async function readAllocations(
  control: ControlQueries,
  projectId: string,
  query: AllocationsQuery,
): Promise<CustomerAllocation[]> {
  const { afterCustomer, maxCustomers, maxEntries } = query;
  // No customer's name holds a NUL, and PostgreSQL refuses to be asked for one.
  const customers = query.customers?.filter((name) => name !== '' && !name.includes('\0'));
  if (customers?.length === 0) return [];
  let found = control
    .selectFrom('revenue_entries')
    .where('project_id', '=', projectId)
    .where('date_to', '>=', query.dateFrom)
    .where('date_from', '<=', query.dateTo);
  if (customers) found = found.where('customer', 'in', customers);
  // Of names without NUL, those after `a\0b` are those after `a`.
  if (afterCustomer !== undefined) found = found.where('customer', '>', afterCustomer.split('\0', 1)[0] ?? '');

  let entries = found.select(['customer', 'amount', 'date_from', 'date_to']);
  if (maxCustomers !== undefined) {
    entries = entries.where(
      'customer',
      'in',
      found.select('customer').distinct().orderBy('customer').limit(maxCustomers),
    );
  }
  if (maxEntries !== undefined) entries = entries.limit(maxEntries);
  const rows = await entries.execute();
  return rows.map(({ customer, amount, date_from, date_to }) => ({
    customer,
    ...allocate({ amount: readAmount(amount), dateFrom: date_from, dateTo: date_to }),
  }));
}
