import { mostEventsOfId } from '../../calls/merging/condense.ts';
import { isOpen } from '../../calls/merging/open-state.ts';
import { type Measure, sumOfCells, sumOfParts } from '../../rollups/rollups/cells.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import type { Parameters } from '../../storage/analytic/row-reader.ts';
import { type CellScope, readCells } from '../asking/cells.ts';

export const maxListedIds = 100;
/** The most entries in a list of unpriced names. */
const maxListed = 1_000;

/** The sums over all calls of a range. */
const totals = [
  'calls',
  'unpriced_calls',
  'partly_priced_calls',
  'cost',
  'customer_attributed_cost',
  'feature_attributed_cost',
  'user_attributed_cost',
] as const satisfies Measure[];

export interface CallTotals extends Readonly<Record<(typeof totals)[number], string>> {
  readonly unpriced: readonly CountedName[];
  readonly partly_priced: readonly CountedName[];
}

/** The calls of a model that have a reason or a name. */
type CountedName = readonly [name: string, model: string, provider: string, calls: string];

/** One statement reads all totals, so that they agree with each other while calls arrive. */
export function selectCallTotals(scope: CellScope): Clause {
  const measures = [...totals, 'unpriced_reasons', 'partly_priced_names'];
  const { from, where } = readCells(scope, { grain: 'price', measures, filters: [] });
  return {
    sql: `
      SELECT ${totals.map((measure) => `${sumOfParts(measure)} AS ${measure}`).join(', ')},
        ${listMost('part_unpriced_reasons', ['model', 'provider', 'name'])} AS unpriced,
        ${listMost('part_partly_priced_names', ['name', 'model', 'provider'])} AS partly_priced
      FROM (
        SELECT toString(model) AS model, toString(provider) AS provider,
          ${measures.map((measure) => `${sumOfCells(measure)} AS part_${measure}`).join(', ')}
        FROM ${from}
        WHERE ${where.sql}
        GROUP BY model, provider
      )`,
    parameters: where.parameters,
  };
}

type NameColumn = 'name' | 'model' | 'provider';

/** SQL for the entries of maps from names to calls, as `CountedName`: most calls first, equal ones in this order. */
function listMost(column: string, order: readonly [NameColumn, NameColumn, NameColumn]): string {
  const entry = (name: NameColumn) => `entry.${2 + order.indexOf(name)}`;
  return `arrayMap(
          entry -> (${entry('name')}, ${entry('model')}, ${entry('provider')}, toString(-entry.1)),
          groupArraySortedArray(${maxListed})(
            arrayMap((name, count) -> (-toInt64(count), ${order.join(', ')}), mapKeys(${column}), mapValues(${column}))
          )
        )`;
}

/** A time span in milliseconds since 1970: `fromMs` inclusive, `toMs` exclusive. */
export interface ReceiptSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

const received = "received_at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')";
const receivedBefore = "received_at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')";

const stretchParameters = (projectId: string, { fromMs, toMs }: ReceiptSpan): Parameters => ({
  project: projectId,
  from: fromMs,
  to: toMs,
});

/**
 * Counts ids whose last `.before` was received in the span, and that have no outcome received later or up to 48 hours
 * earlier (calls/merging/open-state.ts). The last event of such an id is that `.before`, or a marker.
 */
export function selectOpenCalls(projectId: string, stretch: ReceiptSpan): Clause {
  return {
    sql: `
      SELECT count() AS open_calls
      FROM (
        SELECT max(event_ids.open_state) AS open_state, max(last_received_at) AS received_at
        FROM event_ids
        WHERE project = {project:String}
          AND event_id IN (SELECT event_id FROM event_ids PREWHERE ${isOpen} WHERE project = {project:String})
        GROUP BY event_id
      )
      WHERE ${isOpen} AND ${received} AND ${receivedBefore}`,
    parameters: stretchParameters(projectId, stretch),
  };
}

/**
 * Fields that could not be used, and for each the number of events in the span (D3.4, D3.10). Contents of the rereads
 * of these generations replace the original ones. `length` is what the index of `events` is by.
 */
export function selectIgnored(projectId: string, stretch: ReceiptSpan, rereads: ReadonlySet<number>): Clause {
  const inSpan = `project = {project:String} AND ${received} AND ${receivedBefore}`;
  const anew = `event_contents WHERE ${inSpan} AND generation IN (SELECT arrayJoin({rereads:Array(UInt64)}))`;
  const events =
    rereads.size === 0
      ? `SELECT ignored FROM events WHERE ${inSpan} AND length(ignored) > 0`
      : `SELECT ignored FROM events WHERE ${inSpan} AND length(ignored) > 0 AND (writer, seq) NOT IN (SELECT writer, seq FROM ${anew})
        UNION ALL
        SELECT argMax(ignored, version) AS ignored FROM ${anew} GROUP BY writer, seq`;
  return {
    sql: `
      SELECT arrayJoin(arrayDistinct(ignored)) AS field, count() AS events
      FROM (${events})
      GROUP BY field
      ORDER BY events DESC, field`,
    parameters: { ...stretchParameters(projectId, stretch), rereads: [...rereads] },
  };
}

/** Counts events received in the span for days that were already frozen. */
export function selectLate(projectId: string, stretch: ReceiptSpan): Clause {
  return {
    sql: `SELECT count() AS events FROM late_events FINAL
      WHERE project = {project:String} AND ${received} AND ${receivedBefore}`,
    parameters: stretchParameters(projectId, stretch),
  };
}

/** An id with more events than are merged one by one, or a call with more tags than it keeps. */
export interface OverusedRow {
  readonly event_id: string;
  readonly events: string;
  readonly tags_left_out: boolean;
}

/** Ids whose last event was received in the span, and that have many events or too many tags: most events first. */
export function selectOverused(projectId: string, stretch: ReceiptSpan): Clause {
  return {
    sql: `SELECT event_id, events, has_cut_tags AS tags_left_out FROM condensed_ids FINAL
      WHERE project = {project:String} AND (events > ${mostEventsOfId} OR has_cut_tags)
        AND last_${received} AND last_${receivedBefore}
      ORDER BY events DESC, event_id LIMIT ${maxListedIds}`,
    parameters: stretchParameters(projectId, stretch),
  };
}
