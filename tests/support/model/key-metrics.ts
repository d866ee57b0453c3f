// D9.1: what a key metric counts, adds up or tells apart.
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

/** A JSON value, told apart by what it is and not by how it was written. */
export interface MetricValue {
  /** As posted. */
  text: string;
  /** The same for equal values, and only for them; undefined for null. */
  identity: string | undefined;
  /** Decimal text, of a number. */
  number?: string;
}

export interface MetricEvent extends ReceivedEvent {
  /** The values that metrics look at, by JSON Pointer. */
  values?: ReadonlyMap<string, MetricValue>;
}

/** An event that feeds a metric. */
export interface Feed {
  day: string;
  user: string;
  value: MetricValue | undefined;
}

/** The events that feed a metric, each once: of repetitions the first received, over all time. */
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

/** More digits than any value in a test has. */
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
