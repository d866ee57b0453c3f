import type { Generations } from '../../../calls/generations.ts';
import { callsOf } from '../../../calls/in-force.ts';
import { type Day, toDayNumber } from '../../../lib/days.ts';
import { type Clause, joinParameters, setOf } from '../../../storage/analytic/clause.ts';
import { usageColumns } from '../../../storage/analytic/tables/usage-columns.ts';
import type { Sides } from './changed-days.ts';

/** The sum of pairs of calls with the same days, names and differences. */
export interface PairRecord {
  readonly has_pinned: number;
  readonly has_current: number;
  readonly pinned_day: Day;
  readonly current_day: Day;
  readonly pinned_customer: string;
  readonly current_customer: string;
  readonly same_time: number;
  readonly same_usage: number;
  readonly same_book: number;
  readonly over_edge: number;
  readonly is_erased: number;
  readonly is_reread: number;
  readonly pinned_cost: string;
  readonly current_cost: string;
}

export interface PairsWanted {
  readonly projectId: string;
  /** In order, at least one. */
  readonly days: readonly Day[];
  readonly generations: Sides<Generations>;
  readonly through: Day;
  /** When the close was made, in milliseconds since 1970. */
  readonly closedAt: number;
  /** Whether anything was erased since the close. */
  readonly hasErasures: boolean;
  /** The generations of the rereads since the close. */
  readonly rereads: readonly number[];
}

const side = { pinned: 0, current: 1 } as const;

/** The calls of these days on both sides, paired by event id and ordinal, without equal pairs. */
export function selectPairs(wanted: PairsWanted): Clause {
  const { projectId, generations, through, closedAt, hasErasures, rereads } = wanted;
  const pinned = whereCalls(wanted, 'pinned');
  const current = whereCalls(wanted, 'current');
  const of = (name: keyof typeof side, column: string) => `anyIf(${column}, side = ${side[name]}) AS ${name}_${column}`;
  const isSame = (column: string) => `pinned_${column} = current_${column}`;
  const columns = ['day', 'customer', 'time', 'cost', 'usage', 'price_book'];
  const keys = [
    ...['has_pinned', 'has_current', 'pinned_day', 'current_day', 'pinned_customer', 'current_customer'],
    ...['same_time', 'same_usage', 'same_book', 'over_edge', 'is_erased', 'is_reread'],
  ].join(', ');
  const noEvents = (condition: string) => `event_id NOT IN (
          SELECT event_id FROM event_ids WHERE project = {project:String} AND ${condition})`;
  // The copies of erased calls that a close keeps have new ids, so `event_ids` lacks their ids. An id that has no event
  // from after the close has lost some.
  const isErased = hasErasures
    ? `if(has_pinned AND NOT has_current AND over_edge,
          ${noEvents(`event_id IN (SELECT event_id FROM calls WHERE ${pinned.sql})`)},
          ${noEvents("last_received_at > fromUnixTimestamp64Milli({closed_at:Int64}, 'UTC')")})`
    : 'false';
  // Only events whose text was read otherwise have later contents.
  const isReread =
    rereads.length > 0
      ? `event_id IN (SELECT event_id FROM event_contents
          WHERE project = {project:String} AND generation IN ${setOf('rereads', 'UInt64', rereads)})`
      : 'false';
  return {
    sql: `
      SELECT ${keys}, sum(pinned_part) AS pinned_cost, sum(current_part) AS current_cost
      FROM (
        SELECT has_pinned, has_current, toString(pinned_day) AS pinned_day, toString(current_day) AS current_day,
          pinned_customer, current_customer, pinned_cost AS pinned_part, current_cost AS current_part,
          ${isSame('time')} AS same_time, ${isSame('usage')} AS same_usage, ${isSame('price_book')} AS same_book,
          if(has_pinned, toDate(pinned_time, {current_timezone:String}), toDate(current_time, {pinned_timezone:String}))
            > {through:Date} AS over_edge,
          ${isErased} AS is_erased, ${isReread} AS is_reread
        FROM (
          SELECT event_id, ordinal, countIf(side = ${side.pinned}) > 0 AS has_pinned,
            countIf(side = ${side.current}) > 0 AS has_current,
            ${columns.flatMap((column) => [of('pinned', column), of('current', column)]).join(', ')}
          FROM (
            SELECT ${side.pinned} AS side, ${columnsOfCall} FROM calls FINAL WHERE ${pinned.sql}
            UNION ALL
            SELECT ${side.current} AS side, ${columnsOfCall} FROM calls FINAL WHERE ${current.sql}
          )
          GROUP BY event_id, ordinal
        )
        WHERE NOT (has_pinned AND has_current AND ${['day', 'customer', 'cost'].map(isSame).join(' AND ')})
      )
      GROUP BY ${keys}`,
    parameters: joinParameters(pinned.parameters, current.parameters, {
      project: projectId,
      through,
      pinned_timezone: generations.pinned.timezone,
      current_timezone: generations.current.timezone,
      ...(hasErasures && { closed_at: closedAt }),
      ...(rereads.length > 0 && { rereads }),
    }),
  };
}

const columnsOfCall = `event_id, ordinal, day, customer, time, cost, price_book,
              sipHash64(${usageColumns.join(', ')}, mapSort(units)) AS usage`;

function whereCalls({ projectId, days, generations }: PairsWanted, name: keyof typeof side): Clause {
  const [first = '', last = first] = [days[0], days.at(-1)];
  const prefix = `${name}_`;
  const calls = callsOf(projectId, { dateFrom: first, dateTo: last }, generations[name], prefix);
  return {
    sql: `${calls.sql} AND toUInt16(day) IN ${setOf(`${prefix}days`, 'UInt16', days)}`,
    parameters: { ...calls.parameters, [`${prefix}days`]: days.map(toDayNumber) },
  };
}
