import { z } from 'zod';
import { type Day, toDayNumber } from '../../lib/days.ts';
import { openCursor } from '../../lib/http/cursor.ts';
import { parseJson } from '../../lib/json.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { positionSchema, spellPosition } from '../asking/cursor.ts';

/** A call's position in lists of calls, which are sorted by day, time, id and ordinal. */
export interface CallPosition {
  readonly day: Day;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  readonly eventId: string;
  readonly ordinal: number;
}

/** The orders of a list of calls. `newest` is the exact reverse of `oldest`. */
export const callOrders = ['oldest', 'newest'] as const;
export type CallOrder = (typeof callOrders)[number];

/** The order of `CallPosition` in SQL. Ids are compared as text, because ClickHouse has its own order of UUIDs. */
const orderClauses: Readonly<Record<CallOrder, string>> = {
  oldest: 'day, time, toString(event_id), ordinal',
  newest: 'day DESC, time DESC, toString(event_id) DESC, ordinal DESC',
};
export const toOrderClause = (order: CallOrder): string => orderClauses[order];

/** Only calls after this position in the order. */
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

/** A call's position as cursors hold it; `dateTo` is the last day of the range as the first page resolved it. */
export const spellCall = (dateTo: Day, { day, timeMs, eventId, ordinal }: CallPosition) =>
  spellPosition({ dateTo, dateFrom: day, value: JSON.stringify([timeMs, eventId, ordinal]) });

interface CallCursor {
  readonly dateTo: Day;
  readonly position: CallPosition;
}

const callCursorSchema = positionSchema.transform(({ dateTo, dateFrom: day, value }): CallCursor => {
  const [timeMs, eventId, ordinal] = placeInDay.parse(parseJson(value));
  return { dateTo, position: { day, timeMs, eventId, ordinal } };
});

/** The call that a page starts after. @throws Problem `invalid_cursor` */
export const readCallCursor = (question: unknown, cursor: string): CallCursor =>
  openCursor(question, cursor, callCursorSchema);
