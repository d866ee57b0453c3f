import { addDays, type Day } from '../../../lib/days.ts';
import { type DayCoverage, leastDays, usualDays } from '../rules/coverage-drop.ts';
import type { ModelUsage } from '../rules/unpriced-model.ts';
import { type Asker, askUsage } from './ask.ts';

/** The calls of each model on the last `days` days. */
export async function readModelUsage(
  asker: Asker,
  { today, days }: { today: Day; days: number },
): Promise<ModelUsage[]> {
  const rows = await askUsage(asker, {
    date_from: addDays(today, 1 - days),
    date_to: today,
    aggregate: 'all',
    group_by: 'model',
  });
  return rows.map(({ model = '', calls, unpriced_calls: unpricedCalls }) => ({ model, calls, unpricedCalls }));
}

/** The calls of each day by which coverage is judged, up to today; empty when too few days have enough calls. */
export async function readDayCoverage(
  asker: Asker,
  { today, leastCalls }: { readonly today: Day; readonly leastCalls: number },
): Promise<DayCoverage[]> {
  const range = { date_from: addDays(today, -usualDays - 1), date_to: today };
  const all = await askUsage(asker, range);
  if (all.filter(({ calls }) => calls >= leastCalls).length <= leastDays) return [];
  const unattributed = await askUsage(asker, { ...range, customers: [''] });
  const withoutCustomer = new Map(unattributed.map(({ date_from: day, calls }) => [day, calls]));
  return all.map(({ date_from: day, calls, unpriced_calls: unpriced }) => ({
    day,
    calls,
    priced: calls - unpriced,
    attributed: calls - (withoutCustomer.get(day) ?? 0),
  }));
}
