import { z } from 'zod';
import { type Day, toDayNumber } from '../../lib/days.ts';
import { openCursor } from '../../lib/http/cursor.ts';
import { parseJson } from '../../lib/json.ts';
import type { Clause } from '../../storage/analytic/clause.ts';
import { usageColumns } from '../../storage/analytic/tables/usage-columns.ts';
import { positionSchema, spellPosition } from '../asking/cursor.ts';

/** A call's position in lists of calls, which are sorted by day, time, id and ordinal, or by an amount before these. */
export interface CallPosition {
  readonly day: Day;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  readonly eventId: string;
  readonly ordinal: number;
  /** The amount, as text, in orders that have one. */
  readonly amount?: string | undefined;
}

/** The orders of a list of calls. `newest` is the exact reverse of `oldest`, and orders calls of equal amounts. */
export const callOrders = ['oldest', 'newest', 'dearest', 'most_tokens', 'slowest'] as const;
export type CallOrder = (typeof callOrders)[number];

/** The amounts by which calls can be ordered, the largest first: in SQL, and as read from a cursor. */
const amounts: Readonly<Partial<Record<CallOrder, { readonly sql: string; readonly read: string }>>> = {
  dearest: { sql: 'cost', read: 'toDecimal128({after_amount:String}, 12)' },
  most_tokens: { sql: `toUInt64(${usageColumns.join(' + ')})`, read: 'toUInt64({after_amount:String})' },
  // Whole microseconds, of at most 31 years; calls that do not say theirs come last.
  slowest: {
    sql: 'toInt64(least(ifNull(elapsed_ms, -1), 1e12) * 1000)',
    read: 'toInt64({after_amount:String})',
  },
};
/** The amount that an order has, as an expression of SQL. */
export const amountOf = (order: CallOrder): string | undefined => amounts[order]?.sql;

/** The order of `CallPosition` in SQL. Ids are compared as text, because ClickHouse has its own order of UUIDs. */
const oldestFirst = 'day, time, toString(event_id), ordinal';
const newestFirst = 'day DESC, time DESC, toString(event_id) DESC, ordinal DESC';
export function toOrderClause(order: CallOrder): string {
  const amount = amountOf(order);
  if (amount !== undefined) return `${amount} DESC, ${newestFirst}`;
  return order === 'oldest' ? oldestFirst : newestFirst;
}

/** Only calls after this position in the order. */
export function afterCall(position: CallPosition | undefined, order: CallOrder): Clause {
  if (!position) return { sql: '1', parameters: {} };
  const beyond = order === 'oldest' ? '>' : '<';
  const later = `(toUInt16(day) ${beyond} {after_day:UInt16}
      OR toUInt16(day) = {after_day:UInt16} AND (toUnixTimestamp64Milli(time), toString(event_id), ordinal) ${beyond} ({after_time:Int64}, {after_id:String}, {after_ordinal:UInt16}))`;
  const amount = amounts[order];
  return {
    sql: amount ? `(${amount.sql} < ${amount.read} OR ${amount.sql} = ${amount.read} AND ${later})` : later,
    parameters: {
      ...(amount && { after_amount: position.amount ?? '0' }),
      after_day: toDayNumber(position.day),
      after_time: position.timeMs,
      after_id: position.eventId,
      after_ordinal: position.ordinal,
    },
  };
}

const placeInDay = z.tuple([
  z.int(),
  z.guid(),
  z.int().min(0).max(65_535),
  z
    .string()
    .regex(/^-?\d{1,26}(\.\d{1,12})?$/)
    .optional(),
]);

/** A call's position as cursors hold it; `dateTo` is the last day of the range as the first page resolved it. */
export const spellCall = (dateTo: Day, { day, timeMs, eventId, ordinal, amount }: CallPosition) =>
  spellPosition({
    dateTo,
    dateFrom: day,
    value: JSON.stringify([timeMs, eventId, ordinal, ...(amount === undefined ? [] : [amount])]),
  });

interface CallCursor {
  readonly dateTo: Day;
  readonly position: CallPosition;
}

const callCursorSchema = positionSchema.transform(({ dateTo, dateFrom: day, value }): CallCursor => {
  const [timeMs, eventId, ordinal, amount] = placeInDay.parse(parseJson(value));
  return { dateTo, position: { day, timeMs, eventId, ordinal, amount } };
});

/** The call that a page starts after. @throws Problem `invalid_cursor` */
export const readCallCursor = (question: unknown, cursor: string): CallCursor =>
  openCursor(question, cursor, callCursorSchema);
