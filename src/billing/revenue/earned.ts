import type { Earned } from '../../calls/rebuild/comparison.ts';
import { type Day, toDayNumber } from '../../lib/days.ts';
import { inTurns } from '../../lib/in-turns.ts';
import type { Money } from '../../lib/money.ts';
import { calcEarned } from '../../reports/facts/allocation.ts';
import { readAllocations } from '../../reports/facts/allocations.ts';
import { countedNow } from '../../reports/facts/counted.ts';
import type { ControlQueries } from '../../storage/control/control-store.ts';

/** Reads what entries that count now earn from `dateFrom` to `dateTo`, inclusive (D8.1). */
export async function readEarned(
  control: ControlQueries,
  projectId: string,
  { dateFrom, dateTo }: { readonly dateFrom: Day; readonly dateTo: Day },
): Promise<Earned> {
  const span = { from: toDayNumber(dateFrom), to: toDayNumber(dateTo) };
  const byCustomer = new Map<string, Money>();
  let total: Money = 0n;
  const allocations = await readAllocations(countedNow(control, projectId), { dateFrom, dateTo });
  await inTurns(allocations, ({ customer, allocation }) => {
    const earned = calcEarned(allocation, span);
    total += earned;
    byCustomer.set(customer, (byCustomer.get(customer) ?? 0n) + earned);
  });
  return { total, byCustomer };
}
