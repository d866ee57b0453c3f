import { z } from 'zod';
import { type Day, isDay, toDayNumber } from '../../lib/days.ts';
import { openCursor } from '../../lib/http/cursor.ts';

/** The last row of a page, and the end of the range that the first page resolved (D6.4). */
export interface CursorPosition {
  /** `date_to` as the first page resolved it, so that later pages have the same range, even after midnight. */
  readonly dateTo: Day;
  readonly dateFrom: Day;
  readonly value: string;
}

export const spellPosition = ({ dateTo, dateFrom, value }: CursorPosition) => [dateTo, dateFrom, value] as const;

/** The store's dates are 16-bit numbers of days since 1970. */
const lastDayNumber = 65_535;

/** A day that the store's dates can hold. */
const dayOfPosition = z
  .string()
  .refine((text) => isDay(text) && toDayNumber(text) >= 0 && toDayNumber(text) <= lastDayNumber);

/** A value that a row can have: well-formed Unicode. */
export const valueOfPosition = z.string().refine((text) => text.isWellFormed());

export const positionSchema = z
  .tuple([dayOfPosition, dayOfPosition, valueOfPosition])
  .transform(([dateTo, dateFrom, value]): CursorPosition => ({ dateTo, dateFrom, value }));

/** The position in a cursor of the same question. @throws Problem `invalid_cursor` */
export const readCursor = (question: unknown, cursor: string): CursorPosition =>
  openCursor(question, cursor, positionSchema);
