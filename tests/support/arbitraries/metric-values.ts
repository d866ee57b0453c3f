// Random JSON values in many spellings, and the places of an event where a key metric finds them.
import fc from 'fast-check';
import type { MetricValue } from '../model.ts';

// Some are beyond 2⁵³, where doubles no longer tell whole numbers apart.
const significands = [0n, 1n, 2n, 10n, 15n, -3n, 100n, 9007199254740992n, 9007199254740993n];

const number: fc.Arbitrary<MetricValue> = fc
  .tuple(
    fc.constantFrom(...significands),
    // Values repeat often, so that equal numbers meet in different spellings.
    fc.oneof({ weight: 3, arbitrary: fc.constantFrom(-1, 0, 1) }, fc.integer({ min: -12, max: 3 })),
    fc.integer({ min: 0, max: 4 }),
  )
  .map(([significand, exponent, spelling]) => {
    const text = spell(significand, exponent, spelling);
    return { text, identity: `the number ${canonical(significand, exponent)}`, number: text };
  });

/** A number with its different spellings. */
function spell(significand: bigint, exponent: number, spelling: number): string {
  const scientific = [`${significand}e${exponent}`, `${significand}.0E${exponent < 0 ? exponent : `+${exponent}`}`];
  return scientific[spelling] ?? `${plain(significand, exponent)}${trailing(exponent, spelling - 2)}`;
}

function plain(significand: bigint, exponent: number): string {
  if (exponent >= 0) return String(significand * 10n ** BigInt(exponent));
  const sign = significand < 0n ? '-' : '';
  const digits = String(significand)
    .replace('-', '')
    .padStart(1 - exponent, '0');
  return `${sign}${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
}

function trailing(exponent: number, zeros: number): string {
  return zeros === 0 ? '' : `${exponent >= 0 ? '.' : ''}${'0'.repeat(zeros)}`;
}

function canonical(significand: bigint, exponent: number): string {
  if (significand === 0n) return '0';
  if (significand % 10n === 0n) return canonical(significand / 10n, exponent + 1);
  return `${significand}e${exponent}`;
}

/** [identity, ...spellings] */
const others: [string, ...string[]][] = [
  ['the text 1', '"1"', '"\\u0031"'],
  ['the text 1.0', '"1.0"'],
  ['the text " 1"', '" 1"'],
  ['the empty text', '""'],
  ['the text true', '"true"'],
  ['the text null', '"null"'],
  ['é, one code point', '"é"', '"\\u00e9"'],
  ['é, two code points', '"e\\u0301"'],
  ['A', '"A"', '"\\u0041"'],
  ['a', '"a"'],
  ['an emoji', '"😀"', '"\\ud83d\\ude00"'],
  ['a solidus', '"/"', '"\\/"'],
  ['true', 'true'],
  ['false', 'false'],
  ['the empty array', '[]', '[ ]'],
  ['the array of 1 and 2', '[1,2]', '[1.0, 2e0]'],
  ['the array of 2 and 1', '[2,1]'],
  ['the empty object', '{}'],
  ['an object of two members', '{"a":1,"b":"x"}', '{"b":"x","a":1.0}', '{ "a" : 10e-1, "\\u0062" : "x" }'],
  ['an object with a null', '{"a":null}'],
  ['the array of a null', '[null]'],
];

const other: fc.Arbitrary<MetricValue> = fc.oneof(
  fc
    .constantFrom(...others)
    .chain(([identity, ...texts]) => fc.constantFrom(...texts).map((text) => ({ text, identity }))),
  fc.constant({ text: 'null', identity: undefined }),
);

const minusZero: fc.Arbitrary<MetricValue> = fc
  .constantFrom('-0', '-0.0', '-0e5')
  .map((text) => ({ text, identity: 'the number 0', number: '0' }));

const value = fc.oneof(
  { weight: 12, arbitrary: number },
  { weight: 8, arbitrary: other },
  { weight: 1, arbitrary: minusZero },
);

/** The values that one metric reads: only numbers, only other values, or a mix. */
export const valueSeries: fc.Arbitrary<MetricValue[]> = fc.oneof(
  ...[number, other, value].map((one) => fc.array(one, { minLength: 1, maxLength: 12, size: 'max' })),
);

/** [JSON Pointer, the member of the event] */
const places: [string, (text: string) => string][] = [
  ['/value', (text) => `"value":${text}`],
  ['/data/n', (text) => `"data":{"m":7,"n":${text}}`],
  ['/list/1', (text) => `"list":["no",${text}]`],
  ['/a~1b', (text) => `"a/b":${text}`],
  ['/m~0n/0', (text) => `"m~n":[${text}]`],
  ['/x~01', (text) => `"x~1":${text}`],
  ['/deep/日本/ /"', (text) => `"deep":{"日本":{" ":{"\\"":${text}}}}`],
];

export const pointers = places.map(([pointer]) => pointer);

/** Values at some of the places. */
export const placedValues: fc.Arbitrary<{ members: string[]; values: [string, MetricValue][] }> = fc
  .tuple(fc.subarray(places, { minLength: 3 }), fc.array(value, { minLength: places.length, maxLength: places.length }))
  .map(([chosen, values]) => {
    const placed = chosen.flatMap(([pointer, member], index) => {
      const found = values[index];
      return found === undefined ? [] : [{ pointer, member, found }];
    });
    return {
      members: placed.map(({ member, found }) => member(found.text)),
      values: placed.map(({ pointer, found }): [string, MetricValue] => [pointer, found]),
    };
  });
