import { pointerTokens } from '../../lib/json-pointer.ts';
import type { KeyMetric } from './key-metrics.ts';

/** What to read from the events of one type. Key metrics that differ only in name, features or unit share a reading. */
export interface Reading {
  readonly eventType: string;
  readonly aggregation: KeyMetric['aggregation'];
  /** The path of the value in the event, as unescaped JSON Pointer tokens; empty for `count` and for the whole event. */
  readonly path: readonly string[];
}

/** The canonical text of a reading, under which readings of frozen days are stored. */
export const identifyReading = ({ eventType, aggregation, path }: Reading): string =>
  JSON.stringify([eventType, aggregation, path]);

export const countOf = (eventType: string): Reading => ({ eventType, aggregation: 'count', path: [] });

/** The total of a reading over the custom events of a day and user, in a form that can be stored and added up. */
export interface FrozenReading {
  readonly dayNumber: number;
  readonly user: string;
  /** `identifyReading` */
  readonly reading: string;
  /** Events that fed it. */
  readonly fed: number;
  /** Decimal text. */
  readonly sum: string;
  /** The whole sum in units of 1e-100 if `sum` cannot hold it exactly and is 0; otherwise `''`. */
  readonly rest: string;
  /** `hashValue` of each distinct value. */
  readonly hashes: readonly string[];
}

export interface Readings {
  /** Distinct readings; the index of a reading is its number. */
  readonly list: readonly Reading[];
  /** The number of a key metric's reading, by the metric's name. */
  readonly byMetric: ReadonlyMap<string, number>;
}

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
