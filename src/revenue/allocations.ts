import { sql } from 'kysely';
import type { ControlQueries } from '../control/control-store.ts';
import { type Day, toDayNumber } from '../lib/days.ts';
import { type Allocation, allocate } from './allocation.ts';
import { parseAmount } from './entries.ts';

/** An entry made ready for sums, and whose it is. */
export interface CustomerAllocation {
  readonly customer: string;
  readonly allocation: Allocation;
}

export interface EntryDaysQuery {
  readonly dateFrom: Day;
  /** Only the entries of these customers; left out: of all. */
  readonly customers?: readonly string[] | undefined;
}

/** The entries that have a day from `dateFrom` to `dateTo`, inclusive. */
export interface AllocationsQuery extends EntryDaysQuery {
  readonly dateTo: Day;
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
  const { dateFrom, dateTo, afterCustomer, maxCustomers, maxEntries } = query;
  const customers = nameable(query.customers);
  if (customers?.length === 0) return [];
  const day = maxCustomers === undefined && customers === undefined ? sql.ref<string> : withoutIndex;
  let found = control
    .selectFrom('revenue_entries')
    .where('project_id', '=', projectId)
    .where(day('date_to'), '>=', dateFrom)
    .where(day('date_from'), '<=', dateTo);
  if (customers) found = found.where('customer', 'in', customers);
  // Of names without NUL, those after `a\0b` are those after `a`.
  if (afterCustomer !== undefined) found = found.where('customer', '>', afterCustomer.split('\0', 1)[0] ?? '');

  let entries = found.select(['customer', 'amount', 'date_from', 'date_to']);
  if (maxCustomers !== undefined) {
    const first = found.select('customer').distinct().orderBy('customer').limit(maxCustomers);
    entries = entries.where('customer', 'in', first);
  }
  if (maxEntries !== undefined) entries = entries.limit(maxEntries);
  const rows = await entries.execute();
  const numberOf = numberDays();
  return rows.map(({ customer, amount, date_from, date_to }) => ({
    customer,
    allocation: allocate(parseAmount(amount), { from: numberOf(date_from), to: numberOf(date_to) }),
  }));
}

/** The first day from `dateFrom` on that an entry has, or undefined when there is none. */
export async function readNextDay(
  control: ControlQueries,
  projectId: string,
  query: EntryDaysQuery,
): Promise<Day | undefined> {
  const customers = nameable(query.customers);
  if (customers?.length === 0) return undefined;
  const day = customers === undefined ? sql.ref<string> : withoutIndex;
  let found = control
    .selectFrom('revenue_entries')
    .where('project_id', '=', projectId)
    .where(day('date_to'), '>=', query.dateFrom);
  if (customers) found = found.where('customer', 'in', customers);
  const row = await found.select(({ fn }) => fn.min<Day | null>('date_from').as('first')).executeTakeFirst();
  const first = row?.first ?? undefined;
  return first !== undefined && first < query.dateFrom ? query.dateFrom : first;
}

/** No customer's name is empty or holds a NUL, and PostgreSQL refuses to be asked for one that does. */
const nameable = (customers: readonly string[] | undefined): string[] | undefined =>
  customers?.filter((name) => name !== '' && !name.includes('\0'));

/** Where customers are looked for, their index serves far better than that of the days, which SQLite would take. */
const withoutIndex = (column: 'date_from' | 'date_to') => sql<string>`(${sql.ref(column)} || '')`;

/** Days as numbers, each worked out once: entries begin and end on the same days. */
function numberDays(): (day: Day) => number {
  const known = new Map<Day, number>();
  return (day) => {
    const number = known.get(day) ?? toDayNumber(day);
    known.set(day, number);
    return number;
  };
}
