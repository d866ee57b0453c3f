// All JSON is read as it is written, whatever was read before: V8's own parser keeps some keys of one object for those of the next.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasEscapedKey, parseJson } from '../../src/lib/json.ts';
import { usualOrLong } from '../support/effort.ts';

/** Keys that are written with escapes, and others that look like those as they are written. */
const key = fc.oneof(
  fc.stringMatching(/^[\\"/ab\n\t]{0,3}$/),
  fc.constantFrom('__proto__', 'constructor', '0', '1', 'é'),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, '', '"', '\\', '\\":', '{"\\":1}', 'é\u2028\0'),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('any'), { maxLength: 4 }),
    // Not by assignment: `__proto__` is a key like any other.
    fc.array(fc.tuple(key, tie('any')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
})).any;

/** The same characters of keys and strings, each written with an escape. */
const withMoreEscapes = (text: string) =>
  text.replace(/"(?:[^"\\]|\\.)*"/g, (string) => string.replaceAll('a', '\\u0061'));

describe('JSON as it is written', () => {
  it('reads any value whatever was read before', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, '\t', 3), (sent, indent) => {
        const text = JSON.stringify(sent, undefined, indent);
        for (const json of [text, withMoreEscapes(text)]) {
          expect(JSON.stringify(parseJson(json))).toBe(JSON.stringify(sent));
          expect(hasEscapedKey(Buffer.from(json).toString('latin1'))).toBe(hasEscapedKey(json));
        }
      }),
      { numRuns: usualOrLong(1_500, 5_000) },
    );
  });

  it.each([
    ['"', '\\'],
    ['\n', '\\'],
    ['a\t', 'a\\'],
    ['customer', '\\u0063us'],
  ])('keeps the key %j apart from %j', (later, earlier) => {
    // Each letter of the first kind of keys as it is written in the second.
    const written = later === 'customer' ? '"\\u0063ustomer"' : JSON.stringify(later);
    for (const before of ['', '"h":1,']) {
      parseJson(`{${before}${JSON.stringify(earlier)}:0}`);
      expect(Object.keys(parseJson(`{${before}${written}:1}`) as object).at(-1)).toBe(later);
    }
  });

  it('takes the last of equal keys, in the place of the first', () => {
    expect(JSON.stringify(parseJson('{"a":1,"b":2,"\\u0061":{"\\"":3},"\\u0062":[4]}'))).toBe(
      '{"a":{"\\"":3},"b":[4]}',
    );
  });

  it('reads values of any depth', () => {
    const depth = 100_000;
    let inner = parseJson(`${'['.repeat(depth)}{"\\"":1}${']'.repeat(depth)}`);
    for (let level = 0; level < depth; level += 1) inner = (inner as unknown[])[0];
    expect(inner).toEqual({ '"': 1 });
  });

  it.each(['', '{', '{"\\"":}', '{"\\"":1', '"\\', '[1,]', '{"a\\":1}', 'nul'])('refuses %s', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it.each(['1', '"\\""', 'null', ' [ ] ', '{"a":"\\\\"}', ' {"\\\\" : 1e400} ', '{"\\"":-0}'])('reads %s', (text) => {
    expect(parseJson(text)).toStrictEqual(JSON.parse(text));
  });
});
