import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../lib/json.ts';
import { Problem } from '../lib/problem.ts';

const sealedPosition = z.tuple([z.string()]).rest(z.string());

/** A digest of the question and the position: another question gives another one, and so does damage. */
const seal = (question: unknown, position: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([question, ...position]))
    .digest('base64url')
    .slice(0, 22);

/**
 * The opaque cursor that goes on after a row, bound to the question by a digest of it (D6.4). `question` is everything that
 * was asked but `limit` and `cursor`.
 */
export const sealCursor = (question: unknown, position: readonly string[]): string =>
  Buffer.from(JSON.stringify([seal(question, position), ...position])).toString('base64url');

/**
 * The position that a cursor of the same question holds. The seal has no key, and anybody can make one: so a position is
 * judged like any other input, by its schema. @throws Problem `invalid_cursor`
 */
export function openCursor<Position>(question: unknown, cursor: string, schema: z.ZodType<Position>): Position {
  try {
    const [sealed, ...position] = sealedPosition.parse(parseJson(Buffer.from(cursor, 'base64url').toString()));
    if (sealed === seal(question, position) && sealCursor(question, position) === cursor) return schema.parse(position);
  } catch {
    // Whatever it is, it is no cursor of ours.
  }
  throw new Problem(
    'invalid_cursor',
    'The cursor is damaged or belongs to another question: send next_cursor with the same question as before.',
    {
      errors: [{ pointer: '/cursor', code: 'invalid_value', message: 'must be next_cursor of the same question' }],
    },
  );
}
