import type { KeyMetric } from '../../accounts/key-metrics/key-metrics.ts';
import type { Readings } from '../../accounts/key-metrics/readings.ts';
import { divideToNumber, dollar, parseWideMoney, type WideMoney, widen, wideToJsonNumber } from '../../lib/money.ts';
import type { PerformanceRecord } from './rows.ts';

/** A key metric entry (section 2.4), with the API's field names. */
interface KeyMetricEntry {
  readonly value: number;
  readonly total_cost: number;
  readonly cost_per_unit: number;
}

/** The entries of a row by metric name. Metrics that no event feeds or whose value is 0 are left out (D9.2). */
export function calcEntries(
  record: PerformanceRecord,
  metrics: readonly KeyMetric[],
  readings: Readings,
): Record<string, KeyMetricEntry> {
  const costs = new Map(record.cost?.by_feature.map(([feature, cost]) => [feature, parseWideMoney(cost)]));
  const rowCost = parseWideMoney(record.cost?.cost ?? '0');
  const entries = metrics.flatMap(({ name, features }): [string, KeyMetricEntry][] => {
    const total = record.totals.get(readings.byMetric.get(name) ?? -1);
    if (!total || total.fed === 0) return [];
    const { units, unit } = total.value;
    if (units === 0n) return [];
    const cost = features === null ? rowCost : sumCosts(costs, features);
    return [
      [
        name,
        {
          value: divideToNumber(units, unit),
          total_cost: wideToJsonNumber(cost),
          cost_per_unit: divideToNumber(cost * unit, wideDollar * units),
        },
      ],
    ];
  });
  // `fromEntries` defines own properties, so `__proto__` is an ordinary name.
  return Object.fromEntries(entries);
}

const wideDollar: WideMoney = widen(dollar);

const sumCosts = (costs: ReadonlyMap<string, WideMoney>, features: readonly string[]): WideMoney =>
  [...new Set(features)].reduce((sum, feature) => sum + (costs.get(feature) ?? 0n), 0n);
