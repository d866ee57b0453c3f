import { findJsonText } from '../../accounts/key-metrics/json-text.ts';
import { ReadingTotal } from '../../accounts/key-metrics/reading-total.ts';
import type { Reading } from '../../accounts/key-metrics/readings.ts';
import { compareRecords, type PeriodRecord } from '../asking/page.ts';
import type { Position } from '../asking/period-sql.ts';
import type { CostRecord } from './costs-sql.ts';
import type { OddEventRecord, ReadingsRecord } from './events-sql.ts';

/** A row before it is formatted: its cost and, by the reading's number, the totals of its events. */
export interface PerformanceRecord extends PeriodRecord {
  readonly cost: CostRecord | undefined;
  readonly totals: ReadonlyMap<number, ReadingTotal>;
}

interface Row extends Position {
  cost: CostRecord | undefined;
  readonly totals: Map<number, ReadingTotal>;
  /** The numbers of the readings for which the row has odd events. */
  readonly odd: Set<number>;
}

export class RowSet {
  readonly #readings: readonly Reading[];
  readonly #isHashed: boolean;
  readonly #rows = new Map<string, Row>();
  #hasOddEvents = false;

  /** With `isHashed`, distinct values are hashes. */
  constructor(readings: readonly Reading[], { isHashed }: { readonly isHashed: boolean }) {
    this.#readings = readings;
    this.#isHashed = isHashed;
  }

  /** Whether the values of some events must still be read from their texts. */
  get hasOddEvents(): boolean {
    return this.#hasOddEvents;
  }

  addCosts(cost: CostRecord): void {
    this.#rowAt(cost).cost = cost;
  }

  addReadings(record: ReadingsRecord): void {
    const row = this.#rowAt(record);
    for (const [number, events, fed, odd, sum, distinct, values, numbers, rests] of record.readings) {
      const reading = this.#readings[number];
      if (!reading) continue;
      const total = new ReadingTotal(reading.aggregation, { isHashed: this.#isHashed });
      total.addCounted({ events: Number(events), fed: Number(fed), sum, distinct: Number(distinct), values, rests });
      for (const text of numbers) total.addText(text);
      row.totals.set(number, total);
      if (Number(odd) === 0) continue;
      row.odd.add(number);
      this.#hasOddEvents = true;
    }
  }

  /** An odd event that arrived after the count belongs to no row with odd events; the next answer has it. */
  addOddEvent(event: OddEventRecord): void {
    const row = this.#rows.get(keyOf(event));
    for (const number of event.odd) {
      if (!row?.odd.has(number)) continue;
      row.totals.get(number)?.addText(findJsonText(event.text, this.#readings[number]?.path ?? []));
    }
  }

  /** In order, up to a position. A row has a call, or an event that feeds a reading, even with 0 (D6.2). */
  list(upTo: Position | undefined): PerformanceRecord[] {
    return [...this.#rows.values()]
      .filter(({ cost, totals }) => cost !== undefined || [...totals.values()].some(({ fed }) => fed > 0))
      .filter((row) => upTo === undefined || compareRecords(row, upTo) <= 0)
      .sort(compareRecords);
  }

  /** The totals of the only row of an ungrouped answer over one period. */
  totals(): ReadonlyMap<number, ReadingTotal> {
    return this.#rows.values().next().value?.totals ?? new Map();
  }

  #rowAt(position: Position): Row {
    const key = keyOf(position);
    const known = this.#rows.get(key);
    if (known) return known;
    const { period, value } = position;
    const row: Row = { period, value, cost: undefined, totals: new Map(), odd: new Set() };
    this.#rows.set(key, row);
    return row;
  }
}

const keyOf = ({ period, value }: Position): string => `${period} ${value}`;
