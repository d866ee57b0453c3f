import { z } from 'zod';
import { openCursor, sealCursor } from '../http/cursor.ts';
import { type Day, isDay, toDayNumber } from '../lib/days.ts';

/** After which row the next page begins, and the range that the first page was asked for (D6.4). */
export interface CursorPosition {
  /** `date_to` as the first page resolved it: the same question goes on over midnight. */
  readonly dateTo: Day;
  readonly dateFrom: Day;
  readonly value: string;
}

/** The cursor that goes on after a row. `question` is everything that was asked but `limit` and `cursor`. */
export const writeCursor = (question: unknown, { dateTo, dateFrom, value }: CursorPosition): string =>
  sealCursor(question, [dateTo, dateFrom, value]);

/** The store counts days from 1970 in 16 bits. */
const lastDayNumber = 65_535;

/** A day that the store can be asked for. */
const dayOfPosition = z
  .string()
  .refine((text) => isDay(text) && toDayNumber(text) >= 0 && toDayNumber(text) <= lastDayNumber);

/** A value that rows can have. */
export const valueOfPosition = z.string().refine((text) => text.isWellFormed());

/** A position as it stands in a cursor. */
export const positionSchema = z
  .tuple([dayOfPosition, dayOfPosition, valueOfPosition])
  .transform(([dateTo, dateFrom, value]): CursorPosition => ({ dateTo, dateFrom, value }));

/** The position that a cursor of the same question holds. @throws Problem `invalid_cursor` */
export const readCursor = (question: unknown, cursor: string): CursorPosition =>
  openCursor(question, cursor, positionSchema);
