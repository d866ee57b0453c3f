import type { Generations } from '../../calls/generations.ts';
import { type Clause, joinParameters } from '../../storage/analytic/clause.ts';
import type { IdSpan } from '../asking/received-events.ts';
import { onAnyDay } from '../asking/where.ts';
import type { EventOrder, EventPlace, EventsQuestion } from './parse.ts';

/** An event's place in the log, and the size of its text in bytes. */
export interface PlaceRecord {
  /** Milliseconds since 1970. */
  readonly at: string;
  readonly writer: string;
  readonly seq: string;
  readonly bytes: string;
}

/** Selects places by a condition. Text lengths are stored separately, so `length(text)` reads no texts. */
const places = (condition: string): string =>
  `SELECT toUnixTimestamp64Milli(received_at) AS at, writer, seq, length(text) AS bytes FROM events WHERE ${condition}`;

const directions: Readonly<Record<EventOrder, string>> = { newest: 'DESC', oldest: 'ASC' };

/** The order of the log by these columns. */
const orderBy = (order: EventOrder, at: string): string =>
  `ORDER BY ${[at, 'writer', 'seq'].map((column) => `${column} ${directions[order]}`).join(', ')}`;

/** The first `most` places. The order is the table's or its reverse, so it is read from one end. */
export function selectPlaces(where: Clause, order: EventOrder, most: number): Clause {
  return {
    sql: `${places(where.sql)} ${orderBy(order, 'received_at')} LIMIT {most:UInt32}`,
    parameters: joinParameters(where.parameters, { most }),
  };
}

/** The same for one id: within its span, but custom events, which it does not cover, in the whole log. */
export function selectPlacesOfId(
  where: Clause,
  span: IdSpan | undefined,
  { order, most }: { readonly order: EventOrder; readonly most: number },
): Clause {
  const selections = [places(`(${where.sql}) AND phase = 'custom'`)];
  if (span) {
    const inSpan = `received_at >= ${instant('first')} AND received_at <= ${instant('last')}`;
    selections.push(places(`(${where.sql}) AND phase != 'custom' AND ${inSpan}`));
  }
  return {
    sql: `SELECT at, writer, seq, bytes FROM (${selections.join(' UNION ALL ')})
      ${orderBy(order, 'at')} LIMIT {most:UInt32}`,
    parameters: { ...where.parameters, ...(span && { first: span.firstMs, last: span.lastMs }), most },
  };
}

/** The texts at these places, in the same order. */
export function selectTexts(projectId: string, found: readonly PlaceRecord[], order: EventOrder): Clause {
  return {
    sql: `
      SELECT toUnixTimestamp64Milli(received_at) AS at, client, text
      FROM events
      WHERE project = {project:String}
        AND received_at IN (SELECT fromUnixTimestamp64Milli(arrayJoin({at:Array(Int64)}), 'UTC'))
        AND (writer, seq) IN (
          SELECT place.1, place.2 FROM (
            SELECT arrayJoin(arrayZip({writers:Array(String)}, {seqs:Array(UInt64)})) AS place
          )
        )
      ${orderBy(order, 'received_at')}`,
    parameters: {
      project: projectId,
      at: [...new Set(found.map(({ at }) => Number(at)))],
      writers: found.map(({ writer }) => writer),
      seqs: found.map(({ seq }) => Number(seq)),
    },
  };
}

const instant = (name: string): string => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`;

/** The conditions of a request, except the span of its id. */
export function whereEvents(
  projectId: string,
  question: EventsQuestion,
  generations: Generations | undefined,
): Clause[] {
  const { eventId, eventType, customer, fromMs, toMs, order, after } = question;
  const clauses: Clause[] = [{ sql: 'project = {project:String}', parameters: { project: projectId } }];
  if (eventId !== undefined) clauses.push({ sql: 'event_id = {event_id:UUID}', parameters: { event_id: eventId } });
  if (eventType !== undefined) {
    clauses.push({ sql: 'event_type = {event_type:String}', parameters: { event_type: eventType } });
  }
  if (fromMs !== undefined) clauses.push({ sql: `received_at >= ${instant('from')}`, parameters: { from: fromMs } });
  if (toMs !== undefined) clauses.push({ sql: `received_at < ${instant('to')}`, parameters: { to: toMs } });
  if (after) clauses.push(beyond(after, order));
  if (customer !== undefined && generations) clauses.push(ofCustomer(customer, onAnyDay(projectId, generations)));
  return clauses;
}

const comparisons: Readonly<Record<EventOrder, '<' | '>'>> = { newest: '<', oldest: '>' };

const beyond = ({ receivedAt, writer, seq }: EventPlace, order: EventOrder): Clause => ({
  sql: `received_at ${comparisons[order]}= ${instant('place')}
    AND (received_at ${comparisons[order]} ${instant('place')}
      OR (writer, seq) ${comparisons[order]} ({place_writer:String}, {place_seq:UInt64}))`,
  parameters: { place: receivedAt, place_writer: writer, place_seq: seq },
});

/**
 * Events that name the customer or have the id of one of its calls, because a `.before` often names no customer yet.
 * For `''`, events that name no customer and belong to no customer's call.
 */
function ofCustomer(customer: string, calls: Clause): Clause {
  const idsOf = (condition: string) => `SELECT event_id FROM calls FINAL WHERE ${calls.sql} AND ${condition}`;
  return customer === ''
    ? { sql: `customer = '' AND event_id NOT IN (${idsOf("customer != ''")})`, parameters: calls.parameters }
    : {
        sql: `customer = {customer:String} OR event_id IN (${idsOf('customer = {customer:String}')})`,
        parameters: joinParameters(calls.parameters, { customer }),
      };
}
