import { sql } from 'kysely';
import { type Day, toDayNumber } from '../../lib/days.ts';
import { type Allocation, allocate } from './allocation.ts';
import { type CountedEntries, toUsd } from './counted.ts';

/** An entry prepared for sums, and its customer. */
export interface CustomerAllocation {
  readonly customer: string;
  readonly allocation: Allocation;
}

export interface EntryDaysQuery {
  readonly dateFrom: Day;
  /** Only entries of these customers; default: all customers. */
  readonly customers?: readonly string[] | undefined;
}

/** The entries that have a day from `dateFrom` to `dateTo`, inclusive. */
export interface AllocationsQuery extends EntryDaysQuery {
  readonly dateTo: Day;
  /** Only entries of customers after this one in code-point order. */
  readonly afterCustomer?: string | undefined;
  /** Only entries of the first `maxCustomers` customers found. */
  readonly maxCustomers?: number | undefined;
  /** At most this many entries, in no particular order. */
  readonly maxEntries?: number | undefined;
}

/** Reads the entries that the query selects, in no particular order. */
export async function readAllocations(counted: CountedEntries, query: AllocationsQuery): Promise<CustomerAllocation[]> {
  const { dateFrom, dateTo, afterCustomer, maxCustomers, maxEntries } = query;
  const customers = nameable(query.customers);
  if (customers?.length === 0) return [];
  const day = maxCustomers === undefined && customers === undefined ? sql.ref<string> : withoutIndex;
  let found = counted.where(day('date_to'), '>=', dateFrom).where(day('date_from'), '<=', dateTo);
  if (customers) found = found.where('customer', 'in', customers);
  // Stored names have no NUL, so the names after `a\0b` are the names after `a`.
  if (afterCustomer !== undefined) found = found.where('customer', '>', afterCustomer.split('\0', 1)[0] ?? '');

  let entries = found.select(['customer', 'amount', 'date_from', 'date_to', 'rate']);
  if (maxCustomers !== undefined) {
    const first = found.select('customer').distinct().orderBy('customer').limit(maxCustomers);
    entries = entries.where('customer', 'in', first);
  }
  if (maxEntries !== undefined) entries = entries.limit(maxEntries);
  const rows = await entries.execute();
  const numberOf = numberDays();
  return rows.map(({ customer, amount, date_from, date_to, rate }) => ({
    customer,
    allocation: allocate(toUsd(amount, rate), { from: numberOf(date_from), to: numberOf(date_to) }),
  }));
}

/** The first day on or after `dateFrom` that an entry covers; undefined when there is none. */
export async function readNextDay(counted: CountedEntries, query: EntryDaysQuery): Promise<Day | undefined> {
  const customers = nameable(query.customers);
  if (customers?.length === 0) return undefined;
  const day = customers === undefined ? sql.ref<string> : withoutIndex;
  let found = counted.where(day('date_to'), '>=', query.dateFrom);
  if (customers) found = found.where('customer', 'in', customers);
  const row = await found.select(({ fn }) => fn.min<Day | null>('date_from').as('first')).executeTakeFirst();
  const first = row?.first ?? undefined;
  return first !== undefined && first < query.dateFrom ? query.dateFrom : first;
}

/** Leaves out names with a NUL, which no customer has and PostgreSQL rejects in a query. */
const nameable = (customers: readonly string[] | undefined): string[] | undefined =>
  customers?.filter((name) => !name.includes('\0'));

/** Keeps SQLite from using the index of days: for a search by customer, the index of customers is far better. */
const withoutIndex = (column: 'date_from' | 'date_to') => sql<string>`(${sql.ref(column)} || '')`;

/** Converts days to numbers, each day once: many entries begin and end on the same days. */
function numberDays(): (day: Day) => number {
  const known = new Map<Day, number>();
  return (day) => {
    const number = known.get(day) ?? toDayNumber(day);
    known.set(day, number);
    return number;
  };
}
