import type { AnalyticStore } from '../../storage/analytic/analytic-store.ts';
import { compareRecords } from '../asking/page.ts';
import type { Position, RowWindow } from '../asking/period-sql.ts';
import type { AnswerSources } from '../asking/sources.ts';
import { type CostRecord, selectCosts } from './costs-sql.ts';
import {
  isHashed,
  type OddEventRecord,
  type ReadingsRecord,
  type ReadingsSelection,
  selectOddEvents,
  selectReadings,
} from './events-sql.ts';
import { type PerformanceRecord, RowSet } from './rows.ts';
import type { Selections } from './selections.ts';

/** The first `limit` rows with calls and with events, which include the first `limit` rows with either. */
export async function readRows(
  { store, answerCache }: Pick<AnswerSources, 'store' | 'answerCache'>,
  selections: Selections,
  { after, limit }: RowWindow,
): Promise<PerformanceRecord[]> {
  const rows: PerformanceRecord[] = [];
  for (let position = after; ; ) {
    const window = { after: position, limit };
    const [costs, events] = await Promise.all([
      answerCache.select<CostRecord>(selectCosts(selections.costs, window), selections.costs.cells),
      readReadings(store, selections.readings, window),
    ]);
    const last = earliest(lastOfFull(costs, limit), lastOfFull(events, limit));
    const set = await fillRows(store, selections.readings, { costs, events, after: position, upTo: last });
    rows.push(...set.list(last));
    // If odd events feed no metric after all, the window can have fewer rows than `limit`. Then read the next one.
    if (last === undefined || rows.length >= limit) return rows;
    position = last;
  }
}

/** Reads the readings of the first rows after a position. */
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

/** Assembles rows from their parts. Reads the texts of odd events, if there are any, one at a time. */
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

/** The position up to which a list is complete: its last one if it is full, undefined if it has everything. */
const lastOfFull = (records: readonly Position[], limit: number): Position | undefined =>
  records.length < limit ? undefined : records.at(-1);

const earliest = (one: Position | undefined, other: Position | undefined): Position | undefined =>
  one && other ? (compareRecords(one, other) <= 0 ? one : other) : (one ?? other);
