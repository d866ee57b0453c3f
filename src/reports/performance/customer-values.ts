import type { KeyMetric } from '../../accounts/key-metrics/key-metrics.ts';
import { resolveReadings } from '../../accounts/key-metrics/readings.ts';
import { requireCalls } from '../../calls/require-calls.ts';
import type { Period } from '../../lib/days.ts';
import type { Position } from '../asking/period-sql.ts';
import { joinPeriods } from '../asking/periods.ts';
import type { AnswerSources } from '../asking/sources.ts';
import type { AsOf } from '../facts/as-of.ts';
import { resolvePeriodTimes, whereEvents } from './event-scope.ts';
import type { ReadingsSelection } from './events-sql.ts';
import { fillRows, readReadings } from './read-rows.ts';

/** The value of a key metric of a customer in a period: the fraction `units / unit`, exact. */
export interface CustomerValue {
  /** The day number of the first day of the period. */
  readonly period: number;
  readonly customer: string;
  readonly metric: string;
  readonly units: bigint;
  readonly unit: bigint;
}

/** How many rows are read at once. */
const rowsAtOnce = 5_000;

/**
 * Reads the values of key metrics by period and the customer of their events.
 * @throws Problem `beyond_retention` when events of the periods are deleted: of those, no customers are kept
 */
export async function* readCustomerValues(
  { project, generations }: AsOf,
  metrics: readonly KeyMetric[],
  periods: readonly Period[],
  { store }: Pick<AnswerSources, 'store'>,
): AsyncGenerator<readonly CustomerValue[]> {
  const days = joinPeriods(periods);
  if (!days || metrics.length === 0) return;
  requireCalls(generations, days, 'the events of customers', 'another unit than a key metric');
  const { list: readings, byMetric } = resolveReadings(metrics);
  const eventTypes = [...new Set(readings.map(({ eventType }) => eventType))];
  const selection: ReadingsSelection = {
    where: whereEvents(project.id, eventTypes, resolvePeriodTimes(generations, periods)),
    readings,
    value: { sql: 'customer', parameters: {} },
  };
  for (let after: Position | undefined; ; ) {
    const events = await readReadings(store, selection, { after, limit: rowsAtOnce });
    const last = events.length < rowsAtOnce ? undefined : events.at(-1);
    const rows = await fillRows(store, selection, { costs: [], events, after, upTo: last });
    yield rows.list(last).flatMap(({ period, value: customer, totals }) =>
      [...byMetric].flatMap(([metric, number]): CustomerValue[] => {
        const total = totals.get(number);
        return total ? [{ period, customer, metric, ...total.value }] : [];
      }),
    );
    if (last === undefined) return;
    after = last;
  }
}
