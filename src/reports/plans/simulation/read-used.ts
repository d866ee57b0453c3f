import type { KeyMetric } from '../../../accounts/key-metrics/key-metrics.ts';
import { divideHalfEven, dollar, widen } from '../../../lib/money.ts';
import type { PagePlan } from '../../asking/page.ts';
import type { AnswerSources } from '../../asking/sources.ts';
import type { AsOf } from '../../facts/as-of.ts';
import { readCustomerValues } from '../../performance/customer-values.ts';
import { readAll } from '../read-all.ts';
import { readCounts } from './counts.ts';
import type { Quantity, Unit } from './plan.ts';

/** What customers used, by unit and then by `keyOfUse`. What is missing is 0. */
export type Used = ReadonlyMap<Unit, ReadonlyMap<string, Quantity>>;

export const keyOfUse = (period: number, customer: string): string => `${period} ${customer}`;

/** One of a unit. */
const one: Quantity = widen(dollar);

interface UsedWanted {
  readonly units: ReadonlySet<Unit>;
  /** The key metrics among the units. */
  readonly metrics: readonly KeyMetric[];
  /** Whose use is needed. */
  readonly isWanted: (customer: string) => boolean;
}

/** Reads what customers used in each period, in units other than their cost. @throws Problem `beyond_retention` */
export async function readUsed(
  asOf: AsOf,
  { units, metrics, isWanted }: UsedWanted,
  plan: PagePlan,
  sources: AnswerSources,
): Promise<Used> {
  const used = new Map<Unit, Map<string, Quantity>>(Array.from(units, (unit) => [unit, new Map<string, Quantity>()]));
  const note = (unit: Unit, period: number, customer: string, amount: Quantity) => {
    if (isWanted(customer)) used.get(unit)?.set(keyOfUse(period, customer), amount);
  };
  for (const unit of ['calls', 'tokens'] as const) {
    if (!units.has(unit)) continue;
    for await (const page of readAll(plan, (part) => readCounts(asOf, unit, part, sources))) {
      for (const { period, value = '', count } of page) note(unit, period, value, count * one);
    }
  }
  for await (const values of readCustomerValues(asOf, metrics, plan.periods, sources)) {
    for (const { period, customer, metric, units: count, unit } of values) {
      note(`key_metric:${metric}`, period, customer, divideHalfEven(count * one, unit));
    }
  }
  return used;
}
