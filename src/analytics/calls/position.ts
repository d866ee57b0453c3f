import { z } from 'zod';
import type { Clause } from '../../clickhouse/clause.ts';
import { type Day, isDay, toDayNumber } from '../../lib/days.ts';
import { Problem } from '../../lib/problem.ts';
import { readCursor, writeCursor } from '../cursor.ts';

/** A call's place in lists of calls, which are in the order of day, time, id and ordinal. */
export interface CallPosition {
  readonly day: Day;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  readonly eventId: string;
  readonly ordinal: number;
}

/** Which calls of a list come first: a list from the newest is that from the oldest, read backwards. */
export const callOrders = ['oldest', 'newest'] as const;
export type CallOrder = (typeof callOrders)[number];

/** The order of `CallPosition` in SQL. An id is compared as text: the store has an order of its own for UUIDs. */
const orderClauses: Readonly<Record<CallOrder, string>> = {
  oldest: 'day, time, toString(event_id), ordinal',
  newest: 'day DESC, time DESC, toString(event_id) DESC, ordinal DESC',
};
export const toOrderClause = (order: CallOrder): string => orderClauses[order];

/** Only calls after this one in the order. */
export function afterCall(position: CallPosition | undefined, order: CallOrder): Clause {
  if (!position) return { sql: '1', parameters: {} };
  const beyond = order === 'oldest' ? '>' : '<';
  return {
    sql: `toUInt16(day) ${beyond} {after_day:UInt16}
      OR toUInt16(day) = {after_day:UInt16} AND (toUnixTimestamp64Milli(time), toString(event_id), ordinal) ${beyond} ({after_time:Int64}, {after_id:String}, {after_ordinal:UInt16})`,
    parameters: {
      after_day: toDayNumber(position.day),
      after_time: position.timeMs,
      after_id: position.eventId,
      after_ordinal: position.ordinal,
    },
  };
}

const placeInDay = z.tuple([z.int(), z.guid(), z.int().min(0).max(65_535)]);

/** The cursor that goes on after a call; `dateTo` is the last day of the range as the first page resolved it. */
export function writeCallCursor(question: unknown, dateTo: Day, { day, timeMs, eventId, ordinal }: CallPosition) {
  return writeCursor(question, { dateTo, dateFrom: day, value: JSON.stringify([timeMs, eventId, ordinal]) });
}

/** The call that a page goes on after. @throws Problem `invalid_cursor` */
export function readCallCursor(
  question: unknown,
  cursor: string,
): { readonly dateTo: Day; readonly position: CallPosition } {
  const { dateTo, dateFrom: day, value } = readCursor(question, cursor);
  try {
    const [timeMs, eventId, ordinal] = placeInDay.parse(JSON.parse(value));
    if (isDay(day) && isDay(dateTo)) return { dateTo, position: { day, timeMs, eventId, ordinal } };
  } catch {
    // It was sealed, but not by this route.
  }
  throw new Problem('invalid_cursor', 'The cursor is damaged: send next_cursor with the same question as before.');
}
