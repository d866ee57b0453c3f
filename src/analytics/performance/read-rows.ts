import type { AnalyticStore } from '../../clickhouse/analytic-store.ts';
import { compareRecords } from '../page.ts';
import type { AnalyticsSources } from '../sources.ts';
import { type CostRecord, selectCosts } from './costs-sql.ts';
import {
  isHashed,
  type OddEventRecord,
  type ReadingsRecord,
  type ReadingsSelection,
  selectOddEvents,
  selectReadings,
} from './events-sql.ts';
import type { Position, RowWindow } from './row-window.ts';
import { type PerformanceRecord, RowSet } from './rows.ts';
import type { Selections } from './selections.ts';

/**
 * Reads the first rows of some periods. What is read is hardly more than them: of the first `limit` rows with calls and the
 * first `limit` with events, the first `limit` of both are known.
 */
export async function readRows(
  { store, settled }: Pick<AnalyticsSources, 'store' | 'settled'>,
  selections: Selections,
  { after, limit }: RowWindow,
): Promise<PerformanceRecord[]> {
  const rows: PerformanceRecord[] = [];
  for (let position = after; ; ) {
    const window = { after: position, limit };
    const [costs, events] = await Promise.all([
      settled.select<CostRecord>(selectCosts(selections.costs, window), selections.costs.cells),
      readReadings(store, selections.readings, window),
    ]);
    const last = earliest(lastOfFull(costs, limit), lastOfFull(events, limit));
    const set = await fillRows(store, selections.readings, { costs, events, after: position, upTo: last });
    rows.push(...set.list(last));
    // When events that might have fed a metric did not, the window may have held fewer rows than asked for.
    if (last === undefined || rows.length >= limit) return rows;
    position = last;
  }
}

/** Counts by row, of the first rows after a position. */
export async function readReadings(
  store: AnalyticStore,
  selection: ReadingsSelection,
  window: RowWindow,
): Promise<ReadingsRecord[]> {
  if (selection.readings.length === 0) return [];
  const { sql, parameters } = selectReadings(selection, window);
  return await store.select<ReadingsRecord>(sql, parameters);
}

export interface RowParts {
  readonly costs: readonly CostRecord[];
  readonly events: readonly ReadingsRecord[];
  readonly after: Position | undefined;
  readonly upTo: Position | undefined;
}

/** Puts rows together. The texts of odd events are read only where there are some, and one at a time. */
export async function fillRows(
  store: AnalyticStore,
  selection: ReadingsSelection,
  { costs, events, after, upTo }: RowParts,
): Promise<RowSet> {
  const begin = () => {
    const set = new RowSet(selection.readings, { isHashed: isHashed(selection) });
    for (const record of costs) set.addCosts(record);
    for (const record of events) set.addReadings(record);
    return set;
  };
  let set = begin();
  if (set.hasOddEvents) {
    const { sql, parameters } = selectOddEvents(selection, after, upTo);
    await store.selectEach<OddEventRecord>(sql, parameters, () => {
      const filling = begin();
      set = filling;
      return (event) => filling.addOddEvent(event);
    });
  }
  return set;
}

/** The position up to which a list is complete: its last one if it has as many as it may, undefined if it holds all. */
const lastOfFull = (records: readonly Position[], limit: number): Position | undefined =>
  records.length < limit ? undefined : records.at(-1);

const earliest = (one: Position | undefined, other: Position | undefined): Position | undefined =>
  one && other ? (compareRecords(one, other) <= 0 ? one : other) : (one ?? other);
