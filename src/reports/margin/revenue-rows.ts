import { compareCodePoints } from '../../lib/code-points.ts';
import { type Period, toDayNumber } from '../../lib/days.ts';
import { stepsInTurns } from '../../lib/in-turns.ts';
import type { Money } from '../../lib/money.ts';
import type { Slices } from '../../lib/slices.ts';
import type { PeriodRecord } from '../asking/page.ts';
import { joinPeriods } from '../asking/periods.ts';
import { calcEarned, type DaySpan, isWithin } from '../facts/allocation.ts';
import type { CustomerAllocation } from '../facts/allocations.ts';
import type { Facts } from '../facts/facts.ts';

export interface RevenueRecord extends PeriodRecord {
  readonly revenue: Money;
}

type RevenueFacts = Pick<Facts, 'readAllocations' | 'readNextDay'>;

export interface RevenueRowsQuery {
  /** In order, without gaps. */
  readonly periods: readonly Period[];
  /** In the first period, only values after this one. */
  readonly afterValue: string | undefined;
  readonly customers: readonly string[] | undefined;
  /** How many rows are needed, at least one. */
  readonly most: number;
  /** The value of a customer's row; default: its name. */
  readonly groupOf?: ((customer: string) => string) | undefined;
}

/** A step has at most this many entries, plus twice those of the one before; else it is repeated for one period. */
const freeEntries = 4_000;

/**
 * Reads the first rows of revenue, in order: one for each period and value with a day of an entry (D6.2).
 *
 * Steps read more and more periods (each twice as many), and skip periods without revenue. So rare revenue does not
 * take many statements, and a page that the first day fills does not read the entries of a whole year.
 */
export async function readRevenueRows(
  facts: RevenueFacts,
  { periods, afterValue, customers, most, groupOf }: RevenueRowsQuery,
): Promise<RevenueRecord[]> {
  const rows: RevenueRecord[] = [];
  let at = 0;
  let width = 1;
  let allowed = freeEntries;
  while (at < periods.length && rows.length < most) {
    const step = periods.slice(at, at + width);
    const days = joinPeriods(step);
    if (!days) break;
    const isSingle = step.length === 1;
    const entries = await facts.readAllocations({
      ...days,
      customers,
      afterCustomer: at === 0 && !groupOf ? afterValue : undefined,
      // A row by a tag can be of any customers.
      ...(isSingle ? { maxCustomers: groupOf ? undefined : most - rows.length } : { maxEntries: allowed + 1 }),
    });
    if (!isSingle && entries.length > allowed) {
      width = 1;
      continue;
    }
    if (entries.length === 0) {
      const next = await findNextPeriod(facts, { periods, at: at + step.length, customers });
      if (next === undefined) break;
      at = next;
      continue;
    }
    const wanted = { periods: step, afterValue: at === 0 ? afterValue : undefined, most: most - rows.length, groupOf };
    rows.push(...(await stepsInTurns(calcRevenueRows(entries, wanted))));
    at += step.length;
    width = step.length * 2;
    allowed = freeEntries + 2 * entries.length;
  }
  return rows;
}

/** The index of the first period with revenue, from an index on. */
async function findNextPeriod(
  facts: RevenueFacts,
  { periods, at, customers }: Pick<RevenueRowsQuery, 'periods' | 'customers'> & { readonly at: number },
): Promise<number | undefined> {
  const dateFrom = periods[at]?.dateFrom;
  const day = dateFrom && (await facts.readNextDay({ dateFrom, customers }));
  const next = day ? periods.findIndex(({ dateTo }) => dateTo >= day) : -1;
  return next === -1 ? undefined : next;
}

/** The first `most` rows of the entries in the periods, in order. */
function* calcRevenueRows(
  entries: readonly CustomerAllocation[],
  { periods, afterValue, most, groupOf = (customer) => customer }: Omit<RevenueRowsQuery, 'customers'>,
): Slices<RevenueRecord[]> {
  const rows: RevenueRecord[] = [];
  for (const [at, period] of periods.entries()) {
    if (rows.length >= most) break;
    const span = toSpan(period);
    const byValue = new Map<string, Money>();
    for (const { customer, allocation } of entries) {
      yield;
      if (!isWithin(allocation, span)) continue;
      const value = groupOf(customer);
      if (at === 0 && afterValue !== undefined && compareCodePoints(value, afterValue) <= 0) continue;
      byValue.set(value, (byValue.get(value) ?? 0n) + calcEarned(allocation, span));
    }
    const ordered = [...byValue].sort(([a], [b]) => compareCodePoints(a, b));
    rows.push(...ordered.map(([value, revenue]) => ({ period: span.from, value, revenue })));
  }
  return rows.slice(0, most);
}

export const toSpan = ({ dateFrom, dateTo }: Period): DaySpan => ({
  from: toDayNumber(dateFrom),
  to: toDayNumber(dateTo),
});
