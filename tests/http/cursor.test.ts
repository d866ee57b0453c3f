import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { makeCursor, openCursor } from '../../src/lib/http/cursor.ts';
import { Problem } from '../../src/lib/problem.ts';

const anyPosition = z.array(z.string());
const question = { date_from: '2024-05-01', group_by: 'customer' };
const cursor = makeCursor(question, ['2024-05-02', 'acme']);
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString());

/** What opening a cursor is refused with. */
function refusal(open: () => unknown): unknown {
  try {
    return open();
  } catch (cause) {
    return cause;
  }
}
const isRefused = (text: string, of: unknown = question, schema: z.ZodType = anyPosition): boolean =>
  refusal(() => openCursor(of, text, schema)) instanceof Problem;

test('D6.4: a cursor opens with the question that it was made for', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(fc.string({ unit: 'grapheme' })), (asked, position) => {
      expect(openCursor(asked, makeCursor(asked, position), anyPosition)).toEqual(position);
    }),
  );
});

test('D6.4: a cursor says nothing of the question but a short digest, in characters that need no escape', () => {
  expect(cursor).toMatch(/^[\w-]+$/);
  const [seal, ...position] = decode(cursor);
  expect(seal).toMatch(/^[\w-]{22}$/);
  expect(position).toEqual(['2024-05-02', 'acme']);
});

test('D6.4: a cursor of any other question is refused, and says what to do', () => {
  const error = refusal(() => openCursor({ ...question, group_by: 'model' }, cursor, anyPosition));
  expect(error).toBeInstanceOf(Problem);
  expect(error).toMatchObject({
    code: 'invalid_cursor',
    detail: expect.stringContaining('send next_cursor with the same question'),
    errors: [{ pointer: '/cursor', code: 'invalid_value', message: 'must be next_cursor of the same question' }],
  });
});

test('D6.4: a cursor with any of its characters changed, dropped or added is refused', () => {
  for (let at = 0; at < cursor.length; at += 1) {
    const [before, after] = [cursor.slice(0, at), cursor.slice(at + 1)];
    const other = cursor[at] === 'A' ? 'B' : 'A';
    for (const damaged of [before + after, before + other + after, `${before}A${cursor.slice(at)}`])
      expect(isRefused(damaged), damaged).toBe(true);
  }
});

test('D6.4: there is one spelling of a cursor', () => {
  const [seal, ...position] = decode(cursor);
  const spellings = [
    Buffer.from(JSON.stringify([seal, ...position], null, 1)).toString('base64url'),
    `${cursor}=`,
    ` ${cursor}`,
    Buffer.from(cursor, 'base64url').toString('base64'),
  ].filter((text) => text !== cursor);
  expect(spellings.map((text) => isRefused(text))).toEqual(spellings.map(() => true));
});

test.each([
  ['nothing', ''],
  ['no JSON', Buffer.from('no').toString('base64url')],
  ['no list', encode({ 0: 'x' })],
  ['an empty list', encode([])],
  ['a seal that is no text', encode([1, 'x'])],
  ['a position that is no text', encode([decode(cursor)[0], 1])],
  ['the seal of another position', encode([decode(cursor)[0], '2024-05-02', 'other'])],
])('D6.4: %s is no cursor', (_, text) => {
  expect(isRefused(text)).toBe(true);
});

test('D6.4: a sealed position is validated by its schema', () => {
  const schema = z.tuple([z.literal('a')]);
  expect(openCursor(question, makeCursor(question, ['a']), schema)).toEqual(['a']);
  expect(isRefused(makeCursor(question, ['b']), question, schema)).toBe(true);
});
