import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../json.ts';
import { Problem } from '../problem.ts';

const digestedPosition = z.tuple([z.string()]).rest(z.string());

/** A digest of the question and the position. It differs for another question, and for a damaged cursor. */
const digestOf = (question: unknown, position: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([question, ...position]))
    .digest('base64url')
    .slice(0, 22);

/** A cursor that continues after a row of this question (D6.4): all that was asked but `limit` and `cursor`. */
export const makeCursor = (question: unknown, position: readonly string[]): string =>
  Buffer.from(JSON.stringify([digestOf(question, position), ...position])).toString('base64url');

/**
 * The position that a cursor of the same question holds. The digest has no key, so anybody can make one: the position
 * is validated by its schema, like any other input. @throws Problem `invalid_cursor`
 */
export function openCursor<Position>(question: unknown, cursor: string, schema: z.ZodType<Position>): Position {
  try {
    const [digest, ...position] = digestedPosition.parse(parseJson(Buffer.from(cursor, 'base64url').toString()));
    if (digest === digestOf(question, position) && makeCursor(question, position) === cursor)
      return schema.parse(position);
  } catch {
    // Not a cursor of this service.
  }
  throw new Problem(
    'invalid_cursor',
    'The cursor is damaged or belongs to another question: send next_cursor with the same question as before.',
    {
      errors: [{ pointer: '/cursor', code: 'invalid_value', message: 'must be next_cursor of the same question' }],
    },
  );
}
