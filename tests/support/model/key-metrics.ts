// D9.1: the values of key metrics.
import { wholeUnits } from '../decimal.ts';
import { phaseOf, type ReceivedEvent, timeOf, userOf } from './calls.ts';
import { dayOf } from './days.ts';

export interface KeyMetric {
  name: string;
  event_type: string;
  aggregation: 'count' | 'sum' | 'unique';
  /** A JSON Pointer. */
  field?: string;
  features?: string[];
}

/** A JSON value, compared by its value and not by its spelling. */
export interface MetricValue {
  /** As posted. */
  text: string;
  /** Equal for equal values only; undefined for null. */
  identity: string | undefined;
  /** The number as decimal text. */
  number?: string;
}

export interface MetricEvent extends ReceivedEvent {
  /** The values that metrics read, by JSON Pointer. */
  values?: ReadonlyMap<string, MetricValue>;
}

/** An event that feeds a metric. */
export interface Feed {
  day: string;
  user: string;
  value: MetricValue | undefined;
}

/** The events that feed a metric. Of repeated events the first received counts, over all time. */
export function feedsOf(events: readonly MetricEvent[], metric: KeyMetric, timezone: string): Feed[] {
  const firsts = new Map<string, MetricEvent>();
  for (const received of events) {
    const { event } = received;
    if (event.event_type !== metric.event_type || phaseOf(event) !== undefined) continue;
    const id = String(event.event_id).toLowerCase();
    if (!firsts.has(id)) firsts.set(id, received);
  }
  return [...firsts.values()].map((received) => ({
    day: dayOf(timeOf(received), timezone),
    user: userOf([received.event]),
    value: metric.field === undefined ? undefined : received.values?.get(metric.field),
  }));
}

/** More fractional digits than any value of the tests. */
const sumDigits = 30;
export const sumUnit = 10n ** BigInt(sumDigits);

/** The value of a metric over some of its events, in units of 10⁻³⁰. */
export function metricValue(feeds: readonly Feed[], { aggregation }: KeyMetric): bigint {
  switch (aggregation) {
    case 'count':
      return BigInt(feeds.length) * sumUnit;
    case 'sum':
      return feeds.reduce((total, { value }) => total + wholeUnits(value?.number ?? 0, sumDigits), 0n);
    case 'unique': {
      const identities = feeds.flatMap(({ value }) => (value?.identity === undefined ? [] : [value.identity]));
      return BigInt(new Set(identities).size) * sumUnit;
    }
  }
}
