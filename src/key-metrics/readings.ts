import { pointerTokens } from '../lib/json-pointer.ts';
import type { KeyMetric } from './key-metrics.ts';

/** What is read of the events of one type. Several key metrics with other names or features share one reading. */
export interface Reading {
  readonly eventType: string;
  readonly aggregation: KeyMetric['aggregation'];
  /** The path of the value in the event, as unescaped JSON Pointer tokens; none for `count`, and for the whole event. */
  readonly path: readonly string[];
}

/** A reading in one spelling: what is kept of frozen days is kept under it. */
export const identifyReading = ({ eventType, aggregation, path }: Reading): string =>
  JSON.stringify([eventType, aggregation, path]);

/** The reading that counts the events of a type. */
export const countOf = (eventType: string): Reading => ({ eventType, aggregation: 'count', path: [] });

/** What the custom events of a day and user gave for a reading, in a form that can be kept and added up. */
export interface KeptReading {
  readonly dayNumber: number;
  readonly user: string;
  /** `identifyReading` */
  readonly reading: string;
  /** Events that fed it. */
  readonly fed: number;
  /** Decimal text. */
  readonly sum: string;
  /** What that does not hold of the sum, in units of 1e-100; `''` for nothing. */
  readonly rest: string;
  /** `hashValue` of each distinct value. */
  readonly hashes: readonly string[];
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
    const reading: Reading = { eventType, aggregation, path: pointerTokens(field ?? '') };
    const identity = identifyReading(reading);
    const known = numbers.get(identity);
    const number = known ?? list.push(reading) - 1;
    numbers.set(identity, number);
    byMetric.set(name, number);
  }
  return { list, byMetric };
}
