// Text parsed in slices says what it says when it is parsed at once, and is refused where that is.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson } from '../../src/lib/json.ts';
import { parseJsonInSlices, UnwieldyJson } from '../../src/lib/json-in-slices.ts';
import { runAtOnce } from '../../src/lib/slices.ts';
import { usualOrLong } from '../support/effort.ts';

type Outcome = { readonly value: string } | 'no JSON';

function outcomeOf(parse: () => unknown): Outcome {
  try {
    return { value: JSON.stringify(parse()) };
  } catch (error) {
    if (error instanceof SyntaxError) return 'no JSON';
    throw error;
  }
}

const inSlices = (text: string, length: number) =>
  outcomeOf(() => runAtOnce(parseJsonInSlices(text, { sliceLength: length })));

const sliceLength = fc.integer({ min: 1, max: 20 });
const numRuns = usualOrLong(800, 50_000);

const spaced = fc
  .tuple(fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t', '\r\n'))
  .map(([value, indent]) => JSON.stringify(value, undefined, indent));
/** Mostly not JSON, and nearly always close to it. */
const nearly = fc
  .array(
    fc.constantFrom(
      '[',
      ']',
      '{',
      '}',
      ',',
      ':',
      '"a"',
      '"\\""',
      '"__proto__"',
      '1',
      '-',
      'null',
      ' ',
      '"',
      '\\',
      '\u00a0',
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''));
/** JSON with one character too many or too few. */
const broken = fc
  .tuple(spaced, fc.nat(), fc.constantFrom('', ',', ']', '}', '[', '{', ':', '"', '\\', '\u00a0'))
  .map(([text, at, by]) => {
    const cut = at % (text.length + 1);
    return text.slice(0, cut) + by + text.slice(cut + (by === '' ? 1 : 0));
  });

test.each([
  ['any JSON', spaced],
  ['brackets, commas and strings in any order', nearly],
  ['JSON with one fault', broken],
])('%s', (_name, texts) => {
  fc.assert(
    fc.property(texts, sliceLength, (text, length) => {
      expect(inSlices(text, length)).toEqual(outcomeOf(() => parseJson(text)));
    }),
    { numRuns },
  );
});

test('a fault is told by its place', () => {
  const text = `[${'1,'.repeat(50)}1 1]`;
  expect(() => runAtOnce(parseJsonInSlices(text, { sliceLength: 10 }))).toThrow(`at position ${text.indexOf(' ') + 1}`);
});

const full = 16 * 1_048_576;
const keys = Array.from({ length: 300_000 }, (_, index) => `"${index}":1`).join(',');

test.each([
  ['numbers', `[${'1,'.repeat(1_000_000)}1]`, 'parsed'],
  ['numbers to the end', `[${'1,'.repeat(full / 2 - 2)}1]`, 'unwieldy'],
  ['lists in lists', `${'['.repeat(full / 2)}${']'.repeat(full / 2)}`, 'unwieldy'],
  ['lists in objects, without an end', '[{"a":['.repeat(100_000), 'no JSON'],
  ['keys', `{${keys}}`, 'unwieldy'],
  ['spaces', `[${' '.repeat(full)}]`, 'parsed'],
])('a long text of %s is parsed in many slices, or refused', (_name, text, end) => {
  const work = parseJsonInSlices(text);
  let slices = 1;
  let ended = 'parsed';
  try {
    while (!work.next().done) slices += 1;
  } catch (error) {
    ended = error instanceof UnwieldyJson ? 'unwieldy' : 'no JSON';
  }
  expect(ended).toBe(end);
  expect(slices).toBeGreaterThan(10);
});

test('an object with more keys than wanted is refused where it has them, not at its end', () => {
  const many = `{${keys}`;
  expect(() => runAtOnce(parseJsonInSlices(many, { mostKeys: 10_000 }))).toThrow('an object has more than 10000 keys');
});
