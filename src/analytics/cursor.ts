import { openCursor, sealCursor } from '../http/cursor.ts';
import type { Day } from '../lib/days.ts';

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

/** The position that a cursor of the same question holds. @throws Problem `invalid_cursor` */
export function readCursor(question: unknown, cursor: string): CursorPosition {
  const [dateTo = '', dateFrom = '', value = ''] = openCursor(question, cursor);
  return { dateTo, dateFrom, value };
}
