import { pointerTokens } from '../lib/json-pointer.ts';
import type { KeyMetric } from './key-metrics.ts';

/** What is read of the events of one type. Several key metrics with other names or features share one reading. */
export interface Reading {
  readonly eventType: string;
  readonly aggregation: KeyMetric['aggregation'];
  /** The path of the value in the event, as unescaped JSON Pointer tokens; none for `count`, and for the whole event. */
  readonly path: readonly string[];
}

export interface Readings {
  /** Each one once; its place is its number. */
  readonly list: readonly Reading[];
  /** The number of the reading that a key metric rests on, by the metric's name. */
  readonly byMetric: ReadonlyMap<string, number>;
}

/** The readings that key metrics rest on, each one once. */
export function resolveReadings(metrics: readonly KeyMetric[]): Readings {
  const list: Reading[] = [];
  const numbers = new Map<string, number>();
  const byMetric = new Map<string, number>();
  for (const { name, eventType, aggregation, field } of metrics) {
    const identity = JSON.stringify([eventType, aggregation, field]);
    const known = numbers.get(identity);
    const number = known ?? list.push({ eventType, aggregation, path: pointerTokens(field ?? '') }) - 1;
    numbers.set(identity, number);
    byMetric.set(name, number);
  }
  return { list, byMetric };
}
