import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Day } from '../lib/days.ts';
import { Problem } from '../lib/problem.ts';

/** After which row the next page begins, and the range that the first page was asked for (D6.4). */
export interface CursorPosition {
  /** `date_to` as the first page resolved it: the same question goes on over midnight. */
  readonly dateTo: Day;
  readonly dateFrom: Day;
  readonly value: string;
}

const schema = z.tuple([z.string(), z.string(), z.string(), z.string()]);

/** A digest of the question and the position: any other question, and any damage, gives another one. */
const seal = (question: unknown, position: CursorPosition): string =>
  createHash('sha256')
    .update(JSON.stringify([question, position.dateTo, position.dateFrom, position.value]))
    .digest('base64url')
    .slice(0, 22);

/** The cursor that goes on after a row. `question` is everything that was asked but `limit` and `cursor`. */
export function writeCursor(question: unknown, position: CursorPosition): string {
  const { dateTo, dateFrom, value } = position;
  return Buffer.from(JSON.stringify([seal(question, position), dateTo, dateFrom, value])).toString('base64url');
}

/** The position that a cursor of the same question holds. @throws Problem `invalid_cursor` */
export function readCursor(question: unknown, cursor: string): CursorPosition {
  try {
    const [sealed, dateTo, dateFrom, value] = schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    const position = { dateTo, dateFrom, value };
    if (sealed === seal(question, position) && writeCursor(question, position) === cursor) return position;
  } catch {
    // Whatever it is, it is no cursor of ours.
  }
  throw new Problem(
    'invalid_cursor',
    'The cursor is damaged or belongs to another question: send next_cursor with the same body as before.',
    {
      errors: [{ pointer: '/cursor', code: 'invalid_value', message: 'must be next_cursor of the same question' }],
    },
  );
}
