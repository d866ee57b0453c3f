import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, findJsonText } from '../../src/accounts/key-metrics/json-text.ts';
import { isPointer, pointerTokens } from '../../src/lib/json-pointer.ts';

const find = (text: string, pointer: string) => findJsonText(text, pointerTokens(pointer));

test('RFC 6901: every pointer of its section 5 finds its value', () => {
  const text = '{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\\\j":5,"k\\"l":6," ":7,"m~n":8}';
  const found = ['', '/foo', '/foo/0', '/', '/a~1b', '/c%d', '/e^f', '/g|h', '/i\\j', '/k"l', '/ ', '/m~0n'].map(
    (pointer) => find(text, pointer),
  );
  expect(found).toEqual([text, '["bar","baz"]', '"bar"', '0', '1', '2', '3', '4', '5', '6', '7', '8']);
});

test.each([
  ['a missing key', '{"a":1}', '/b'],
  ['a key of a number', '{"a":1}', '/a/b'],
  ['an index past the end', '[1,2]', '/2'],
  ['the index of the element after the last', '[1,2]', '/-'],
  ['an index with a leading zero', '[1,2]', '/01'],
  ['a name in an array', '[1,2]', '/a'],
  ['an index of a string', '{"a":"xy"}', '/a/0'],
  ['a key further in', '{"b":{"a":1}}', '/a'],
  ['a key of an empty object', '{ }', '/a'],
  ['an index of an empty array', '[ ]', '/0'],
])('%s finds nothing', (_name, text, pointer) => {
  expect(find(text, pointer)).toBeUndefined();
});

test.each([
  ['the last of equal keys', '{"a":1,"a":2}', '/a', '2'],
  ['the last of equal objects, without what the first held', '{"a":{"b":1},"a":{}}', '/a/b', undefined],
  ['a key that is spelt with escapes', '{"\\u0061":1}', '/a', '1'],
  ['a key that holds a surrogate pair', '{"\\ud83d\\ude00":1}', '/😀', '1'],
  ['__proto__', '{"__proto__":{"x":1}}', '/__proto__/x', '1'],
  ['a number index of an object', '{"0":"x"}', '/0', '"x"'],
  ['every digit of a number', '{"a": 0.10000000000000000000000000000001 }', '/a', '0.10000000000000000000000000000001'],
  ['a value behind space', ' {\n\t"a" :\r\n [ 1 , { } ] } ', '/a', '[ 1 , { } ]'],
  ['a value behind strings that look like structure', '{"x":"}],\\"a\\":","a":-1e+5}', '/a', '-1e+5'],
])('finds %s', (_name, text, pointer, found) => {
  expect(find(text, pointer)).toBe(found);
});

test('finds in any document what JSON.parse has there', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.nat(3), fc.nat(9), (text, space, seed) => {
      const spaced = JSON.stringify(JSON.parse(text), undefined, space);
      const document: unknown = JSON.parse(spaced);
      let value: unknown = document;
      let pointer = '';
      while (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
        const entries = Object.entries(value);
        const [key, next] = entries[seed % entries.length] ?? ['', undefined];
        pointer += `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        value = next;
      }
      expect(isPointer(pointer)).toBe(true);
      expect(JSON.parse(find(spaced, pointer) ?? '')).toEqual(value);
    }),
  );
});

test.each([
  ['1', ['1.0', '1e0', '10e-1', '0.1E1', '1.000', '0.0001e+4']],
  ['0', ['-0', '0.0', '0e9', '-0.00e-99999999999']],
  ['-120', ['-1.2e2', '-120.0', '-12e1']],
  ['0.05', ['5e-2', '0.050']],
  ['1e401', ['10e400', '1e+401', '0.1e402']],
  ['"a"', ['"\\u0061"']],
  ['{"a":1,"b":[true,"x"]}', ['{ "b": [ true, "x" ], "a": 1.0 }', '{"a":5,"b":[true,"\\u0078"],"a":1}']],
])('D9.1: %s is one value in all its spellings', (text, spellings) => {
  expect(spellings.map(canonicalJson)).toEqual(spellings.map(() => canonicalJson(text)));
});

test('D9.1: different values are spelt differently', () => {
  const texts = [
    '1',
    '"1"',
    'true',
    '"true"',
    '[1]',
    '["1"]',
    '{"1":1}',
    '-1',
    '1.1',
    '1e401',
    '1e402',
    '0',
    '[]',
    '{}',
    '""',
  ];
  texts.push(
    '9007199254740992',
    '9007199254740993',
    '0.1',
    '0.1000000000000000055511151231257827',
    '" 1"',
    '[null]',
    '[0]',
  );
  expect(new Set(texts.map(canonicalJson)).size).toBe(texts.length);
});

test('D9.1: null is no value, and one nested too deep is none either', () => {
  expect(canonicalJson('null')).toBeUndefined();
  expect(canonicalJson(`${'['.repeat(500_000)}${']'.repeat(500_000)}`)).toBeUndefined();
});

test('D9.1: values are one exactly when they are equal as JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (one, other) => {
      const [left, right] = [JSON.stringify(one), JSON.stringify(other)];
      const areEqual = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
      if (one !== null || other !== null) expect(canonicalJson(left) === canonicalJson(right)).toBe(areEqual);
      if (one !== null) expect(canonicalJson(JSON.stringify(sorted(one), undefined, 2))).toBe(canonicalJson(left));
    }),
  );
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, sorted(entry)]),
  );
}

test('D9.1: a number as long as an event can be is compared at once, wherever its zeros stand', () => {
  const zeros = '0'.repeat(1_000_000);
  const startedAt = performance.now();
  expect(canonicalJson(`1${zeros}1`)).toBe(`1${zeros}1`);
  expect(canonicalJson(`0.${zeros}10`)).toBe('1e-1000001');
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
